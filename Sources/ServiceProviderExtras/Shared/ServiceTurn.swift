// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Which requests of the current task don't wait in a limit. In Shared, because the folders Authentication, Limits and
/// Resilience use it.
nonisolated enum ServiceTurn {
    /// The IDs of the limits in which the current task has a turn already. Nil stands for all limits.
    @TaskLocal static var current: Set<UUID?> = []
}
