// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Suspends every task that calls `pass()` until the gate is opened, and counts the calls.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Locked(State())
    private let milestones = Milestones()

    public init() {}

    public var arrivals: Int { milestones.count }

    public func open() {
        let waiting = state { state in
            state.isOpen = true
            defer { state.waiting = [] }
            return state.waiting
        }
        for continuation in waiting { continuation.resume() }
    }

    public func pass() async {
        await withCheckedContinuation { continuation in
            let isOpen = state { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            milestones.pass()
            if isOpen { continuation.resume() }
        }
    }

    public func arrivals(reach count: Int) async { await milestones.reach(count) }
}
