// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Testing

/// 1 MB, the smallest size of a hostile text.
public let megabyte = sanitized(1 << 20)

/// Reduces a size or count for tests of size, depth and count. Sanitizers make code several times
/// slower and don't measure its time, so they get 1/32 of it.
public func sanitized(_ count: Int) -> Int {
    isUnderThreadSanitizer || isUnderAddressSanitizer ? max(count / 32, 1_000) : count
}

/// The processor time that this thread has used, in seconds. Excludes other tests, which run at the
/// same time.
public func threadTime() -> TimeInterval { seconds(CLOCK_THREAD_CPUTIME_ID) }

/// The processor time that this process has used, in seconds.
public func processTime() -> TimeInterval { seconds(CLOCK_PROCESS_CPUTIME_ID) }

private func seconds(_ clock: clockid_t) -> TimeInterval {
    var time = timespec()
    clock_gettime(clock, &time)
    return TimeInterval(time.tv_sec) + TimeInterval(time.tv_nsec) / 1e9
}

/// The limit of `growth` for work in linear time, which is more than 4 on a busy machine if the
/// larger input doesn't fit into the processor's caches.
public let linearGrowth = 8.0

/// Returns how many times longer the work takes at four times the size: 4 if its time is linear, 16
/// if it's quadratic.
///
/// Takes the best of five rounds, because other programs share memory and caches.
public func growth(to size: Int, of work: (_ size: Int) throws -> Void) rethrows -> Double {
    var growth = Double.infinity
    for _ in 0..<5 where growth > 5 {
        let start = threadTime()
        try work(size / 4)
        let middle = threadTime()
        try work(size)
        growth = min(growth, (threadTime() - middle) / (middle - start))
    }
    return growth
}

/// Does the same for work that runs on several threads. Measures the whole process, so nothing else
/// may run in it.
public func growthOfProcess(
    to size: Int, of work: (_ size: Int) async throws -> Void
) async rethrows -> Double {
    var growth = Double.infinity
    for _ in 0..<5 where growth > 5 {
        let start = processTime()
        try await work(size / 4)
        let middle = processTime()
        try await work(size)
        growth = min(growth, (processTime() - middle) / (middle - start))
    }
    return growth
}
