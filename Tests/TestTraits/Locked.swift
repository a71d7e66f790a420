// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A value that several threads change, and can wait for.
public final class Locked<Value>: @unchecked Sendable {
    // Unchecked, because the compiler can't see that `value` is only used under `condition`.
    private let condition = NSCondition()
    private var value: Value

    public init(_ value: Value) { self.value = value }

    public func callAsFunction<Part>(_ use: (inout Value) throws -> Part) rethrows -> Part {
        try condition.withLock {
            defer { condition.broadcast() }
            return try use(&value)
        }
    }

    /// Blocks until the value meets the condition. Returns false after a minute.
    public func wait(until isWanted: (Value) -> Bool) -> Bool {
        let deadline = Date(timeIntervalSinceNow: 60)
        return condition.withLock {
            while !isWanted(value) {
                guard condition.wait(until: deadline) else { return false }
            }
            return true
        }
    }
}
