// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A value that several threads use.
final class Locked<Value>: @unchecked Sendable {
    // Unchecked, because the compiler can't see that the value is only used under the lock.
    private let lock = NSLock()
    private var value: Value

    init(_ value: Value) { self.value = value }

    func callAsFunction<Result>(_ use: (inout Value) throws -> Result) rethrows -> Result {
        try lock.withLock { try use(&value) }
    }
}
