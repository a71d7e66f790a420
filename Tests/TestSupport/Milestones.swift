// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Counts events, and lets tests wait for them.
public final class Milestones: Sendable {
    private struct State {
        var count = 0
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    public init() {}

    public var count: Int { state { $0.count } }

    /// Counts one event.
    public func pass() {
        let reached = state { state in
            state.count += 1
            defer { state.watchers.removeAll { $0.count <= state.count } }
            return state.watchers.filter { $0.count <= state.count }
        }
        for watcher in reached { watcher.continuation.resume() }
    }

    /// Returns when `count` events have happened.
    public func reach(_ count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state { state in
                if state.count < count { state.watchers.append((count, continuation)) }
                return state.count >= count
            }
            if isReached { continuation.resume() }
        }
    }
}
