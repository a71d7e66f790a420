// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The largest memory that this process has had, in bytes.
var peakMemory: Int {
    var usage = rusage()
    #if canImport(Darwin)
    getrusage(RUSAGE_SELF, &usage)
    return usage.ru_maxrss
    #else
    getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
    // Linux counts in kilobytes.
    return usage.ru_maxrss << 10
    #endif
}

func megabytes(_ bytes: Int) -> String { "\(bytes >> 20) MB" }

func seconds(_ time: TimeInterval) -> String { String(format: "%.2f s", time) }

/// Seconds since the system's start, which no clock changes.
var uptime: TimeInterval { ProcessInfo.processInfo.systemUptime }
