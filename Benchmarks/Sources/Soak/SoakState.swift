// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The state of a server: the calls it has already refused once, and the current token.
final class SoakState: @unchecked Sendable {
    // Unchecked, because the compiler can't verify that the lock guards every use of the `var`s.
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

    /// Whether a token is valid. After 50 uses it isn't, and the client must refresh it.
    func accepts(_ authorization: String?) -> Bool {
        lock.withLock {
            uses += 1
            return authorization == "Bearer \(token)" && uses <= 50
        }
    }
}
