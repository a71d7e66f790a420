// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderCaching
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
        var retry = ServiceRetry()
        retry.clock = TestClock(jumps: true).clock
        retry.statusCodes.formUnion(statusCodes)
        let tokens = CountingTokens()
        let interceptors: [any ServiceInterceptor] =
            outermost == .retry ? [retry, tokens.authenticator] : [tokens.authenticator, retry]
        let provider = ServiceProvider<TestService>(interceptors: interceptors)
        return (await provider.end(of: service), tokens.refreshes.count)
    }

    @Test(arguments: Outermost.allCases, Script.all)
    func retriesAndRefreshesEndInAnyOrder(_ outermost: Outermost, _ script: Script) async throws {
        let server = try LoopbackServer { _ in .status(script.last) }
        for status in script.responses { server.enqueue(.status(status)) }
        let (end, refreshes) = await end(of: server.service("/call"), outermost)
        #expect(end == script.end)
        #expect(server.requests.count == script.sent)
        #expect(refreshes == script.refreshes)
    }

    /// The order in the article "Interceptors". A response that is stored needs no turn, and the requests that
    /// update stored responses wait for theirs.
    @Test func backgroundRequestsWaitInsideTheCache() async throws {
        let (time, gate, isSlow) = (TestClock(), Gate(), Locked(false))
        let running = Locked((now: 0, most: 0, count: 0))
        let limit = ServiceConcurrencyLimit(2)
        let provider = ServiceProvider<TestService>(interceptors: [
            ServiceCache(clock: time.clock), limit,
            Intercept { request, _ in
                running { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.count + 1) }
                defer { running { $0.now -= 1 } }
                if isSlow({ $0 }) { await gate.pass() }
                return try request.respond(
                    200, headers: ["Cache-Control": "max-age=1, stale-while-revalidate=60"])
            },
        ])
        for _ in 0..<2 {
            for index in 0..<20 {
                _ = try await provider.load(service: TestService(path: "/\(index)"))
            }
            time.advance(by: 10)
            isSlow { $0 = true }
        }
        try await within(seconds: 60) {
            while limit.waitingCount < 18 { try await Task.sleep(nanoseconds: 1_000_000) }
            gate.open()
            while running({ $0.count < 40 || $0.now > 0 }) {
                try await Task.sleep(nanoseconds: 1_000_000)
            }
        }
        #expect(running { $0.most } == 2)
    }

    /// Even if refusals are among the status codes that are retried.
    @Test(arguments: [(Outermost.retry, 6, 3), (.authenticator, 6, 1)])
    func callsEndEvenIfRefusalsAreRetried(
        _ outermost: Outermost, _ sent: Int, _ count: Int
    ) async throws {
        let server = try LoopbackServer { _ in .status(401) }
        let service = server.service("/call")
        let (end, refreshes) = await end(of: service, outermost, retrying: [401])
        #expect(end == "401")
        #expect(server.requests.count == sent)
        #expect(refreshes == count)
    }
}
