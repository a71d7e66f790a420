// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProviderSupport

/// The clock of this package's tests. It stands still until a test advances it.
///
/// A clock that jumps advances itself: each wait returns immediately, and moves the time to its
/// end. `ServiceTestClock` also does that, but can't be advanced or set back.
public final class TestClock: Sendable {
    private struct Sleeper {
        let id: Int
        let end: Date
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        var now = Date(timeIntervalSince1970: 1_800_000_000)
        var sleepers: [Sleeper] = []
        var cancelled: Set<Int> = []
        var waits: [TimeInterval] = []
    }

    private let state = Locked(State())
    /// Counts the waits that have started. `advance(by:)` affects only those.
    private let started = Milestones()
    private let isJumping: Bool

    public init(jumps isJumping: Bool = false) {
        self.isJumping = isJumping
    }

    /// This clock, for interceptors.
    public var clock: ServiceClock {
        var clock = ServiceClock()
        clock.now = { self.now }
        clock.sleep = { try await self.sleep($0) }
        return clock
    }

    public var now: Date { state { $0.now } }

    /// The requested length of each wait in seconds, in order.
    public var waits: [TimeInterval] { state { $0.waits } }

    /// Advances the time, and resumes the waits that are over.
    public func advance(by seconds: TimeInterval) {
        let due = state { state in
            state.now += seconds
            let due = state.sleepers.filter { $0.end <= state.now }
            state.sleepers.removeAll { $0.end <= state.now }
            return due
        }
        for sleeper in due.sorted(by: { $0.end < $1.end }) {
            sleeper.continuation.resume()
        }
    }

    /// Returns when `count` waits have started since the clock was created.
    public func waits(reach count: Int) async { await started.reach(count) }

    public func sleep(_ seconds: TimeInterval) async throws {
        try Task.checkCancellation()
        let id = state { state in
            state.waits.append(seconds)
            if isJumping { state.now += max(seconds, 0) }
            return state.waits.count
        }
        guard !isJumping, seconds > 0 else { return started.pass() }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let isCancelled = state { state in
                    let end = state.now + seconds
                    guard !state.cancelled.contains(id) else { return true }
                    state.sleepers.append(Sleeper(id: id, end: end, continuation: continuation))
                    return false
                }
                if isCancelled { continuation.resume(throwing: CancellationError()) }
                started.pass()
            }
        } onCancel: {
            let sleeper = state { state -> Sleeper? in
                state.cancelled.insert(id)
                let index = state.sleepers.firstIndex { $0.id == id }
                return index.map { state.sleepers.remove(at: $0) }
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }
}
