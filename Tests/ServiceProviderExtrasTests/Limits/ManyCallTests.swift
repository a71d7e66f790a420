// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux) || os(macOS)
import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Many calls that wait at the same time. Each test runs in its own process, and
/// measures its processor time.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct ManyCallTests {
    private typealias Call = Task<Void, any Error>

    private static let count = sanitized(300_000)

    /// Starts calls one after another.
    ///
    /// - Parameters:
    ///   - isNext: Whether the call after this number of calls may start.
    ///   - send: Runs inside the interceptor, with the number of the call.
    private static func start(
        _ count: Int, _ interceptor: some ServiceInterceptor,
        when isNext: (_ count: Int) -> Bool = { _ in true },
        send: @escaping @Sendable (_ index: Int) async throws -> Void
    ) async throws -> [Call] {
        let request = try TestService().request()
        var calls: [Call] = []
        for index in 0..<count {
            calls.append(
                Task {
                    _ = try await interceptor.intercept(request) { request in
                        try await send(index)
                        return ServiceResponse(request: request, statusCode: 200)
                    }
                })
            while !isNext(calls.count) { await Task.yield() }
        }
        return calls
    }

    /// How many of these calls succeed, and how many are cancelled.
    private static func ends(_ calls: some Sequence<Call>) async -> [Int] {
        var (successes, cancellations) = (0, 0)
        for call in calls {
            do {
                try await call.value
                successes += 1
            } catch is CancellationError {
                cancellations += 1
            } catch {}
        }
        return [successes, cancellations]
    }

    // MARK: - ServiceConcurrencyLimit

    @Test(.row("Z20")) func aLongQueueStartsInOrderAndInLinearTime() async {
        await #expect(processExitsWith: .success) {
            let growth = try await growthOfProcess(to: Self.count) { count in
                let (gate, started) = (Gate(), Locked<[Int]>([]))
                let limit = ServiceConcurrencyLimit(1)
                let calls = try await Self.start(count, limit) {
                    gate.arrivals == 1 && limit.waitingCount == $0 - 1
                } send: { index in
                    started { $0.append(index) }
                    await gate.pass()
                }
                gate.open()
                #expect(await Self.ends(calls) == [count, 0])
                #expect(started { $0 } == Array(0..<count))
                #expect(limit.waitingCount == 0)
            }
            #expect(growth < linearGrowth)
        }
    }

    @Test func aLongQueueIsCancelledInLinearTime() async {
        await #expect(processExitsWith: .success) {
            let growth = try await growthOfProcess(to: Self.count) { count in
                let (gate, limit) = (Gate(), ServiceConcurrencyLimit(1))
                let calls = try await Self.start(count, limit) { count in
                    gate.arrivals == 1 && limit.waitingCount == count - 1
                } send: { _ in
                    await gate.pass()
                }
                for call in calls.dropFirst() { call.cancel() }
                #expect(await Self.ends(calls.dropFirst()) == [0, count - 1])
                #expect(limit.waitingCount == 0)
                gate.open()
                let last = try await Self.start(1, limit) { _ in await gate.pass() }
                #expect(await Self.ends(calls.prefix(1) + last) == [2, 0])
                #expect(gate.arrivals == 2)
            }
            #expect(growth < linearGrowth)
        }
    }

    /// While the only place is taken.
    @Test func cancelledWaitsAreForgotten() async {
        await #expect(processExitsWith: .success) {
            let (gate, limit) = (Gate(), ServiceConcurrencyLimit(1))
            let first = try await Self.start(1, limit) { _ in await gate.pass() }
            await gate.arrivals(reach: 1)
            var sizes: [Int] = []
            for _ in 0..<20 {
                for _ in 0..<10 {
                    let calls = try await Self.start(500, limit) {
                        limit.waitingCount == $0
                    } send: { _ in
                    }
                    for call in calls { call.cancel() }
                    #expect(await Self.ends(calls[...]) == [0, 500])
                }
                sizes.append(try #require(ProcessUsage.residentBytes))
            }
            gate.open()
            #expect(await Self.ends(first[...]) == [1, 0])
            // Each wait takes about 400 bytes.
            #expect(sizes[19] - sizes[4] < 10 << 20, "\(sizes)")
        }
    }

    // MARK: - ServiceMerging

    @Test func manyCallsAreMergedInLinearTime() async {
        await #expect(processExitsWith: .success) {
            let growth = try await growthOfProcess(to: sanitized(20_000)) { count in
                let (gate, merging) = (Gate(), ServiceMerging())
                let calls = try await Self.start(count, merging) {
                    merging.waitingCount == $0
                } send: { _ in
                    await gate.pass()
                }
                gate.open()
                #expect(await Self.ends(calls) == [count, 0])
            }
            #expect(growth < linearGrowth)
        }
    }

    // MARK: - ServiceRateLimit

    @Test func manyCallsGetTheirTokensInLinearTime() async {
        await #expect(processExitsWith: .success) {
            let growth = try await growthOfProcess(to: Self.count) { count in
                let (waits, sent) = (Locked<[TimeInterval]>([]), Locked(0))
                let now = Date(timeIntervalSince1970: 0)
                var clock = ServiceClock()
                clock.now = { now }
                clock.sleep = { seconds in waits { $0.append(seconds) } }
                // Powers of two, so that the times are exact.
                let limit = ServiceRateLimit(4, per: 2, clock: clock)
                let calls = try await Self.start(count, limit) { _ in sent { $0 += 1 } }
                #expect(await Self.ends(calls) == [count, 0])
                #expect(sent { $0 } == count)
                #expect(waits { $0 } == (1...count - 4).map { Double($0) / 2 })
            }
            #expect(growth < linearGrowth)
        }
    }

    @Test func manyWaitsForATokenAreCancelledInLinearTime() async {
        await #expect(processExitsWith: .success) {
            let growth = try await growthOfProcess(to: Self.count) { count in
                let (waits, sent) = (Milestones(), Locked(0))
                // The timers are the system's.
                var clock = ServiceClock()
                clock.sleep = { [sleep = clock.sleep] seconds in
                    waits.pass()
                    try await sleep(seconds)
                }
                let limit = ServiceRateLimit(1, per: 3_600, clock: clock)
                let calls = try await Self.start(count, limit) { _ in sent { $0 += 1 } }
                await waits.reach(1)
                for call in calls { call.cancel() }
                #expect(await Self.ends(calls) == [1, count - 1])
                #expect(sent { $0 } == 1)
            }
            #expect(growth < linearGrowth)
        }
    }
}
#endif
