// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A clock for tests. It records waits, and moves its date forward instead of sleeping.
///
/// ```swift
/// let time = ServiceTestClock()
/// let retry = ServiceRetry(clock: time.clock)
/// // After a call: time.waits.count is the number of retries.
/// ```
///
/// Don't pass this clock to a `ServiceDeadline`: calls would time out immediately.
public nonisolated final class ServiceTestClock: Sendable {
    private let state: ServiceLocked<(now: Date, waits: [TimeInterval])>

    /// Makes a clock that starts at a date. Default: the current date.
    public init(now: Date = Date()) {
        state = ServiceLocked((now, []))
    }

    /// The date of the clock: the first date plus all waits.
    public var now: Date { state.withLock { $0.now } }

    /// The waits so far, in order, in seconds.
    public var waits: [TimeInterval] { state.withLock { $0.waits } }

    /// The clock for an interceptor. A cancelled task doesn't wait.
    public var clock: ServiceClock {
        var clock = ServiceClock()
        clock.now = { self.now }
        clock.sleep = { seconds in
            try Task.checkCancellation()
            self.state.withLock {
                $0.waits.append(seconds)
                $0.now += max(seconds, 0)
            }
        }
        return clock
    }
}
