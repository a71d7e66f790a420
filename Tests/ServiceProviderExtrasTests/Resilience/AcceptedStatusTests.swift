// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// A request that accepts any status is still retried, and still refreshes its token.
@Suite(.serialized, .opensFiles, .timeLimit) struct AcceptedStatusTests {
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
