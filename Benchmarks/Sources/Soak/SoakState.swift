// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What a server remembers: whom it has refused, and which token is good.
final class SoakState: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that the `var`s are used under the lock alone.
    private let lock = NSLock()
    private var seen: Set<String> = []
    private var token = ""
    private var uses = 0

    func isFirst(_ id: String) -> Bool { lock.withLock { seen.insert(id).inserted } }

    func newToken() -> String {
        lock.withLock {
            (token, uses) = (UUID().uuidString, 0)
            return token
        }
    }

    /// A token is good 50 times; then there must be a new one.
    func accepts(_ authorization: String?) -> Bool {
        lock.withLock {
            uses += 1
            return authorization == "Bearer \(token)" && uses <= 50
        }
    }
}
