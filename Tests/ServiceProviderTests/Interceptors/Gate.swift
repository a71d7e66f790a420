// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
@testable import ServiceProvider

/// Holds what passes it until it is opened, and tells how many have come.
final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let milestones = Milestones()

    var arrivals: Int { milestones.count }

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
            let isOpen = state { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            milestones.pass()
            if isOpen { continuation.resume() }
        }
    }

    func arrivals(reach count: Int) async { await milestones.reach(count) }
}

extension ServiceDeduplication {
    /// Returns once so many callers wait for an answer.
    func waiting(reach count: Int) async {
        // Not by yielding alone, which would take the time of those that it waits for.
        while waiting < count { try? await Task.sleep(nanoseconds: 1_000_000) }
    }
}
