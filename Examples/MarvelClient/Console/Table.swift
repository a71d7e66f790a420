// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A table with aligned columns, which is printed part by part. Cells that don't fit are truncated.
struct Table {
    struct Column {
        let title: String
        let isNumber: Bool

        /// Numbers are aligned on the right.
        static func number(_ title: String) -> Column { Column(title: title, isNumber: true) }

        /// Texts are cut before numbers if the table is too wide.
        static func text(_ title: String) -> Column { Column(title: title, isNumber: false) }
    }

    private let columns: [Column]
    private let console: Console
    /// The column widths of the part that is already printed. Empty before the first part.
    private var widths: [Int] = []

    /// - Parameter console: Has the width of the terminal. No line is wider, unless there isn't
    ///   space for one character in each column.
    init(_ columns: [Column], on console: Console) {
        (self.columns, self.console) = (columns, console)
    }

    private static let gap = "  "

    /// The lines of the next rows. The titles are above the first ones, in bold.
    mutating func lines(of rows: [[String]]) -> [String] {
        guard !rows.isEmpty else { return [] }
        let isFirst = widths.isEmpty
        widths = widths(for: rows)
        return (isFirst ? [console.bold(line(of: columns.map(\.title)))] : []) + rows.map(line)
    }

    private func line(of cells: [String]) -> String {
        let padded = columns.indices.map { index in
            let text = cells[index].cut(to: widths[index])
            let blank = String(repeating: " ", count: max(0, widths[index] - text.columns))
            return columns[index].isNumber ? blank + text : text + blank
        }
        return padded.joined(separator: Self.gap).withoutBlanksAtEnd
    }

    /// Column widths that fit the contents. If that is too wide, the widest column shrinks.
    ///
    /// Later parts keep the widths, except that columns of numbers grow to fit their numbers.
    private func widths(for rows: [[String]]) -> [Int] {
        let table = [columns.map(\.title)] + rows
        var widths = columns.indices.map { index in table.map { $0[index].columns }.max() ?? 0 }
        for (index, width) in zip(columns.indices, self.widths) {
            widths[index] = columns[index].isNumber ? max(width, widths[index]) : width
        }
        var excess = widths.reduce(Self.gap.count * (widths.count - 1), +) - console.width
        while excess > 0 {
            let flexible = widths.indices.filter { !columns[$0].isNumber && widths[$0] > 8 }
            let others = widths.indices.filter { widths[$0] > 1 }
            let candidates = flexible.isEmpty ? others : flexible
            guard let widest = candidates.max(by: { widths[$0] < widths[$1] }) else { break }
            widths[widest] -= 1
            excess -= 1
        }
        return widths
    }
}
