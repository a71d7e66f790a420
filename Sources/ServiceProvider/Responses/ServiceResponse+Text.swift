// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceResponse {
    /// The body as text, by the charset of its `Content-Type` (RFC 9110, section 8.3.2), or else UTF-8.
    ///
    /// No part of it is a byte order mark. Nil when the bytes are not valid in the charset, or the charset
    /// is none of these: UTF-8, US-ASCII, UTF-16 (BE, LE), ISO-8859-1 and -2, windows-1250 to -1254,
    /// Shift_JIS.
    public var text: String? {
        // Foundation on Linux would drop half a character at the end.
        let isWhole = !charset.hasPrefix("utf-16") || data.count.isMultiple(of: 2)
        guard isWhole, let encoding = Self.encodings[charset],
            let text = String(data: data, encoding: encoding)
        else { return nil }
        return text.hasPrefix("\u{FEFF}") ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// In lower case.
    private var charset: String {
        var (isQuoted, isEscaped) = (false, false)
        let parameters = (header("Content-Type") ?? "").lowercased().utf8.split { byte in
            if byte == UInt8(ascii: "\""), !isEscaped { isQuoted.toggle() }
            isEscaped = isQuoted && !isEscaped && byte == UInt8(ascii: "\\")
            return byte == UInt8(ascii: ";") && !isQuoted
        }
        for parameter in parameters {
            let sides = Substring(parameter).split(separator: "=", maxSplits: 1)
                .map { $0.filter { !" \t\"\\".contains($0) } }
            if sides.first == "charset", let name = sides.last { return name }
        }
        return "utf-8"
    }

    // By name `String.Encoding(ianaName:)` would find them, from macOS 26.4 and Swift 6.3 on.
    private static let encodings: [String: String.Encoding] = [
        "utf-8": .utf8, "utf8": .utf8, "us-ascii": .ascii, "ascii": .ascii,
        "utf-16": .utf16, "utf-16be": .utf16BigEndian, "utf-16le": .utf16LittleEndian,
        "iso-8859-1": .isoLatin1, "latin1": .isoLatin1, "iso-8859-2": .isoLatin2,
        "windows-1250": .windowsCP1250, "windows-1251": .windowsCP1251,
        "windows-1252": .windowsCP1252, "windows-1253": .windowsCP1253,
        "windows-1254": .windowsCP1254, "shift_jis": .shiftJIS,
    ]
}
