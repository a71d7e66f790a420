// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Measures how long the work takes, in seconds.
func seconds(_ work: () throws -> Void) rethrows -> TimeInterval {
    let start = ProcessInfo.processInfo.systemUptime
    try work()
    return ProcessInfo.processInfo.systemUptime - start
}
