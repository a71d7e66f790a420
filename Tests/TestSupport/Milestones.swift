// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Counts events, and lets tests wait for them.
public final class Milestones: Sendable {
    private struct Watcher {
        let count: Int
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var count = 0
        var watchers: [UUID: Watcher] = [:]
    }

    private let state = Locked(State())

    public init() {}

    public var count: Int { state { $0.count } }

    /// Counts one event.
    public func pass() {
        let reached = state { state in
            state.count += 1
            let reached = state.watchers.filter { $0.value.count <= state.count }
            for id in reached.keys { state.watchers[id] = nil }
            return reached.values
        }
        for watcher in reached { watcher.continuation.resume() }
    }

    /// Returns when `count` events have happened, or the task is cancelled: a failed test doesn't wait
    /// for events that never happen.
    public func reach(_ count: Int) async {
        let id = UUID()
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isWaiting = state { state in
                    if state.count >= count || Task.isCancelled { return false }
                    state.watchers[id] = Watcher(count: count, continuation: continuation)
                    return true
                }
                if !isWaiting { continuation.resume() }
            }
        } onCancel: {
            state { $0.watchers.removeValue(forKey: id) }?.continuation.resume()
        }
    }
}
