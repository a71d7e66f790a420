// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Lenient percent-decoding.
package nonisolated enum ServicePercentDecoding {
    /// Decodes percent-encoded bytes. A `%` that starts no escape stays.
    package static func decode(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        var plain: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let escaped = escapedByte(rest.prefix(2)) {
                plain.append(escaped)
                rest.removeFirst(2)
            } else {
                plain.append(byte)
            }
        }
        return plain
    }

    /// The byte that two hexadecimal digits stand for.
    private static func escapedByte(_ escape: ArraySlice<UInt8>) -> UInt8? {
        let digits = escape.compactMap { Character(UnicodeScalar($0)).hexDigitValue }
        guard digits.count == 2 else { return nil }
        return UInt8(digits[0] << 4 | digits[1])
    }

    /// Decodes percent-encoded UTF-8. `removingPercentEncoding` returns nil for a single invalid escape.
    package static func decode(_ text: String) -> String {
        guard text.utf8.contains(UInt8(ascii: "%")) else { return text }
        return String(decoding: decode(Array(text.utf8)[...]), as: UTF8.self)
    }
}
