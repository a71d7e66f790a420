// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Time, as interceptors see it. Tests bring their own, in which no time passes.
public nonisolated struct ServiceClock: Sendable {
    /// What time it is. Default: `Date()`.
    public var now: @Sendable () -> Date = { Date() }
    /// Waits so many seconds, a week at most; throws when the task is cancelled. Default: by a timer.
    public var sleep: @concurrent @Sendable (TimeInterval) async throws -> Void = { seconds in
        // Not every number of seconds is one that Dispatch can count: those that are none would trap.
        let seconds = seconds > 0 ? min(seconds, ServiceRequest.aWeek) : 0
        // Not `Task.sleep`: once cancelled, it keeps its memory until its time is over (Swift 6.3).
        let timer = ServiceTimer()
        await withTaskCancellationHandler {
            await withCheckedContinuation { timer.start(seconds, $0) }
        } onCancel: {
            timer.source.cancel()
        }
        try Task.checkCancellation()
    }

    /// The time of the system.
    public init() {}
}

/// Resumes once: when its time is over, or when it is cancelled.
///
/// Unchecked, since a source may be used by any thread.
private nonisolated final class ServiceTimer: @unchecked Sendable {
    /// One for all: with queues of their own, each could have a thread.
    private static let queue = DispatchQueue(label: "ServiceClock")

    let source = DispatchSource.makeTimerSource(queue: queue)

    func start(_ seconds: TimeInterval, _ continuation: CheckedContinuation<Void, Never>) {
        source.setEventHandler { [source] in source.cancel() }
        source.setCancelHandler { continuation.resume() }
        source.schedule(deadline: .now() + seconds)
        source.activate()
    }
}
