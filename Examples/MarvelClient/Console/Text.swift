// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

extension Character {
    /// The width in terminal columns: 0, 1 or 2.
    var columns: Int {
        guard let first = unicodeScalars.first else { return 0 }
        switch first.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format, .control: return 0
        default: break
        }
        let isEmoji = first.properties.isEmojiPresentation || unicodeScalars.contains("\u{FE0F}")
        return isEmoji || Self.wide.contains { $0.contains(first.value) } ? 2 : 1
    }

    /// The wide and full-width blocks of Unicode's East Asian Width (UAX #11), without emoji.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115F, 0x2E80...0x303E, 0x3041...0x4DBF, 0x4E00...0xA4CF, 0xA960...0xA97F,
        0xAC00...0xD7A3, 0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF01...0xFF60, 0xFFE0...0xFFE6,
        0x17000...0x18DFF, 0x1B000...0x1B2FF, 0x20000...0x3FFFD,
    ]
}

extension String {
    /// The width in terminal columns.
    var columns: Int { reduce(0) { $0 + $1.columns } }

    /// The text, truncated to `width` columns with "…" at the end if it is too long.
    func cut(to width: Int) -> String {
        guard columns > width else { return self }
        return fitting(width - 1).withoutBlanksAtEnd + "…"
    }

    var withoutBlanksAtEnd: String {
        // Bytes, because comparing a character takes quadratic time if it has many combining marks.
        let last = utf8.lastIndex { $0 != UInt8(ascii: " ") }
        return String(self[..<(last.map(utf8.index(after:)) ?? startIndex)])
    }

    /// Wraps the text between words. A word that is longer than a line is split.
    func wrapped(to width: Int) -> [String] {
        var lines: [String] = []
        var (line, used) = ("", 0)
        for word in unicodeScalars.split(separator: " ").map(Substring.init) {
            let columns = word.reduce(0) { $0 + $1.columns }
            if !line.isEmpty, used + 1 + columns <= width {
                line += " \(word)"
                used += 1 + columns
                continue
            }
            if !line.isEmpty {
                lines.append(line)
                (line, used) = ("", 0)
            }
            for character in word {
                // A line has at least one character, even if the terminal is narrower.
                if !line.isEmpty, used + character.columns > width {
                    lines.append(line)
                    (line, used) = ("", 0)
                }
                line.append(character)
                used += character.columns
            }
        }
        return lines + [line]
    }

    private func fitting(_ width: Int) -> String {
        var used = 0
        return String(
            prefix { character in
                used += character.columns
                return used <= width
            })
    }

    /// The text in one line, without HTML and without terminal control characters.
    var plain: String {
        let block = "(?i)</?(p|br|div|ul|ol|li|h[1-6])\\b[^<>]*>"
        let text = replacingOccurrences(of: block, with: " ", options: .regularExpression)
            .replacingOccurrences(of: "</?[A-Za-z][^<>]*>", with: "", options: .regularExpression)
        return Self.entities
            .reduce(text) { $0.replacingOccurrences(of: $1.name, with: $1.text) }
            .printable.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }

    /// The HTML entities. "&amp;" comes last, so that "&amp;lt;" becomes "&lt;" and not "<".
    private static let entities: [(name: String, text: String)] = [
        ("&nbsp;", " "), ("&lt;", "<"), ("&gt;", ">"), ("&quot;", "\""),
        ("&#39;", "'"), ("&rsquo;", "’"), ("&amp;", "&"),
    ]

    /// JSON with `\u` escapes in place of control characters and invisible characters. It must be
    /// valid JSON, so that they can only be in strings. Newlines between values are kept.
    var printableJSON: String {
        unicodeScalars.reduce(into: "") { text, scalar in
            switch scalar.properties.generalCategory {
            case _ where scalar == "\n": text.unicodeScalars.append(scalar)
            case .control, .format, .lineSeparator, .paragraphSeparator:
                for unit in String(scalar).utf16 {
                    text += "\\u" + String(0x1_0000 + Int(unit), radix: 16).dropFirst()
                }
            default: text.unicodeScalars.append(scalar)
            }
        }
    }

    /// The text with spaces instead of control characters, and without invisible characters.
    /// Joiners between emoji are kept.
    var printable: String {
        String(
            String.UnicodeScalarView(
                unicodeScalars.compactMap { scalar in
                    switch scalar.properties.generalCategory {
                    case .control, .lineSeparator, .paragraphSeparator: " "
                    case .format: scalar == "\u{200D}" ? scalar : nil
                    default: scalar
                    }
                }))
    }
}

extension Int {
    /// The number and a noun: "1 comic", "2 comics".
    func counting(_ one: String, _ many: String) -> String { "\(self) \(self == 1 ? one : many)" }
}
