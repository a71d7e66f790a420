// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A table with aligned columns. Cells that don't fit are truncated.
struct Table {
    struct Column {
        let title: String
        var isNumber = false
        /// Whether the column shrinks before the others if the table is too wide.
        var isFlexible = false
    }

    let columns: [Column]
    let rows: [[String]]

    private static let gap = "  "

    /// The title line and the rows. No line is wider than `width`, unless there isn't space for one
    /// character in each column.
    func lines(width: Int) -> [String] { lines(widths: widths(within: width)) }

    /// The title line and the rows, with these column widths.
    func lines(widths: [Int]) -> [String] {
        ([columns.map(\.title)] + rows).map { cells in
            let padded = columns.indices.map { index in
                let text = cells[index].cut(to: widths[index])
                let blank = String(repeating: " ", count: max(0, widths[index] - text.columns))
                return columns[index].isNumber ? blank + text : text + blank
            }
            return padded.joined(separator: Self.gap).withoutBlanksAtEnd
        }
    }

    /// Column widths that fit the contents. If that is too wide, the widest column shrinks.
    ///
    /// - Parameter earlier: The widths of the part of the table that is already printed, if any.
    ///   They are kept, except that a column of numbers grows rather than cut a number.
    func widths(within width: Int, after earlier: [Int] = []) -> [Int] {
        let table = [columns.map(\.title)] + rows
        var widths = columns.indices.map { index in table.map { $0[index].columns }.max() ?? 0 }
        for (index, width) in zip(columns.indices, earlier) {
            widths[index] = columns[index].isNumber ? max(width, widths[index]) : width
        }
        var excess = widths.reduce(Self.gap.count * (widths.count - 1), +) - width
        while excess > 0 {
            let flexible = widths.indices.filter { columns[$0].isFlexible && widths[$0] > 8 }
            let others = widths.indices.filter { widths[$0] > 1 }
            let candidates = flexible.isEmpty ? others : flexible
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
