// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// A limit for requests in a period.
@Suite(.serialized, .opensFiles, .timeLimit) struct RateLimitTests {
    private let time = TestClock(jumps: true)

    private func rounded(_ waits: [TimeInterval]) -> [TimeInterval] {
        waits.map { ($0 * 1_000).rounded() / 1_000 }
    }

    @Test(.row("C18")) func theFullNumberIsSentImmediatelyAndThenOneByOne() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let limit = ServiceRateLimit(4, per: 2, clock: time.clock)
        let provider = ServiceProvider<TestService>(interceptors: [limit])
        for _ in 0..<7 { _ = try await provider.load(service: server.service()) }
        #expect(rounded(time.waits) == [0.5, 0.5, 0.5])
        time.advance(by: 1)
        for _ in 0..<3 { _ = try await provider.load(service: server.service()) }
        #expect(rounded(time.waits) == [0.5, 0.5, 0.5, 0.5])
        time.advance(by: 3_600)
        for _ in 0..<5 { _ = try await provider.load(service: server.service()) }
        #expect(rounded(time.waits) == [0.5, 0.5, 0.5, 0.5, 0.5])
        #expect(server.requests.count == 15)
    }

    @Test func waitingCallsAreSpread() async throws {
        let clock = TestClock()
        let limit = ServiceRateLimit(1, per: 1, clock: clock.clock)
        let provider = ServiceProvider<TestService>(interceptors: [
            limit, Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        let calls = (0..<4).map { _ in Task { try await provider.load(service: TestService()) } }
        for count in 1...3 {
            await clock.waits(reach: count)
            clock.advance(by: 1)
        }
        for call in calls { _ = try await call.value }
        #expect(rounded(clock.waits) == [1, 1, 1])
    }

    /// Otherwise it could wait behind calls that wait for it. Its token is taken from those that follow.
    @Test func aRefreshDoesNotWait() async throws {
        let clock = TestClock()
        let limit = ServiceRateLimit(1, per: 1, clock: clock.clock)
        let answering = Intercept { request, _ in
            let token = request.urlRequest.value(forHTTPHeaderField: "Authorization")
            return ServiceResponse(request: request, statusCode: token == "Bearer old" ? 401 : 200)
        }
        let login = ServiceProvider<TestService>(interceptors: [limit, answering])
        let hasLoggedIn = Milestones()
        let tokens = ServiceAuthenticator(
            token: "old", authorization: { ServiceAuthorization.bearer($0) },
            refresh: { _ in
                _ = try await login.load(service: TestService())
                hasLoggedIn.pass()
                return "new"
            })
        let provider = ServiceProvider<TestService>(interceptors: [tokens, limit, answering])
        let call = Task { try await provider.load(service: TestService()) }
        // While the clock stands still.
        try await within(seconds: 60) { await hasLoggedIn.reach(1) }
        await clock.waits(reach: 1)
        clock.advance(by: 2)
        _ = try await call.value
        #expect(rounded(clock.waits) == [2])
    }

    @Test func aDateThatIsSetBackDelaysNoCallForLong() async throws {
        let limit = ServiceRateLimit(1, per: 1, clock: time.clock)
        let provider = ServiceProvider<TestService>(interceptors: [
            limit, Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        _ = try await provider.load(service: TestService())
        time.advance(by: -86_400)
        _ = try await provider.load(service: TestService())
        #expect(time.waits.allSatisfy { $0 <= 1.001 })
    }

    @Test func cancellingEndsTheWait() async throws {
        let clock = TestClock()
        let provider = ServiceProvider<TestService>(interceptors: [
            ServiceRateLimit(1, per: 60, clock: clock.clock),
            Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        _ = try await provider.load(service: TestService())
        let call = Task { try await provider.load(service: TestService()) }
        await clock.waits(reach: 1)
        call.cancel()
        let error = try await failure { _ = try await call.value }
        #expect(ServiceResult<Data>.failure(error).isCancelled)
    }

    /// Key presses: each call cancels the one before, and only the last one is sent.
    @Test func cancelledCallsTakeNoToken() async throws {
        let clock = TestClock()
        let provider = ServiceProvider<TestService>(interceptors: [
            ServiceRateLimit(1, per: 1, clock: clock.clock),
            Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        _ = try await provider.load(service: TestService())
        for count in 1...200 {
            let call = Task { try await provider.load(service: TestService()) }
            await clock.waits(reach: count)
            call.cancel()
            _ = await call.result
        }
        let last = Task { try await provider.load(service: TestService()) }
        await clock.waits(reach: 201)
        #expect(clock.waits.allSatisfy { $0 <= 1 })
        clock.advance(by: 1)
        _ = try await last.value
    }

    /// The token of a cancelled call is given to one other call at most.
    @Test func cancelledCallsDoNotRaiseTheRate() async throws {
        let clock = TestClock(jumps: true)
        let start = clock.now
        let sent = Locked(0)
        let provider = ServiceProvider<TestService>(interceptors: [
            ServiceRateLimit(1, per: 1, clock: clock.clock),
            Intercept { request, _ in
                sent { $0 += 1 }
                return ServiceResponse(request: request, statusCode: 200)
            },
        ])
        let calls = (0..<1_000).map { _ in
            Task { try await provider.load(service: TestService()) }
        }
        for call in calls where Bool.random() {
            call.cancel()
        }
        for call in calls {
            _ = await call.result
        }
        // Not the dates of the requests: the clock may jump before a request that has its token is sent.
        #expect(Double(sent { $0 } - 1) < clock.now.timeIntervalSince(start) + 0.001)
    }

    @Test(arguments: [(0, 1.0), (-5, 1), (1, 0), (1, -1), (1, .nan), (1, .infinity), (.max, 1)])
    func oddValuesAreSafe(_ count: Int, _ period: TimeInterval) async throws {
        let provider = ServiceProvider<TestService>(interceptors: [
            ServiceRateLimit(count, per: period, clock: time.clock),
            Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        for _ in 0..<3 { _ = try await provider.load(service: TestService()) }
        #expect(time.waits.allSatisfy { $0 <= 604_800 })
    }
}
