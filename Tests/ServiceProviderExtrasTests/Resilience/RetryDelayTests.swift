// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// How long retries wait, and when they stop. No real time passes.
@Suite(.serialized, .opensFiles(0), .timeLimit) struct RetryDelayTests {
    private let time = TestClock(jumps: true)

    /// Returns the waits of a call that always gets this status.
    private func waits(
        retryAfter: String? = nil, status: Int = 503, _ change: (inout ServiceRetry) -> Void
    ) async -> [TimeInterval] {
        var retry = ServiceRetry(clock: time.clock, random: { $0.upperBound })
        change(&retry)
        let transport = StubTransport { request in
            try request.respond(status, headers: retryAfter.map { ["Retry-After": $0] } ?? [:])
        }
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [retry])
        #expect(await provider.end(of: TestService()) == "\(status)")
        return time.waits
    }

    @Test func waitsGrowUpToALimit() async {
        let waits = await waits {
            ($0.attempts, $0.delay, $0.maximumDelay, $0.maximumTime) = (8, 1, 20, .infinity)
        }
        #expect(waits == [1, 2, 4, 8, 16, 20, 20])
    }

    /// Full jitter: each range starts at 0.
    @Test func waitsAreRandom() async {
        let ranges = Locked<[ClosedRange<Double>]>([])
        let waits = await waits {
            $0.attempts = 4
            $0.random = { range in
                ranges { $0.append(range) }
                return range.upperBound / 4
            }
        }
        #expect(ranges { $0 } == [0...0.5, 0...1, 0...2])
        #expect(waits == [0.125, 0.25, 0.5])
    }

    @Test func randomWaitsStayInTheirRange() async {
        let random = ServiceRetry().random
        let values = (0..<1_000).map { _ in random(0...8) }
        #expect(values.allSatisfy { (0...8).contains($0) })
        #expect(values.contains { $0 < 2 } && values.contains { $0 > 6 })
        #expect(random(0...0) == 0)
    }

    @Test func manyAttemptsDoNotOverflow() async {
        let waits = await waits { ($0.attempts, $0.maximumTime) = (3_000, .infinity) }
        #expect(waits.count == 2_999)
        #expect(waits.max() == 30)
    }

    static let strange: [TimeInterval] = [.infinity, -.infinity, .nan, -1, 0, 1e300, 1e-300]

    /// Uses the default `random`, which traps for an invalid range.
    @Test(.row("L12"), arguments: strange, strange)
    func strangeDelaysDoNotTrap(_ delay: TimeInterval, _ limit: TimeInterval) async {
        let waits = await waits {
            ($0.delay, $0.maximumDelay, $0.maximumTime) = (delay, limit, .infinity)
            $0.random = ServiceRetry().random
        }
        #expect(waits.count == 2)
        #expect(waits.allSatisfy { (0...604_800).contains($0) })
    }

    @Test(arguments: strange)
    func strangeRandomValuesDoNotTrap(_ choice: TimeInterval) async {
        let waits = await waits {
            $0.random = { _ in choice }
            $0.maximumTime = .infinity
        }
        #expect(waits.allSatisfy { (0...30).contains($0) })
    }

    // MARK: - The total time

    /// The waits are 1, 2, 4 and 8 seconds.
    @Test(arguments: [(15.0, 4), (14.9, 3), (7, 3), (6.9, 2), (0.9, 0), (0, 0), (-1, 0), (.nan, 0)])
    func aWaitBeyondTheTotalTimeIsNotStarted(_ total: TimeInterval, _ count: Int) async {
        let waits = await waits { ($0.attempts, $0.delay, $0.maximumTime) = (5, 1, total) }
        #expect(waits == Array([1, 2, 4, 8].prefix(count)))
    }

    @Test func theTotalTimeIncludesTheAttempts() async {
        let retry = ServiceRetry(clock: time.clock)
        let sent = Locked(0)
        let transport = StubTransport { [time] _ in
            sent { $0 += 1 }
            time.advance(by: 59)
            throw URLError(.timedOut)
        }
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [retry])
        let end = await provider.end(of: TestService())
        #expect(end.contains("URLError -1001"))
        #expect(sent { $0 } == 2)
    }

    // MARK: - Retry-After

    /// If a server asks for more than `maximumDelay`, its response is returned without a retry.
    private func expect(_ text: String, waits wait: TimeInterval) async {
        #expect(
            await waits(retryAfter: text) { $0.attempts = 2 } == (wait < .infinity ? [wait] : []))
    }

    @Test(
        .row("L8", "T5", "C15"),
        arguments: [
            ("7", 7.0), ("007", 7), ("0", 0.5), ("29", 29), ("30", 30), ("31", .infinity),
            ("9223372036854775807", .infinity), ("99999999999999999999", .infinity), ("-5", 0.5),
            ("+5", 0.5), ("abc", 0.5), ("1.5", 2), ("12.0", 12), ("12.001", 13), ("29.5", 30),
            ("30.1", .infinity), ("1.2.3", 0.5), (".", 0.5), ("..", 0.5),
            ("5s", 0.5), ("", 0.5), ("5, 7", 0.5), ("٧", 0.5), ("0x10", 0.5), ("nan", 0.5),
            ("inf", 0.5),
            ("1e1", 0.5),
        ])
    func retryAfterCanBeInSeconds(_ text: String, _ wait: TimeInterval) async {
        await expect(text, waits: wait)
    }

    @Test(.row("T5"), arguments: [408, 429, 500, 502, 503, 504])
    func retryAfterAppliesToEveryRetriedStatus(_ status: Int) async {
        #expect(await waits(retryAfter: "9", status: status) { $0.attempts = 2 } == [9])
    }

    /// The clock starts on Friday, 15 January 2027, 08:00:00 GMT.
    @Test(
        .row("L8", "T5", "C15"),
        arguments: [
            ("Fri, 15 Jan 2027 08:00:09 GMT", 9.0), ("Friday, 15-Jan-27 08:00:09 GMT", 9),
            ("Fri Jan 15 08:00:09 2027", 9), ("Fri, 15 Jan 2027 08:00:00 GMT", 0.5),
            ("Sun, 06 Nov 1994 08:49:37 GMT", 0.5), ("Sunday, 06-Nov-94 08:49:37 GMT", 0.5),
            ("Sun Nov  6 08:49:37 1994", 0.5), ("Thu, 31 Dec 2099 23:59:59 GMT", .infinity),
            ("Thursday, 31-Dec-76 23:59:59 GMT", .infinity),
            ("Saturday, 31-Dec-77 23:59:59 GMT", 0.5),
            ("Mon Feb  1 08:00:00 2027", .infinity), ("Fri, 15 Jan 2027 08:00:09 CET", 0.5),
            ("Fri, 32 Jan 2027 08:00:09 GMT", 0.5), ("2027-01-15T08:00:09Z", 0.5),
            ("15 Jan 2027 08:00:09 GMT", 0.5), ("Fri, 15 Foo 2027 08:00:09 GMT", 0.5),
            // `DateFormatter` traps on such texts on Linux.
            ("Fri\u{FE01} Jan 15 08:00:09 2027", 0.5),
            ("Fri, 15 Jan\u{301} 2027 08:00:09 GMT", 0.5),
        ])
    func retryAfterCanBeADate(_ text: String, _ wait: TimeInterval) async {
        await expect(text, waits: wait)
    }

    @Test(.row("L8")) func aRetryAfterOfZeroDoesNotRetryForever() async {
        #expect(await waits(retryAfter: "0") { $0.attempts = 1_001 }.count < 60)
    }

    // MARK: - Cancelling

    @Test(.row("T10")) func cancellingDuringAWaitEndsTheCall() async throws {
        let time = TestClock()
        let retry = ServiceRetry(clock: time.clock)
        let sent = Locked(0)
        let transport = StubTransport { request in
            sent { $0 += 1 }
            return try request.respond(503)
        }
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [retry])
        let call = Task { await provider.end(of: TestService()) }
        await time.waits(reach: 1)
        call.cancel()
        #expect(await call.value == "The request was cancelled.")
        #expect(sent { $0 } == 1)
    }

    /// The call is cancelled just as its wait ends.
    @Test func aCallCancelledAfterItsWaitIsNotSentAgain() async throws {
        let sent = Locked(0)
        let transport = StubTransport { request in
            sent { $0 += 1 }
            return try request.respond(503)
        }
        let cancelling = ServiceClock(sleep: { _ in withUnsafeCurrentTask { $0?.cancel() } })
        let retry = ServiceRetry(clock: cancelling)
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [retry])
        #expect(await provider.end(of: TestService()) == "The request was cancelled.")
        #expect(sent { $0 } == 1)
    }
}
