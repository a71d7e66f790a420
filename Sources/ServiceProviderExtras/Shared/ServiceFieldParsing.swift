// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The rest of a header field, parsed from its start. Reads each byte once. In Shared, because the
/// folders Responses and Transfers use it.
nonisolated extension ArraySlice<UInt8> {
    /// Text in quotes (RFC 9110, section 5.6.4), or the text up to one of these characters.
    mutating func takeValue(upTo ends: String) -> String {
        guard take("\"") else { return takeText(upTo: ends) }
        var bytes: [UInt8] = []
        while let byte = popFirst(), byte != UInt8(ascii: "\"") {
            bytes.append(byte == UInt8(ascii: "\\") ? popFirst() ?? byte : byte)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// The text up to one of these characters, without the blanks around it.
    mutating func takeText(upTo ends: String) -> String {
        let text = prefix { !ends.utf8.contains($0) }
        self = dropFirst(text.count)
        let isBlank = { (byte: UInt8) in byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\t") }
        let end = text.lastIndex { !isBlank($0) }.map { $0 + 1 } ?? text.startIndex
        return String(decoding: text[..<end].drop(while: isBlank), as: UTF8.self)
    }

    /// Skips blanks, and then this character if it is next.
    mutating func take(_ character: Unicode.Scalar) -> Bool {
        self = drop { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\t") }
        return first.map(UInt32.init) == character.value && popFirst() != nil
    }
}
