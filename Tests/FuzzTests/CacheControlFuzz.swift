// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport
import Testing

@testable import ServiceProviderCaching

@testable import ServiceProviderExtras

/// Parses `Cache-Control`. The result must match a reader that follows the grammar of RFC 9110,
/// section 5.6, character by character.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct CacheControlFuzz {
    private static let pieces = [
        "max-age", "no-store", "no-cache", "s-maxage", "MAX-AGE", "private", "=", "=", "\"", "\\",
        ",", ", ", " ", "\t", "0", "60", "-1", "99999999999999999999", "1.5", "\"60\"", "é",
    ]

    @Test func randomDirectivesAreRead() async throws {
        try await Fuzz.run("CacheControlFuzz", count: 4_000) { _, random in
            let text = String(decoding: random.hostile(Self.pieces), as: UTF8.self)
            let read = ServiceCacheControl(text)
            let (directives, isClosed) = Self.directives(Array(text.unicodeScalars))
            let input = text.debugDescription
            try require(isClosed || read.contains("no-store"), "an open quote is ignored", input)
            // By bytes: a semicolon and a Greek question mark are equal strings.
            var values: [[UInt8]: Set<[UInt8]>] = [:]
            for (name, value) in directives { values[name, default: []].insert(value) }
            for (name, all) in values where isClosed || name != Array("no-store".utf8) {
                let name = String(decoding: name, as: UTF8.self)
                let value = all.count == 1 ? all.first ?? [] : Array("?".utf8)
                let isSame = read[name].map { Array($0.utf8) } == value
                try require(isSame, "\(name) is \(read[name] ?? "missing")", input)
                let isNumber = !value.isEmpty && value.allSatisfy { (48...57).contains($0) }
                let digits = Double(String(decoding: value, as: UTF8.self)) ?? 0
                let number = isNumber ? min(digits, 2_147_483_648) : -1
                try require(
                    read.seconds(name, invalid: -1) == number,
                    "\(name) has \(String(describing: read.seconds(name, invalid: -1))) s", input)
            }
        }
    }

    /// Splits a field into names, in lower case, and their values, which keep their quotes.
    private static func directives(
        _ text: [Unicode.Scalar]
    ) -> (directives: [([UInt8], [UInt8])], isClosed: Bool) {
        var (elements, element) = ([[Unicode.Scalar]](), [Unicode.Scalar]())
        var (isQuoted, isEscaped) = (false, false)
        for scalar in text {
            if scalar == ",", !isQuoted {
                elements.append(element)
                element = []
                continue
            }
            element.append(scalar)
            if isEscaped {
                isEscaped = false
            } else if scalar == "\\", isQuoted {
                isEscaped = true
            } else if scalar == "\"" {
                isQuoted.toggle()
            }
        }
        let isBlank = { (scalar: Unicode.Scalar) in scalar == " " || scalar == "\t" }
        let directives = (elements + [element]).map { element in
            var element = element[...]
            while element.last.map(isBlank) == true { element.removeLast() }
            let start = element.drop { $0.value <= 0x20 }
            let name = start.prefix { $0.value > 0x20 && $0 != "=" }
            let rest = start.dropFirst(name.count)
            let value = rest.first == "=" ? rest.dropFirst() : rest
            return (Array(Self.text(name).lowercased().utf8), Array(Self.text(value).utf8))
        }
        return (directives, !isQuoted)
    }

    private static func text(_ scalars: ArraySlice<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }
}
