// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Where the servers are; each round has others.
final class Addresses: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that the `var` is used under the lock alone.
    private let lock = NSLock()
    private var all = ["", "", ""]

    var server: String { lock.withLock { all[0] } }
    var raw: String { lock.withLock { all[2] } }

    func set(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        lock.withLock { all = words.count == 3 ? words : all }
    }
}
