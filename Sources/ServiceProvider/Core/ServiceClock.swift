// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Time, as interceptors see it. Tests bring their own, in which no time passes.
public nonisolated struct ServiceClock: Sendable {
    /// What time it is. Default: `Date()`.
    public var now: @Sendable () -> Date = { Date() }
    /// Waits so many seconds, a week at most; throws when the task is cancelled. Default: `Task.sleep`.
    public var sleep: @concurrent @Sendable (TimeInterval) async throws -> Void = { seconds in
        // Not every number of seconds is one of nanoseconds: those that are none would trap.
        let seconds = seconds > 0 ? min(seconds, ServiceRequest.aWeek) : 0
        try await Task.sleep(nanoseconds: UInt64(seconds * 1e9))
    }

    /// The time of the system.
    public init() {}
}
