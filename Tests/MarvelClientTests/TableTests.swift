// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import TestSupport
import Testing

@testable import MarvelClient

/// Alignment, and truncation of cells that don't fit.
@Suite struct TableTests {
    private let table = Table(
        columns: [
            .init(title: "ID", isNumber: true), .init(title: "NAME", isFlexible: true),
            .init(title: "TEXT", isFlexible: true),
        ],
        rows: [
            ["7", "Thor", "A god of thunder with a hammer"],
            ["1009", "蜘蛛人 (Spider-Man)", ""],
        ])

    @Test func columnsAreAsWideAsTheirContents() {
        #expect(
            table.lines(width: 80) == [
                "  ID  NAME                 TEXT",
                "   7  Thor                 A god of thunder with a hammer",
                "1009  蜘蛛人 (Spider-Man)",
            ])
    }

    @Test func theWidestColumnIsTruncatedFirst() {
        #expect(
            table.lines(width: 40) == [
                "  ID  NAME              TEXT",
                "   7  Thor              A god of thunde…",
                "1009  蜘蛛人 (Spider-…",
            ])
    }

    @Test(arguments: [-1, 0, 1, 8, 12, 20, 26, 40, 80, 1_000])
    func tableLinesFitTheWidth(width: Int) {
        let lines = table.lines(width: width)
        #expect(lines.count == 3)
        #expect(lines.allSatisfy { $0.columns <= max(width, 7) })
    }

    @Test(arguments: [40, 80])
    func laterPagesKeepTheColumnWidths(width: Int) {
        let first = table.widths(within: width)
        let short = Table(columns: table.columns, rows: [["1", "Hulk", "Green"]])
        #expect(short.widths(within: width, after: first) == first)
        let long = Table(columns: table.columns, rows: [["123456", "A name of some length", ""]])
        let widths = long.widths(within: width, after: first)
        #expect(widths[0] == 6)
        #expect(widths[1] <= first[1])
        #expect(long.lines(widths: widths).allSatisfy { $0.columns <= width })
    }

    @Test func aTableWithoutRowsHasTitles() {
        let empty = Table(columns: table.columns, rows: [])
        #expect(empty.lines(width: 80) == ["ID  NAME  TEXT"])
    }
}
