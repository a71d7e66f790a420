// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Suspends every task that calls `pass()` until the gate is opened, and counts the calls.
public final class Gate: Sendable {
    private let arrived = Milestones()
    private let opened = Milestones()

    public init() {}

    public var arrivals: Int { arrived.count }

    public func open() { opened.pass() }

    /// Returns when the gate is open, or the task is cancelled.
    public func pass() async {
        arrived.pass()
        await opened.reach(1)
    }

    public func arrivals(reach count: Int) async { await arrived.reach(count) }
}
