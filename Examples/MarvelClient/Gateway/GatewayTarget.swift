// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A parsed request target: its path, and its query as decoded pairs.
struct GatewayTarget: Sendable {
    /// The path as received, still percent-encoded, without scheme and host.
    let path: String
    /// The parameters in order. A name can occur twice.
    let query: [(name: String, value: String)]

    /// Parses any target. Invalid parts don't make it fail.
    ///
    /// The parser works on bytes, as a server does. In a `String`, a "?" followed by a combining
    /// accent is one character, which isn't equal to "?".
    init(_ target: String) {
        let full = target.utf8.prefix { $0 != UInt8(ascii: "#") }
        let (path, query) = Self.halves(full, at: "?")
        self.path = Self.withoutOrigin(String(decoding: path, as: UTF8.self))
        self.query = query.split(separator: UInt8(ascii: "&")).map { pair in
            let (name, value) = Self.halves(pair, at: "=")
            return (Self.decoded(name), Self.decoded(value))
        }
    }

    /// The value of a parameter. If a name occurs twice, the last value counts, as in PHP.
    func value(_ name: String) -> String? {
        query.last { $0.name == name }?.value
    }

    /// The text before and after the first `separator`. Without one, the second half is empty.
    private static func halves(
        _ text: Substring.UTF8View, at separator: Unicode.Scalar
    ) -> (Substring.UTF8View, Substring.UTF8View) {
        let first = text.prefix { UInt32($0) != separator.value }
        return (first, text.dropFirst(first.count).dropFirst())
    }

    /// Drops scheme and host: requests through a proxy contain the full URL.
    private static func withoutOrigin(_ path: String) -> String {
        let start = path.prefix(8).lowercased()
        guard start.hasPrefix("http://") || start.hasPrefix("https://") else { return path }
        return String(path.dropFirst(start.hasPrefix("https") ? 8 : 7).drop { $0 != "/" })
    }

    /// Decodes form encoding: "+" is a space, "%41" is an "A".
    ///
    /// A server must respond to malformed requests too. So a percent sign without two hexadecimal
    /// digits is kept, and bytes that aren't UTF-8 become U+FFFD.
    private static func decoded(_ text: Substring.UTF8View) -> String {
        var bytes: [UInt8] = []
        var rest = text
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%"), let high = hexValue(rest.first),
                let low = hexValue(rest.dropFirst().first)
            {
                bytes.append(high << 4 | low)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexValue(_ byte: UInt8?) -> UInt8? {
        switch byte {
        case .some(let byte) where (48...57).contains(byte): byte - 48
        case .some(let byte) where (65...70).contains(byte): byte - 55
        case .some(let byte) where (97...102).contains(byte): byte - 87
        default: nil
        }
    }
}
