// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Decodes bodies as text by the charset of their media type.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct TextFuzz {
    @Test func randomTextsAreDecoded() async throws {
        try await Fuzz.run("TextFuzz", count: 4_000) { _, random in
            let (text, bytes) = (random.text(), random.bytes(20))
            let charset = random.pick([
                "utf-8", "UTF-8", "\"utf-8\"", "iso-8859-1", "us-ascii", "utf-16be",
            ])
            let other = random.oneIn(2) ? "; a=\"x;charset=none\\\"\"" : ";a=b"
            let type =
                "text/plain" + other + random.pick([";", " ; ", "; "]) + "Charset=" + charset
            let isHostile = random.oneIn(3)
            let data = random.oneIn(2) ? bytes : Self.data(text, charset)
            let response = FuzzStub(
                headers: ["Content-Type": isHostile ? random.text() : type], data: data)
            let read = try response.response().textInCharset
            let input = "\(type.debugDescription) of \(Array(data))"
            if isHostile { return }
            let meant = Self.text(data, charset)
            let isSame =
                read.map { Array($0.unicodeScalars) } == meant.map { Array($0.unicodeScalars) }
            try require(
                isSame, "\(read.debugDescription), expected \(meant.debugDescription)", input)
        }
    }

    private static func data(_ text: String, _ charset: String) -> Data {
        switch charset {
        case "utf-16be": Data(text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] })
        case "iso-8859-1": Data(text.unicodeScalars.compactMap { UInt8(exactly: $0.value) })
        case "us-ascii": Data(text.utf8.filter { $0 < 0x80 })
        default: Data(text.utf8)
        }
    }

    /// Decodes a text without its byte order mark. Returns nil if the bytes are invalid in the
    /// charset.
    private static func text(_ data: Data, _ charset: String) -> String? {
        let text: String?
        switch charset {
        case "utf-16be":
            let units = stride(from: 0, to: data.count - 1, by: 2).map {
                UInt16(data[$0]) << 8 | UInt16(data[$0 + 1])
            }
            let read = String(decoding: units, as: UTF16.self)
            text = data.count % 2 == 0 && read.utf16.elementsEqual(units) ? read : nil
        case "iso-8859-1": text = String(String.UnicodeScalarView(data.map { Unicode.Scalar($0) }))
        case "us-ascii":
            text = data.allSatisfy { $0 < 0x80 } ? String(decoding: data, as: UTF8.self) : nil
        default: text = FuzzPair.text(data)
        }
        guard let text, text.unicodeScalars.first == "\u{FEFF}" else { return text }
        return String(text.unicodeScalars.dropFirst())
    }
}
