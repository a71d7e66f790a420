// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Lets the requests of a task pass limits without a wait, until it ends. The folders Authentication, Limits and Resilience
/// use it.
///
/// An object, because tasks that are started meanwhile inherit it, and may live longer than the call that has a place.
nonisolated final class ServiceLimitPass: Sendable {
    /// The pass for all limits, which requests of a refresh have.
    @TaskLocal static var exemption: ServiceLimitPass?

    /// Whether the requests of the current task pass all limits.
    static var isExempt: Bool { exemption?.isValid ?? false }

    /// The limit in which the task has a place. Nil for all limits.
    let limit: ObjectIdentifier?
    private let hasEnded = ServiceLocked(false)

    init(_ limit: ObjectIdentifier? = nil) {
        self.limit = limit
    }

    var isValid: Bool { !hasEnded.withLock { $0 } }

    func end() {
        hasEnded.withLock { $0 = true }
    }
}
