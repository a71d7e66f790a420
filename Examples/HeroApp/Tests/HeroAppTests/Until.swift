// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Waits until a condition holds, or until the test's time limit cancels it.
func until(_ condition: () -> Bool) async {
    while !condition() && !Task.isCancelled {
        await Task.yield()
    }
}
