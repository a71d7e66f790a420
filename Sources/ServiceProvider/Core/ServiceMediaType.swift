// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The value of a `Content-Type` header: a media type and its charset (RFC 9110, section 8.3).
nonisolated struct ServiceMediaType {
    /// The type without parameters, in lower case: `text/html`.
    let name: String
    /// The charset in lower case; nil when the value has none.
    let charset: String?

    /// Parses a value of any length in one pass.
    init(_ value: String?) {
        var (isQuoted, isEscaped) = (false, false)
        let parts = (value ?? "").lowercased().utf8.split { byte in
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            return byte == UInt8(ascii: ";") && !isQuoted
        }
        func text(_ bytes: Substring.UTF8View?, without dropped: String = " \t") -> String {
            String(
                decoding: (bytes ?? Substring().utf8).filter { !dropped.utf8.contains($0) },
                as: UTF8.self)
        }
        var charset: String?
        for part in parts where charset == nil {
            let sides = part.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard text(sides.first) == "charset" else { continue }
            charset = sides.count > 1 ? text(sides[1], without: " \t\"\\") : ""
        }
        name = text(parts.first)
        self.charset = charset
    }

    /// Whether it is JSON: `application/json`, or a type that ends in `+json` (RFC 6839, section 3.1).
    var isJSON: Bool { name.hasSuffix("/json") || name.hasSuffix("+json") }

    /// Whether a body of this type is text in which secrets can be found: JSON, a form, or plain text,
    /// but not XML.
    var isReadable: Bool {
        name.hasPrefix("text/") && !name.hasPrefix("text/xml")
            || name.contains("json") || name.contains("urlencoded")
    }

    /// Whether a body of this type is a picture, a sound or other binary data.
    var isBinary: Bool {
        ["image/", "audio/", "video/", "font/"].contains { name.hasPrefix($0) }
            && !name.hasSuffix("xml")
            || name.contains("octet-stream")
    }

    /// The encoding that the charset names; UTF-8 without one, nil for an unknown one.
    ///
    /// `String.Encoding(ianaName:)` would find more, but needs macOS 26.4 or Swift 6.3.
    var encoding: String.Encoding? {
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
