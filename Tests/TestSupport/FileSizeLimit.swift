// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Runs work while no file can grow beyond a number of bytes, as on a full disk.
///
/// The limit applies to the whole process, so use it in an exit test.
public func withFileSizeLimit<Value>(
    _ bytes: Int, _ work: () async throws -> Value
) async throws -> Value {
    #if os(Linux)
    let size = __rlimit_resource_t(RLIMIT_FSIZE.rawValue)
    #else
    let size = RLIMIT_FSIZE
    #endif
    // Otherwise the first write beyond the limit ends the process.
    signal(SIGXFSZ, SIG_IGN)
    var limit = rlimit()
    getrlimit(size, &limit)
    var old = limit
    limit.rlim_cur = rlim_t(bytes)
    guard setrlimit(size, &limit) == 0 else {
        throw POSIXError(POSIXErrorCode(rawValue: errno) ?? .EIO)
    }
    // Restores the limit, because a process writes its coverage data when it exits.
    defer { setrlimit(size, &old) }
    return try await work()
}
