// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Calls end, no matter if retry or the authenticator is the outer interceptor.
@Suite(.serialized, .opensFiles, .timeLimit) struct InterceptorOrderTests {
    enum Outermost: CaseIterable, Sendable { case retry, authenticator }

    struct Script: Sendable, CustomTestStringConvertible {
        var testDescription: String { "\(responses), then \(last)" }
        let responses: [Int]
        let last: Int
        /// The number of requests, the number of refreshes, and how the call ends.
        let sent, refreshes: Int
        let end: String

        static let all = [
            Script(responses: [], last: 401, sent: 2, refreshes: 1, end: "401"),
            Script(responses: [], last: 503, sent: 3, refreshes: 0, end: "503"),
            Script(responses: [401, 503], last: 200, sent: 3, refreshes: 1, end: "200"),
            Script(responses: [503, 401], last: 200, sent: 3, refreshes: 1, end: "200"),
            Script(responses: [503, 401, 503], last: 200, sent: 4, refreshes: 1, end: "200"),
        ]
    }

    /// Returns how a call with both interceptors ends, and the number of refreshes.
    private func end(
        of service: TestService, _ outermost: Outermost, retrying statusCodes: Set<Int> = []
    ) async -> (String, refreshes: Int) {
        var retry = ServiceRetry(clock: TestClock(jumps: true).clock)
        retry.statusCodes.formUnion(statusCodes)
        let tokens = CountingTokens()
        let interceptors: [any ServiceInterceptor] =
            outermost == .retry ? [retry, tokens.authenticator] : [tokens.authenticator, retry]
        let provider = ServiceProvider<TestService>(interceptors: interceptors)
        return (await provider.end(of: service), tokens.refreshes.count)
    }

    @Test(arguments: Outermost.allCases, Script.all)
    func retriesAndRefreshesEndInAnyOrder(_ outermost: Outermost, _ script: Script) async throws {
        let server = try LoopbackServer { _ in .statusCode(script.last) }
        for status in script.responses { server.enqueue(.statusCode(status)) }
        let (end, refreshes) = await end(of: server.service("/call"), outermost)
        #expect(end == script.end)
        #expect(server.requests.count == script.sent)
        #expect(refreshes == script.refreshes)
    }

    /// Even if refusals are among the status codes that are retried.
    @Test(arguments: [(Outermost.retry, 6, 3), (.authenticator, 6, 1)])
    func callsEndEvenIfRefusalsAreRetried(
        _ outermost: Outermost, _ sent: Int, _ count: Int
    ) async throws {
        let server = try LoopbackServer { _ in .statusCode(401) }
        let service = server.service("/call")
        let (end, refreshes) = await end(of: service, outermost, retrying: [401])
        #expect(end == "401")
        #expect(server.requests.count == sent)
        #expect(refreshes == count)
    }
}
