// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Texts that are hard to read, in any size.
public enum HostileText {
    /// Returns a text of this size in bytes.
    public typealias Shape = @Sendable (_ size: Int) -> String

    public static func repeating(_ unit: String, after start: String = "") -> Shape {
        { size in start + String(repeating: unit, count: size / unit.utf8.count) }
    }

    /// Two Hebrew points, in an order that `==` changes. Both count as letters.
    public static let marks = "\u{5C1}\u{5B0}"

    /// Quotes with more and more backslashes before them.
    public static let ramp: Shape = { size in
        var text = ""
        var run = 0
        while text.utf8.count < size {
            text += String(repeating: "\\", count: run % 1_000) + "\""
            run += 1
        }
        return text
    }
}
