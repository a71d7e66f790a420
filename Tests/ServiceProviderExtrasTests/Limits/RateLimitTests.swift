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

    private func rounded(_ naps: [TimeInterval]) -> [TimeInterval] {
        naps.map { ($0 * 1_000).rounded() / 1_000 }
    }

    @Test func theFullNumberIsSentImmediatelyAndThenOneByOne() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let limit = ServiceRateLimit(4, per: 2, clock: time.clock)
        let provider = ServiceProvider<TestService>(interceptors: [limit])
        for _ in 0..<7 { _ = try await provider.load(service: server.service()) }
        #expect(rounded(time.naps) == [0.5, 0.5, 0.5])
        time.advance(by: 1)
        for _ in 0..<3 { _ = try await provider.load(service: server.service()) }
        #expect(rounded(time.naps) == [0.5, 0.5, 0.5, 0.5])
        time.advance(by: 3_600)
        for _ in 0..<5 { _ = try await provider.load(service: server.service()) }
        #expect(rounded(time.naps) == [0.5, 0.5, 0.5, 0.5, 0.5])
        #expect(server.requests.count == 15)
    }

    @Test func waitingCallsAreSpread() async throws {
        let clock = TestClock()
        let limit = ServiceRateLimit(1, per: 1, clock: clock.clock)
        let provider = ServiceProvider<TestService>(interceptors: [
            limit, Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        let calls = (0..<4).map { _ in Task { try await provider.load(service: TestService()) } }
        await clock.naps(reach: 3)
        #expect(rounded(clock.naps).sorted() == [1, 2, 3])
        clock.advance(by: 3)
        for call in calls { _ = try await call.value }
    }

    @Test func aDateThatIsSetBackDelaysNoCallForLong() async throws {
        let limit = ServiceRateLimit(1, per: 1, clock: time.clock)
        let provider = ServiceProvider<TestService>(interceptors: [
            limit, Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        _ = try await provider.load(service: TestService())
        time.advance(by: -86_400)
        _ = try await provider.load(service: TestService())
        #expect(time.naps.allSatisfy { $0 <= 1.001 })
    }

    @Test func cancellingEndsTheWait() async throws {
        let clock = TestClock()
        let provider = ServiceProvider<TestService>(interceptors: [
            ServiceRateLimit(1, per: 60, clock: clock.clock),
            Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        _ = try await provider.load(service: TestService())
        let call = Task { try await provider.load(service: TestService()) }
        await clock.naps(reach: 1)
        call.cancel()
        let error = try await failure { _ = try await call.value }
        #expect(ServiceResult<Data>.failure(error).isCancelled)
    }

    /// The tokens of cancelled calls aren't given to others, and no token is given twice.
    @Test func cancelledCallsDoNotRaiseTheRate() async throws {
        let clock = TestClock()
        let provider = ServiceProvider<TestService>(interceptors: [
            ServiceRateLimit(1, per: 1, clock: clock.clock),
            Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        _ = try await provider.load(service: TestService())
        var calls: [Task<Data, any Error>] = []
        func start(_ count: Int) async {
            for _ in 0..<count {
                calls.append(Task { try await provider.load(service: TestService()) })
                await clock.naps(reach: calls.count)
            }
        }
        await start(6)
        for call in calls[..<3] {
            call.cancel()
            _ = await call.result
        }
        await start(3)
        #expect(rounded(clock.naps) == [1, 2, 3, 4, 5, 6, 7, 8, 9])
        clock.advance(by: 9)
        for call in calls[3...] { _ = try await call.value }
    }

    @Test(arguments: [(0, 1.0), (-5, 1), (1, 0), (1, -1), (1, .nan), (1, .infinity), (.max, 1)])
    func oddValuesAreSafe(_ count: Int, _ period: TimeInterval) async throws {
        let provider = ServiceProvider<TestService>(interceptors: [
            ServiceRateLimit(count, per: period, clock: time.clock),
            Intercept { request, _ in ServiceResponse(request: request, statusCode: 200) },
        ])
        for _ in 0..<3 { _ = try await provider.load(service: TestService()) }
        #expect(time.naps.allSatisfy { $0 <= 604_800 })
    }
}
