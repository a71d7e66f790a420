// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A value that several threads share, guarded by a lock.
package nonisolated final class ServiceLocked<Value>: @unchecked Sendable {
    // Unchecked, because the compiler can't see that `value` is only used under the lock.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    /// Runs a closure with the value, under the lock.
    package func withLock<Result>(_ body: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try body(&value) }
    }
}

nonisolated extension ServiceLocked: CustomReflectable {
    /// Empty, because `dump` would read the value without the lock. It may also be a secret.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
