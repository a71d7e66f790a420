// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport
import Testing

@testable import MarvelClient

/// Preparing any server's texts for a terminal.
@Suite(.serialized, .opensFiles, .timeLimit) struct TextTests {
    @Test(arguments: [
        ("", 0), ("abc", 3), ("é", 1), ("e\u{301}", 1), ("日本", 4), ("한", 2), ("ｗ", 2),
        ("🕷️", 2), ("👩‍👩‍👧", 2), ("❤️", 2), ("…", 1), ("\u{200B}", 0), ("\u{301}", 0),
    ])
    func textWidthIsCountedInColumns(text: String, columns: Int) {
        #expect(text.columns == columns)
    }

    @Test(arguments: [
        ("Spider-Man", 10, "Spider-Man"), ("Spider-Man", 9, "Spider-M…"), ("a b", 2, "a…"),
        ("ab cd", 4, "ab…"), ("日本語", 5, "日本…"), ("日本語", 4, "日…"), ("日本語", 6, "日本語"),
        ("", 1, ""), ("abc", 1, "…"), ("日本", 1, "…"),
    ])
    func longTextsAreTruncated(text: String, width: Int, cut: String) {
        #expect(text.cut(to: width) == cut)
    }

    @Test(arguments: [
        ("", 5, [""]), ("one two", 7, ["one two"]), ("one two", 6, ["one", "two"]),
        ("one  two ", 80, ["one two"]), ("abcdefgh ij", 3, ["abc", "def", "gh", "ij"]),
        ("日本語", 4, ["日本", "語"]), ("日本", 1, ["日", "本"]), ("a bc d", 1, ["a", "b", "c", "d"]),
        ("ab cdef", 4, ["ab", "cdef"]), ("abcde f", 4, ["abcd", "e f"]),
    ])
    func longTextsAreWrapped(text: String, width: Int, lines: [String]) {
        #expect(text.wrapped(to: width) == lines)
    }

    @Test(.slow, arguments: [1, 80, 2_000_000])
    func longTextsAreWrappedInLinearTime(width: Int) {
        let (word, words) = (
            String(repeating: "é", count: sanitized(300_000)),
            String(repeating: "a ", count: sanitized(150_000))
        )
        #expect(word.wrapped(to: width).joined() == word)
        let lines = words.wrapped(to: width)
        #expect(lines.joined(separator: " ") == words.dropLast())
        #expect(lines.allSatisfy { $0.count <= width })
    }

    @Test(arguments: [
        ("{\n  \"a\": \"b\"\n}", "{\n  \"a\": \"b\"\n}"), ("\"\u{9B}31m\"", #""\u009b31m""#),
        ("\"\u{202E}é🕷️\u{7F}\"", "\"\\u202eé🕷️\\u007f\""),
        ("\"\u{E0041}\u{2028}\"", #""\udb40\udc41\u2028""#),
    ])
    func jsonHasEscapesForInvisibleCharacters(json: String, text: String) throws {
        #expect(json.printableJSON == text)
        let values = try [json, text].map {
            try JSONSerialization.jsonObject(with: Data($0.utf8), options: .fragmentsAllowed)
                as? NSObject
        }
        #expect(values[0] == values[1])
    }

    @Test(arguments: [
        ("<p class=\"Body\">He <b>is</b>.</p>", "He is."), ("a<br/>b<BR>c", "a b c"),
        ("<p>a</p><p>b</p>", "a b"), ("1 < 2 and 3 > 2", "1 < 2 and 3 > 2"), ("a <3 b", "a <3 b"),
        ("<a href", "<a href"), ("AT&amp;T&nbsp;&lt;b&gt;", "AT&T <b>"), ("&amp;lt;", "&lt;"),
        (" a \r\n\t b ", "a b"), ("a\u{1B}[31mb", "a [31mb"), ("a\u{9B}31mb", "a 31mb"),
        ("\u{202E}ab\u{FEFF}", "ab"), ("a\u{2028}b\u{7F}c", "a b c"), ("👩‍👩‍👧", "👩‍👩‍👧"),
    ])
    func htmlAndControlCharactersAreRemoved(text: String, plain: String) {
        #expect(text.plain == plain)
    }
}
