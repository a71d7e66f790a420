// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Limits how many requests are sent per interval, as many APIs require.
///
/// ```swift
/// let provider = ServiceProvider<API>(interceptors: [ServiceRateLimit(10, per: 1)])
/// ```
///
/// This is a token bucket: after a pause, the full number can be sent immediately, and then one request each time a
/// token is free again (here, after 0.1 seconds). Other requests wait, in the order of their calls. Share one instance
/// among providers to limit them together. Place it inside ``ServiceRetry``, so that each attempt counts. A call that
/// is cancelled while it waits takes no token.
public nonisolated final class ServiceRateLimit: ServiceInterceptor {
    private struct State {
        /// When the bucket will be full again.
        var full = Date.distantPast
        /// The date of the last call.
        var last = Date.distantPast
    }

    private let period: TimeInterval
    private let interval: TimeInterval
    private let clock: ServiceClock
    private let state = ServiceLocked(State())
    /// Only the first call in this queue waits for a token. When it's cancelled, the next one gets the token.
    private let queue = ServiceConcurrencyLimit(1)

    /// Creates an instance.
    ///
    /// - Parameters:
    ///   - count: How many requests may be sent in a period. A number below 1 counts as 1.
    ///   - period: In seconds, at most a week.
    ///   - clock: The clock to wait with.
    public init(_ count: Int, per period: TimeInterval, clock: ServiceClock = ServiceClock()) {
        self.period = period.atMostAWeek
        interval = self.period / Double(max(count, 1))
        self.clock = clock
    }

    /// Waits for a token, and sends the request.
    ///
    /// - Throws: The errors of the inner interceptors and the transport; `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard !ServiceLimitPass.isExempt else {
            // The queue may wait for this request, so it takes a later token without waiting.
            _ = takeToken()
            return try await next(request)
        }
        try await queue.waitForPlace(.normal)
        do {
            defer { queue.startNext() }
            try await waitForToken()
        }
        return try await next(request)
    }

    private func waitForToken() async throws {
        let delay = takeToken()
        // Less is a rounding error.
        guard delay > 0.000_1 else { return }
        do {
            try await clock.sleep(delay)
        } catch {
            returnToken()
            throw error
        }
    }

    /// Returns the seconds until the token may be used.
    private func takeToken() -> TimeInterval {
        state.withLock { state in
            // Under the lock, so that only a clock that was set back returns an earlier date than before.
            let now = clock.now()
            let elapsed = now.timeIntervalSince(state.last)
            state.full = max(state.full + min(elapsed, 0), now) + interval
            state.last = now
            return state.full.timeIntervalSince(now) - period
        }
    }

    private func returnToken() {
        state.withLock { state in
            state.full -= interval
        }
    }
}
