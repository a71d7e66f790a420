// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A request target taken apart: its path, and its query as decoded pairs.
struct GatewayTarget: Sendable {
    /// The path as it came, still percent-encoded, without scheme and host.
    let path: String
    /// The parameters in their order; a name may come twice.
    let query: [(name: String, value: String)]

    /// Reads any target; what cannot be understood stays as it is.
    ///
    /// All of this works on bytes. To Swift, a "?" and an accent after it are one character, and
    /// not a "?", but a server sees the "?".
    init(_ target: String) {
        let full = target.utf8.prefix { $0 != UInt8(ascii: "#") }
        let (path, query) = Self.halves(full, at: "?")
        self.path = Self.withoutOrigin(String(decoding: path, as: UTF8.self))
        self.query = query.split(separator: UInt8(ascii: "&")).map { pair in
            let (name, value) = Self.halves(pair, at: "=")
            return (Self.decoded(name), Self.decoded(value))
        }
    }

    /// The value of a parameter; the last one counts where it comes twice, as in PHP.
    func value(_ name: String) -> String? {
        query.last { $0.name == name }?.value
    }

    /// What stands before and after the first `separator`; without one, there is nothing after.
    private static func halves(
        _ text: Substring.UTF8View, at separator: Unicode.Scalar
    ) -> (Substring.UTF8View, Substring.UTF8View) {
        let first = text.prefix { UInt32($0) != separator.value }
        return (first, text.dropFirst(first.count).dropFirst())
    }

    /// A proxy asks by the full address; only the path matters here.
    private static func withoutOrigin(_ path: String) -> String {
        let start = path.prefix(8).lowercased()
        guard start.hasPrefix("http://") || start.hasPrefix("https://") else { return path }
        return String(path.dropFirst(start.hasPrefix("https") ? 8 : 7).drop { $0 != "/" })
    }

    /// Undoes the encoding of a form: "+" is a blank, "%41" an "A". A percent sign that two
    /// hexadecimal digits do not follow stands for itself, and bytes that are no UTF-8 become
    /// U+FFFD: a server must answer such a request too.
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
