// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Compiles, but needs a privacy manifest.

import Foundation

func size(of descriptor: Int32) -> Int {
    var status = stat()
    return fstat(descriptor, &status) == 0 ? Int(status.st_size) : 0  // FINDS needs a privacy manifest: fstat
}

func exists(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0  // FINDS needs a privacy manifest: lstat
}

func date(of path: String) throws -> Any? {
    try FileManager.default.attributesOfItem(atPath: path)[.modificationDate]  // FINDS needs a privacy manifest: modificationDate
}

func key() -> URLResourceKey {
    .volumeAvailableCapacityForImportantUsageKey  // FINDS needs a privacy manifest: volumeAvailableCapacityForImportantUsageKey
}
