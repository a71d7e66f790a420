// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Whether requests pass limits without a wait. The folders Authentication and Limits use it.
nonisolated enum ServiceLimitExemption {
    /// Whether those of the current task do.
    @TaskLocal static var isGranted = false
}
