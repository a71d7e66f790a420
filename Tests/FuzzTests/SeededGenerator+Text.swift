// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport

extension SeededGenerator {
    /// Returns a number from 0 up to, but not including, the limit.
    mutating func number(_ limit: Int) -> Int {
        let bytes = limit <= 1 << 8 ? 1 : limit <= 1 << 16 ? 2 : 8
        return Int(next(bytes: bytes) % UInt64(limit))
    }

    /// Returns true once in `count` times on average.
    mutating func oneIn(_ count: Int) -> Bool { number(count) == 0 }

    mutating func pick<Value>(_ values: [Value]) -> Value { values[number(values.count)] }

    /// Returns a random text. Characters with a meaning in URLs, HTTP, JSON, shells or writing
    /// systems are more frequent.
    mutating func text() -> String {
        var scalars = String.UnicodeScalarView()
        let style = number(4)
        for _ in 0..<number(oneIn(8) ? 40 : 8) {
            if style == 0 {
                scalars.append(Unicode.Scalar(UInt8(0x20 + number(0x5F))))
            } else if style == 1 || style == 3 && oneIn(2) {
                scalars.append(scalar())
            } else {
                scalars.append(contentsOf: pick(Self.pieces).unicodeScalars)
            }
        }
        let text = String(scalars)
        return oneIn(500) ? String(repeating: text, count: 1 + number(500)) : text
    }

    /// Returns a random scalar of any plane.
    private mutating func scalar() -> Unicode.Scalar {
        let limits = [0x20, 0x80, 0x100, 0x800, 0x3000, 0x1_0000, 0x11_0000]
        while true {
            if let scalar = Unicode.Scalar(UInt32(number(pick(limits)))) { return scalar }
        }
    }

    mutating func bytes(_ limit: Int) -> Data {
        Data((0..<number(limit)).map { _ in UInt8(truncatingIfNeeded: next(bytes: 1)) })
    }

    /// Returns a text for a parser: all bytes that a fuzzer has left, or else some of these pieces and
    /// a few random bytes.
    mutating func hostile(_ pieces: [String], upTo count: Int = 24) -> Data {
        if isGuided { return Data(takeRest()) }
        return (0..<number(count)).reduce(into: Data()) { text, _ in
            text += oneIn(20) ? bytes(4) : Data(pick(pieces).utf8)
        }
    }

    /// Returns a token: a valid method or header name.
    mutating func token() -> String {
        let letters = Array(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789!#$%&'*+-.^_`|~")
        return String((0...number(10)).map { _ in pick(letters) })
    }

    private static let pieces =
        "%,/,?,#,@,:,[,],[],\\,.,..,./,../,//,://,%2e,%2E%2e,%2F,%00,%0D%0A,%zz,%,&,=,;,+,*,***,',\",`,$(x),{,},<,>,|,^,~,!"
        .split(separator: ",").map(String.init) + [
            ",", " ", "  ", "\t", "\r", "\n", "\r\n", "\r\n\r\n", "\0", "\u{7F}", "\u{85}",
            "\u{A0}",
            "\u{301}", "\u{327}\u{301}", "\u{200D}", "\u{FE0F}", "\u{20E3}", "\u{202E}", "\u{2066}",
            "\u{FEFF}", "\u{2028}", "\u{D7FF}", "\u{E000}", "\u{FFFD}", "\u{FFFE}", "\u{FFFF}",
            "\u{1F1E9}", "\u{1F469}\u{200D}\u{1F467}", "\u{E0001}", "\u{10FFFF}",
            "\u{1100}\u{1161}",
            "\u{600}", "\u{2126}", "\u{212A}", "\u{130}", "\u{DF}", "\u{3A3}", "\u{FB01}", "é",
            "e\u{301}",
            "a", "A", "1", "0", "-1", "a=b", "a=b&c=d", "token", "token=", "\"token\":", "http://",
            "https://example.com/", "user:pass@", "\\u0000", "\\\"", "null", "true", "{}", "key[a]",
            "99999999999999999999", "1e999", "NaN", "0x10",
        ]
}
