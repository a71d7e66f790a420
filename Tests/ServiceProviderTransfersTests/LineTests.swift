// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct LineTests {
    @Test(
        .row("E2"),
        arguments: [
            ("", []), ("a", ["a"]), ("a\n", ["a"]), ("\n", [""]), ("a\n\n", ["a", ""]),
            ("a\rb\nc\r\nd", ["a", "b", "c", "d"]), ("\r\r\n\n", ["", "", ""]), ("\n\r", ["", ""]),
            ("a\r", ["a"]), ("a\r\n", ["a"]), ("é\u{301}\n😀", ["é\u{301}", "😀"]),
            ("a\u{2028}b\u{85}c", ["a\u{2028}b\u{85}c"]), ("\u{FEFF}a\n", ["\u{FEFF}a"]),
            ("a\u{0}b\n", ["a\u{0}b"]),
        ])
    func chunkBoundariesDoNotMatter(text: String, lines: [String]) async {
        for chunks in Chunks.splits(of: Data(text.utf8)) {
            let (found, error) = await chunks.lines().collected()
            #expect(found == lines && error == nil, "\(chunks.chunks.map(\.count))")
        }
    }

    @Test func invalidUTF8IsRepaired() async {
        for chunks in Chunks.splits(of: Data([0x61, 0xFF, 0xC3, 0x0A, 0xE2, 0x82, 0xAC, 0xF0])) {
            #expect(
                await chunks.lines().collected().elements == ["a\u{FFFD}\u{FFFD}", "€\u{FFFD}"])
        }
    }

    @Test(.row("E4"), arguments: ["12345", "12345\n", "1\n12345", "12345678901234567890\n"])
    func aLineThatIsTooLongIsAnError(text: String) async throws {
        for chunks in Chunks.splits(of: Data(text.utf8)) {
            let (lines, error) = await chunks.lines(maximumLength: 4).collected()
            #expect(lines.allSatisfy { $0 == "1" })
            #expect((error as? ServiceError)?.urlErrorCode == .dataLengthExceedsMaximum)
            var again = chunks.lines(maximumLength: 4)
            while (try? await again.next()) != nil {}
            #expect(try await again.next() == nil)
        }
    }

    @Test func theLimitItselfIsAllowed() async {
        let text = Data("1234\r\n1234\n\n1234".utf8)
        for chunks in Chunks.splits(of: text) {
            let (lines, error) = await chunks.lines(maximumLength: 4).collected()
            #expect(lines == ["1234", "1234", "", "1234"] && error == nil)
        }
    }

    /// The incomplete line before the error isn't returned either.
    @Test func afterAnErrorEveryLineIsNil() async throws {
        var lines = Chunks(chunks: [Data("a\nb".utf8)], error: TookTooLong()).lines()
        #expect(try await lines.next() == "a")
        await #expect(throws: TookTooLong.self) { _ = try await lines.next() }
        for _ in 0..<3 { #expect(try await lines.next() == nil) }
    }
}
