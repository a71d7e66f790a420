// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The clock that interceptors use. Tests substitute one that doesn't wait.
public nonisolated struct ServiceClock: Sendable {
    /// Returns the current date. Default: `Date()`.
    public var now: @Sendable () -> Date
    /// Waits a number of seconds, at most a week. Throws when the task is cancelled. Default: a
    /// timer.
    public var sleep: @concurrent @Sendable (TimeInterval) async throws -> Void

    /// Creates a clock.
    ///
    /// - Parameters:
    ///   - now: Returns the current date. Default: `Date()`.
    ///   - sleep: Waits a number of seconds. Default: nil, which uses a timer.
    public init(
        now: @escaping @Sendable () -> Date = { Date() },
        sleep: (@concurrent @Sendable (TimeInterval) async throws -> Void)? = nil
    ) {
        self.now = now
        self.sleep = sleep ?? { try await Self.wait($0) }
    }

    @concurrent private static func wait(_ seconds: TimeInterval) async throws {
        // Not `Task.sleep`: once cancelled, it keeps its memory until its time is over (Swift 6.3).
        let timer = ServiceTimer()
        await withTaskCancellationHandler {
            await withCheckedContinuation { timer.start(seconds.atMostAWeek, $0) }
        } onCancel: {
            timer.source.cancel()
        }
        try Task.checkCancellation()
    }

    /// Runs a closure and measures how long it takes: never less than 0 seconds, even if the date
    /// is set back meanwhile.
    package func timed<Value>(
        _ work: () async throws -> Value
    ) async -> (outcome: Result<Value, any Error>, seconds: TimeInterval) {
        let start = now()
        let outcome: Result<Value, any Error>
        do {
            outcome = .success(try await work())
        } catch {
            outcome = .failure(error)
        }
        return (outcome, max(now().timeIntervalSince(start), 0))
    }
}

/// Resumes a continuation once: when its time is over, or when it is cancelled.
///
/// Unchecked, because the compiler doesn't know that every thread may use a dispatch source.
private nonisolated final class ServiceTimer: @unchecked Sendable {
    /// Shared by all timers: with a queue each, they could need a thread each.
    private static let queue = DispatchQueue(label: "ServiceClock")

    let source = DispatchSource.makeTimerSource(queue: queue)

    func start(_ seconds: TimeInterval, _ continuation: CheckedContinuation<Void, Never>) {
        source.setEventHandler { [self] in source.cancel() }
        source.setCancelHandler { continuation.resume() }
        source.schedule(deadline: .now() + seconds)
        source.activate()
    }
}

nonisolated extension TimeInterval {
    /// This number of seconds, from 0 to a week; 0 for NaN. Longer waits, such as infinity, would
    /// trap in Dispatch and in ranges.
    package var atMostAWeek: TimeInterval {
        self > 0 ? min(self, ServiceRequest.maximumTimeout) : 0
    }
}
