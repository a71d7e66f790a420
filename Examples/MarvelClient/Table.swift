// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Rows of cells, aligned, and cut where they would not fit.
struct Table {
    struct Column {
        let title: String
        var isNumber = false
        /// Gives way before the others when the table is too wide.
        var isFlexible = false
    }

    let columns: [Column]
    let rows: [[String]]

    private static let gap = "  "

    /// The title line and the rows, none of them wider than `width` (but for a handful of columns
    /// that every table needs).
    func lines(width: Int) -> [String] { lines(widths: widths(within: width)) }

    /// The title line and the rows, the columns of these widths.
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

    /// As wide as the contents; where that is too much, the widest column gives way.
    ///
    /// - Parameter earlier: The widths of the part of the table that is shown already, if any: they
    ///   stay, but numbers are not cut for that.
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
