// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The URLs of the servers. Each round has new servers.
final class Addresses: @unchecked Sendable {
    // Unchecked, because the compiler can't verify that the lock guards every use of the `var`.
    private let lock = NSLock()
    private var all = ["", "", ""]

    var server: String { lock.withLock { all[0] } }
    var raw: String { lock.withLock { all[2] } }

    func set(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        lock.withLock { all = words.count == 3 ? words : all }
    }
}
