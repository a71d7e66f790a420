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
        // Safe because a source may be cancelled by any thread.
        nonisolated(unsafe) let timer = DispatchSource.makeTimerSource(queue: queue)
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                timer.setEventHandler { timer.cancel() }
                timer.setCancelHandler { continuation.resume() }
                timer.schedule(deadline: .now() + seconds)
                timer.activate()
            }
        } onCancel: {
            timer.cancel()
        }
        try Task.checkCancellation()
    }

    /// One for all timers: each of its own could have a thread of its own.
    private static let queue = DispatchQueue(label: "ServiceClock")

    /// The time of the system.
    public init() {}
}
