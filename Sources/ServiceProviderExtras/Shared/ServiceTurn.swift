// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Whether requests wait in a limit. In Shared, because the folders Authentication and Limits use it.
nonisolated enum ServiceTurn {
    /// Whether the requests of the current task wait in no limit.
    @TaskLocal static var isGranted = false
}
