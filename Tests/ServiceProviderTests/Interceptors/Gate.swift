// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
@testable import ServiceProvider

/// Holds what passes it until it is opened, and tells how many have come.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var arrived = 0
        var waiting: [CheckedContinuation<Void, Never>] = []
        var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
    }

    private let state = Locked(State())

    var arrivals: Int { state { $0.arrived } }

    func open() {
        let waiting = state { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    func pass() async {
        await withCheckedContinuation { continuation in
            let (isOpen, told) = state { state in
                state.arrived += 1
                if !state.isOpen { state.waiting.append(continuation) }
                defer { state.watchers.removeAll { $0.count <= state.arrived } }
                return (state.isOpen, state.watchers.filter { $0.count <= state.arrived })
            }
            for watcher in told { watcher.continuation.resume() }
            if isOpen { continuation.resume() }
        }
    }

    func arrivals(reach count: Int) async {
        await withCheckedContinuation { continuation in
            let isReached = state { state in
                if state.arrived < count { state.watchers.append((count, continuation)) }
                return state.arrived >= count
            }
            if isReached { continuation.resume() }
        }
    }
}

extension ServiceDeduplication {
    /// Returns once so many callers wait for an answer.
    func waiting(reach count: Int) async {
        // Not by yielding alone, which would take the time of those that it waits for.
        while waiting < count { try? await Task.sleep(nanoseconds: 1_000_000) }
    }
}
