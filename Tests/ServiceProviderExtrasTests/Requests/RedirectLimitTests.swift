// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Ready policies for redirects, and services that accept any status.
@Suite(.serialized, .opensFiles, .timeLimit) struct RedirectLimitTests {
    private func server() throws -> LoopbackServer {
        try LoopbackServer { request in
            let step = Int(request.path.dropFirst()) ?? 0
            return step < 5 ? .redirect(to: "/\(step + 1)") : .text("there", statusCode: 404)
        }
    }

    @Test(.row("C13"), arguments: TransportUnderTest.allCases)
    func aLimitOfZeroFollowsNoRedirect(_ transport: TransportUnderTest) async throws {
        let server = try server()
        var service = server.service("/0")
        service.change = { $0.limitRedirects(to: 0) }
        let error = try await transport.provider().failure(of: service)
        #expect(error.unacceptableStatus == 302)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [(0, 1, 302), (2, 3, 302), (4, 5, 302), (5, 6, 404), (9, 6, 404)])
    func aLimitCountsRedirects(_ limit: Int, _ sent: Int, _ status: Int) async throws {
        let server = try server()
        var service = server.service("/0")
        service.change = { $0.limitRedirects(to: limit) }
        let error = try await ServiceProvider<TestService>().failure(of: service)
        #expect(error.unacceptableStatus == status)
        #expect(server.requests.count == sent)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func anyStatusStillFollowsRedirects(_ transport: TransportUnderTest) async throws {
        let server = try server()
        var service = server.service("/0")
        service.change = { $0.acceptsAnyStatus = true }
        let response = try await transport.provider().response(service: service)
        #expect(response.statusCode == 404)
        #expect(response.text == "there")
        #expect(server.requests.count == 6)
    }

    @Test func anyStatusIsRetried() async throws {
        let server = try LoopbackServer(responses: [
            .statusCode(503), .statusCode(503), .text("good"),
        ])
        let retry = ServiceRetry(clock: TestClock(jumps: true).clock)
        var service = server.service()
        service.change = { $0.acceptsAnyStatus = true }
        let provider = ServiceProvider<TestService>(interceptors: [retry])
        #expect(try await provider.text(of: service) == "good")
        #expect(server.requests.count == 3)
    }

    @Test func anyStatusStillRefreshesTheToken() async throws {
        let server = try LoopbackServer { request in
            request.header("Authorization") == "Bearer new" ? .text("good") : .statusCode(401)
        }
        let authenticator = ServiceAuthenticator(token: "old") {
            ServiceAuthorization.bearer($0)
        } refresh: { _ in
            "new"
        }
        var service = server.service()
        service.change = { $0.acceptsAnyStatus = true }
        let provider = ServiceProvider<TestService>(interceptors: [authenticator])
        #expect(try await provider.text(of: service) == "good")
        #expect(server.requests.count == 2)
    }
}
