// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Runs on the main queue every millisecond, and from there on the main actor.
@MainActor final class Heartbeat {
    /// The longest time between two beats on the queue.
    private(set) var queue = 0.0
    /// The longest time between two beats on the actor.
    private(set) var actor = 0.0
    /// The most processor time that the main thread has used between two beats. Unlike the times,
    /// it doesn't depend on how busy the machine is.
    private(set) var work = 0.0

    private var lastQueue = now(CLOCK_MONOTONIC)
    private var lastActor = now(CLOCK_MONOTONIC)
    private var lastWork = now(CLOCK_THREAD_CPUTIME_ID)
    private let timer = DispatchSource.makeTimerSource(queue: .main)

    init() {
        // Cancelling the timer releases the handler, and so this object.
        timer.setEventHandler { [self] in
            beatOnQueue()
            Task { beatOnActor() }
        }
        timer.schedule(deadline: .now(), repeating: .milliseconds(1), leeway: .nanoseconds(0))
        timer.resume()
    }

    /// Stops the heartbeat. The time since the last beats counts too.
    func stop() {
        timer.cancel()
        beatOnQueue()
        beatOnActor()
    }

    private func beatOnQueue() {
        let (time, used) = (Self.now(CLOCK_MONOTONIC), Self.now(CLOCK_THREAD_CPUTIME_ID))
        queue = max(queue, time - lastQueue)
        work = max(work, used - lastWork)
        (lastQueue, lastWork) = (time, used)
    }

    private func beatOnActor() {
        let time = Self.now(CLOCK_MONOTONIC)
        actor = max(actor, time - lastActor)
        lastActor = time
    }

    /// The time of a clock in milliseconds.
    private static func now(_ clock: clockid_t) -> Double {
        var time = timespec()
        clock_gettime(clock, &time)
        return Double(time.tv_sec) * 1e3 + Double(time.tv_nsec) / 1e6
    }
}
