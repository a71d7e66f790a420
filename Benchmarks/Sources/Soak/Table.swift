// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Formats a line of a table: a name, a number, and more cells.
enum Table {
    static func line(_ cells: [String]) -> String {
        let name = cells[0] + String(repeating: " ", count: max(0, 14 - cells[0].count))
        let number = String(repeating: " ", count: max(0, 10 - cells[1].count)) + cells[1]
        return ([name + number] + cells.dropFirst(2)).joined(separator: "  ")
    }
}
