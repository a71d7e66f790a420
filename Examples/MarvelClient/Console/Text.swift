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
        String(self[..<(lastIndex { $0 != " " }.map(index(after:)) ?? startIndex)])
    }

    /// Wraps the text between words. A word that is longer than a line is split.
    func wrapped(to width: Int) -> [String] {
        var lines = [""]
        for word in split(separator: " ").map(String.init) {
            let line = lines[lines.count - 1]
            if line.isEmpty || line.columns + 1 + word.columns <= width {
                lines[lines.count - 1] += line.isEmpty ? word : " " + word
            } else {
                lines.append(word)
            }
            while let last = lines.last, last.columns > width {
                // Take at least one character. Otherwise a wide character in a terminal of one
                // column would never end this loop.
                let head = last.prefix(max(1, last.fitting(width).count))
                guard head.count < last.count else { break }
                lines[lines.count - 1] = String(head)
                lines.append(String(last.dropFirst(head.count)))
            }
        }
        return lines
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
