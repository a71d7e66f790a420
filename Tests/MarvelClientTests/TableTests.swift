// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import TestSupport
import Testing

@testable import MarvelClient

/// Alignment, and truncation of cells that don't fit.
@Suite(.serialized, .opensFiles, .timeLimit) struct TableTests {
    private static let rows = [
        ["7", "Thor", "A god of thunder with a hammer"], ["1009", "蜘蛛人 (Spider-Man)", ""],
    ]

    private func table(width: Int) -> Table {
        Table(
            [.number("ID"), .text("NAME"), .text("TEXT")],
            on: Console(width: width, write: { _ in }))
    }

    private func lines(width: Int) -> [String] {
        var table = table(width: width)
        return table.lines(of: Self.rows)
    }

    @Test func columnsAreAsWideAsTheirContents() {
        #expect(
            lines(width: 80) == [
                "  ID  NAME                 TEXT",
                "   7  Thor                 A god of thunder with a hammer",
                "1009  蜘蛛人 (Spider-Man)",
            ])
    }

    @Test func theWidestColumnIsTruncatedFirst() {
        #expect(
            lines(width: 40) == [
                "  ID  NAME              TEXT",
                "   7  Thor              A god of thunde…",
                "1009  蜘蛛人 (Spider-…",
            ])
    }

    @Test(arguments: [40, 80])
    func laterRowsKeepTheColumnWidths(width: Int) throws {
        var table = table(width: width)
        let first = table.lines(of: Self.rows)
        let name = try #require(first[1].range(of: "Thor")?.lowerBound)
        let text = try #require(first[1].range(of: "A god")?.lowerBound)
        let short = table.lines(of: [["1", "Hulk", "Green"]])
        #expect(short.count == 1)
        #expect(short[0].range(of: "Hulk")?.lowerBound == name)
        #expect(short[0].range(of: "Green")?.lowerBound == text)
        // A column of numbers grows rather than cut a number.
        let long = table.lines(of: [["123456", "A name of quite some length", ""]])
        #expect(long[0].hasPrefix("123456  A name of qui"))
        #expect(long[0].columns <= width)
    }

    @Test func aTableWithoutRowsHasNoTitles() {
        var table = table(width: 80)
        #expect(table.lines(of: []) == [])
        #expect(table.lines(of: [["1", "Hulk", ""]]).count == 2)
        #expect(table.lines(of: []) == [])
    }
}
