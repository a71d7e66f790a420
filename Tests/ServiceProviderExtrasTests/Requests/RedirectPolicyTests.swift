// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// `ServiceRequest.limitRedirects(to:)`, a ready policy for redirects.
@Suite(.serialized, .opensFiles, .timeLimit) struct RedirectPolicyTests {
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
}
