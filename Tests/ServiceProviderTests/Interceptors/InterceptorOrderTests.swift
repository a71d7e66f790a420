// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

/// Retry around authorization, and the other way round: both end.
@Suite struct InterceptorOrderTests {
    enum Outermost: CaseIterable, Sendable { case retry, authenticator }

    struct Script: Sendable, CustomTestStringConvertible {
        var testDescription: String { "\(answers), then \(last)" }
        let answers: [Int]
        let last: Int
        /// How many requests there are, of them how many refreshes, and how it ends.
        let sent, refreshes: Int
        let end: String

        static let all = [
            Script(answers: [], last: 401, sent: 2, refreshes: 1, end: "401"),
            Script(answers: [], last: 503, sent: 3, refreshes: 0, end: "503"),
            Script(answers: [401, 503], last: 200, sent: 3, refreshes: 1, end: "200"),
            Script(answers: [503, 401], last: 200, sent: 3, refreshes: 1, end: "200"),
            Script(answers: [503, 401, 503], last: 200, sent: 4, refreshes: 1, end: "200"),
        ]
    }

    @Test(arguments: Outermost.allCases, Script.all)
    func bothEnd(_ outermost: Outermost, _ script: Script) async throws {
        let server = try LoopbackServer { _ in .status(script.last) }
        for status in script.answers { server.enqueue(.status(status)) }
        var retry = ServiceRetry()
        retry.clock = TestClock(jumps: true).clock
        let refreshes = Locked(0)
        let authenticator = ServiceAuthenticator(token: 0) {
            ServiceAuthorization.bearer("\(canary("number"))-\($0)")
        } refresh: { token in
            refreshes { $0 += 1 }
            return (token ?? 0) + 1
        }
        let interceptors: [any ServiceInterceptor] =
            outermost == .retry ? [retry, authenticator] : [authenticator, retry]
        let provider = ServiceProvider<CallService>(interceptors: interceptors)
        #expect(await provider.end(of: CallService(baseURL: server.baseURL)) == script.end)
        #expect(server.requests.count == script.sent)
        #expect(refreshes { $0 } == script.refreshes)
    }

    /// Also where someone has made a refusal one of the statuses that may pass.
    @Test(arguments: [(Outermost.retry, 6, 3), (.authenticator, 6, 1)])
    func refusalsThatAreTriedAgainEndAsWell(
        _ outermost: Outermost, _ sent: Int, _ count: Int
    ) async throws {
        let server = try LoopbackServer { _ in .status(401) }
        var retry = ServiceRetry()
        retry.clock = TestClock(jumps: true).clock
        retry.statusCodes.insert(401)
        let refreshes = Locked(0)
        let authenticator = ServiceAuthenticator(token: canary("token")) {
            ServiceAuthorization.bearer($0)
        } refresh: { token in
            refreshes { $0 += 1 }
            return token ?? ""
        }
        let interceptors: [any ServiceInterceptor] =
            outermost == .retry ? [retry, authenticator] : [authenticator, retry]
        let provider = ServiceProvider<CallService>(interceptors: interceptors)
        #expect(await provider.end(of: CallService(baseURL: server.baseURL)) == "401")
        #expect(server.requests.count == sent)
        #expect(refreshes { $0 } == count)
    }
}
