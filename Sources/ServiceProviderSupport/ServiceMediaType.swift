// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The value of a `Content-Type` header: a media type and its charset (RFC 9110, section 8.3).
public nonisolated struct ServiceMediaType: Sendable {
    /// The type without parameters, in lower case: `text/html`. Empty if the header is missing.
    public let name: String
    /// The charset in lower case. Nil if the header doesn't have one.
    public let charset: String?

    /// Parses the value of a header.
    public init(_ value: String?) {
        // Only ASCII is valid, and combining marks take long to compare.
        var field = (value ?? "").utf8.map { $0 < 0x80 ? $0 : UInt8(ascii: "?") }[...]
        name = field.takeText(upTo: ";").lowercased()
        charset = field.takeParameters()["charset"]?.lowercased()
    }

    /// Whether the type is JSON: it ends in `/json` or `+json` (RFC 6839, section 3.1).
    public var isJSON: Bool { name.hasSuffix("/json") || name.hasSuffix("+json") }

    /// The encoding of the charset. UTF-8 if the header has no charset; nil if the charset is
    /// unknown.
    ///
    /// `String.Encoding(ianaName:)` would find more, but needs macOS 26.4 or Swift 6.3.
    public var encoding: String.Encoding? {
        switch charset {
        case nil, "utf-8", "utf8": .utf8
        case "us-ascii", "ascii": .ascii
        case "utf-16": .utf16
        case "utf-16be": .utf16BigEndian
        case "utf-16le": .utf16LittleEndian
        case "iso-8859-1", "latin1": .isoLatin1
        case "iso-8859-2": .isoLatin2
        case "windows-1250": .windowsCP1250
        case "windows-1251": .windowsCP1251
        case "windows-1252": .windowsCP1252
        case "windows-1253": .windowsCP1253
        case "windows-1254": .windowsCP1254
        case "shift_jis": .shiftJIS
        default: nil
        }
    }
}
