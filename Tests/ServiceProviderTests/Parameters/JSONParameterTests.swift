// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

@Suite struct JSONParameterTests {
    /// Escapes a string as in RFC 8259, section 7, without the short forms.
    private static func escaped(_ text: String) -> String {
        text.unicodeScalars.map { scalar in
            if scalar == "\"" || scalar == "\\" { return "\\\(scalar)" }
            guard scalar.value < 32 else { return "\(scalar)" }
            let digits = String(scalar.value, radix: 16, uppercase: true)
            return "\\u00" + (scalar.value < 16 ? "0" : "") + digits
        }.joined()
    }

    /// Parses a body, and returns its only key and value.
    private static func onlyValue(_ body: String) throws -> (key: String, value: Any) {
        let parsed = try JSONSerialization.jsonObject(with: Data(body.utf8))
        let object = try #require(parsed as? [String: Any])
        return try #require(object.first)
    }

    static let hostile = [
        "", " ", "plain", "\"", "\\", "\\\"", "\\\\\"", "\"}],{[", "\\u0000", "\\n", "a\nb\r\nc\td",
        "\u{0}", "\u{0}\u{0}", "\u{7F}", "\u{80}\u{9F}", "\u{AD}", "a\u{FEFF}", "\u{FFFD}\u{FFFF}",
        "\u{2028}\u{2029}", "\u{202E}", "\u{D7FF}\u{E000}", "\u{10FFFF}", "\u{1F603}\"",
        "\u{1F468}\u{200D}\u{1F469}\u{200D}\u{1F467}\n", "e\u{301}\"", "\u{E9}", "\u{301}",
        "\"\u{301}", "\\\u{301}", "{\u{301}", "{", "}", "[", "]", ",", ":", "null", "1",
        "</script>", "'; DROP TABLE", "\r\n\r\nGET", "\u{1B}[31m", "日本語\u{1}",
    ]

    @Test(arguments: hostile) func hostileStringsAreEscaped(_ text: String) throws {
        let body = try ParameterText.json([text: text])
        let escaped = Self.escaped(text)
        // Compared as bytes, because Swift treats canonically equivalent strings as equal.
        #expect(Array(body.utf8) == Array(#"{"\#(escaped)":"\#(escaped)"}"#.utf8))
        let parsed = try #require(Self.onlyValue(body).value as? String)
        #expect(Array(parsed.unicodeScalars) == Array(text.unicodeScalars))
    }

    @Test func everyScalarBelow256RoundTrips() throws {
        for value in UInt32(0)..<256 {
            let text = "a\(Unicode.Scalar(value).map(String.init) ?? "")z"
            let body = try ParameterText.json([text: text])
            let pair = try Self.onlyValue(body)
            #expect(pair.key == text)
            #expect(pair.value as? String == text)
            let escaped = Self.escaped(text)
            #expect(body == #"{"\#(escaped)":"\#(escaped)"}"#)
        }
    }
}
