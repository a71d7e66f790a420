// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A name and a value of a query or a form. Pairs are equal if their bytes are equal.
struct FuzzPair: Equatable, Encodable {
    let name: String
    let value: String

    init(_ name: String, _ value: String) {
        (self.name, self.value) = (name, value)
    }

    static func == (left: Self, right: Self) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
            && left.value.utf8.elementsEqual(right.value.utf8)
    }

    /// Parses `a=b&c=d`, with percent-encoded names and values. Returns nil if it's malformed.
    static func pairs(in text: Substring) -> [FuzzPair]? {
        guard !text.isEmpty else { return [] }
        var pairs: [FuzzPair] = []
        for pair in text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false)
        {
            let sides = pair.split(separator: UInt8(ascii: "="), omittingEmptySubsequences: false)
            guard sides.count == 2, let name = decoded(sides[0]), let value = decoded(sides[1]),
                let name = self.text(name),
                let value = self.text(value)
            else { return nil }
            pairs.append(FuzzPair(name, value))
        }
        return pairs
    }

    /// Decodes UTF-8. Returns nil if the bytes are invalid.
    static func text(_ bytes: some Collection<UInt8>) -> String? {
        let text = String(decoding: bytes, as: UTF8.self)
        return text.utf8.elementsEqual(bytes) ? text : nil
    }

    /// Decodes a percent-encoded text. Returns nil if a `%` isn't followed by two digits.
    static func decoded(_ text: some Sequence<UInt8>) -> [UInt8]? {
        var (bytes, rest) = ([UInt8](), Array(text)[...])
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(digit),
                let low = rest.popFirst().flatMap(digit)
            else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func digit(_ byte: UInt8) -> UInt8? {
        switch byte {
        case 0x30...0x39: byte - 0x30
        case 0x41...0x46: byte - 0x37
        case 0x61...0x66: byte - 0x57
        default: nil
        }
    }
}
