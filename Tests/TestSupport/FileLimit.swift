// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The process's limit of open files. All tests start at the same time, and most have a server of
/// their own, so they need up to 20,000 files. The usual limit is 1,024, or 256 on macOS.
enum FileLimit {
    /// Raises the limit as far as the system allows, once.
    static let isRaised: Bool = {
        #if os(Linux)
        let files = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
        #else
        let files = RLIMIT_NOFILE
        #endif
        var limit = rlimit()
        getrlimit(files, &limit)
        limit.rlim_cur = min(limit.rlim_max, 65_536)
        if setrlimit(files, &limit) == 0 { return true }
        // macOS accepts at most `OPEN_MAX`.
        limit.rlim_cur = 10_240
        return setrlimit(files, &limit) == 0
    }()
}
