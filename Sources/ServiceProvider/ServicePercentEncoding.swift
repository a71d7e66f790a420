// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
public nonisolated enum ServicePercentEncoding {
    /// Encodes every character except unreserved ones (RFC 3986, section 2.3) and those in `kept`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - kept: Characters that stay as they are, in ASCII. Default: none.
    ///   - keepsEscapes: Whether a `%` with two digits stays as it is. Default: false.
    public static func encode(
        _ text: String, keeping kept: StaticString = "", keepsEscapes: Bool = false
    ) -> String {
        guard !isUnchanged(text, keeping: kept) else { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var rest = Array(text.utf8)[...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            let isEscape =
                keepsEscapes && byte == 0x25
                && rest.prefix(2).count { UnicodeScalar($0).properties.isASCIIHexDigit } == 2
            if isEscape || isAllowed(byte, kept) {
                bytes.append(byte)
            } else {
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes the characters that a path can't contain (RFC 3986, section 3.3). Its slashes stay.
    package static func encode(path: String) -> String { encode(path, keeping: "!$&'()*+,;=:@/") }

    /// Encodes the characters that a URL can't contain (RFC 3986, sections 3.3 to 3.5).
    /// Existing percent-encoding stays as it is.
    static func encodeIllegal(_ url: String) -> String {
        let legal: StaticString = "!$&'()*+,;=:@/?#"
        // In UTF-8, because comparing many combining marks takes quadratic time.
        let start = String(decoding: url.utf8.prefix(9), as: UTF8.self)
        guard start.contains("//["), let end = url.utf8.firstIndex(of: UInt8(ascii: "]"))
        else { return encode(url, keeping: legal, keepsEscapes: true) }
        // Only the address of a host has brackets (RFC 3986, section 3.2.2).
        // Not by characters: a combining mark behind the bracket belongs to the rest.
        let address = String(url.unicodeScalars[...end])
        let rest = String(url.unicodeScalars[end...].dropFirst())
        return address + encode(rest, keeping: legal, keepsEscapes: true)
    }

    /// Whether a string has only letters, digits, `-._~` and kept characters.
    static func isUnchanged(_ text: String, keeping kept: StaticString) -> Bool {
        text.hasOnlyBytes { isAllowed($0, kept) }
    }

    private static func isAllowed(_ byte: UInt8, _ kept: StaticString) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: kept.withUTF8Buffer { $0.contains(byte) }
        }
    }
}

nonisolated extension String {
    /// Whether all bytes in UTF-8 satisfy a condition. (`utf8.allSatisfy` is slower.)
    func hasOnlyBytes(where condition: (UInt8) -> Bool) -> Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy(condition) }
    }
}
