// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Finds known values in a text, all of them in one pass.
///
/// A server can choose many of these values, by the URL of a redirect, and the text too. So each
/// place is compared with at most 64 bytes of 17 values, and in doubt, more is hidden.
nonisolated struct ServiceSecretValues {
    /// Values that have their first six bytes in common.
    private struct Group {
        /// Up to 64 bytes of each of the first 17 values, and its size.
        var values: [(start: [UInt8], size: Int)] = []
        /// Whether there are more, and the size of the longest of those that have several words.
        var (isFull, longest) = (false, 0)

        mutating func insert(_ text: [UInt8]) {
            isFull = values.count > 16
            if !isFull { return values.append((Array(text.prefix(64)), text.count)) }
            if text.contains(where: ServiceSecretValues.isSeparator) {
                longest = max(longest, text.count)
            }
        }
    }

    private var groups: [UInt64: Group] = [:]

    init(_ texts: [String]) {
        for text in texts where text.utf8.count > 5 {
            let text = text.utf8.map(Self.lowercased)
            let key = text.prefix(6).reduce(0) { $0 << 8 | UInt64($1) }
            groups[key, default: Group()].insert(text)
        }
    }

    private static func lowercased(_ byte: UInt8) -> UInt8 {
        (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte
    }

    private static func isSeparator(_ byte: UInt8) -> Bool {
        " \t\r\n\"'<>&,;".utf8.contains(byte)
    }

    /// The text with `***` in place of each value.
    ///
    /// Upper and lower case of "a" to "z" don't matter. Compares bytes: with an accent behind it, the last
    /// letter of a value would be another `Character`.
    func replaced(in bytes: [UInt8]) -> [UInt8] {
        guard !groups.isEmpty else { return bytes }
        let text = bytes.map(Self.lowercased)
        var output: [UInt8] = []
        var lastSix: UInt64 = 0
        // Where the last value that was found ends.
        var end = 0
        for (index, byte) in text.enumerated() {
            lastSix = (lastSix << 8 | UInt64(byte)) & 0xFFFF_FFFF_FFFF
            guard index > 4, let group = groups[lastSix] else { continue }
            let (start, rest) = (index - 5, text[(index - 5)...])
            var size = 0
            for value in group.values where value.size > size && rest.starts(with: value.start) {
                size = value.size
            }
            if group.isFull {
                // Too many values start like this, so hide all of the word, and as much as the longest one.
                let word = start < end ? 0 : rest.prefix { !Self.isSeparator($0) }.count
                size = max(size, word, group.longest)
            }
            guard size > 0 else { continue }
            if start >= end { output += bytes[end..<start] + Array("***".utf8) }
            end = min(max(end, start + size), bytes.count)
        }
        return output + bytes[end...]
    }
}
