// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A progress bar: one line of a terminal that is drawn over itself.
struct ProgressBar: Sendable {
    /// The terminal's width in columns.
    let width: Int
    /// Writes to the terminal.
    let write: @Sendable (String) -> Void

    /// Draws the bar over the previous one. The numbers come from a server and may be anything.
    func draw(_ done: Int, of total: Int) {
        let text = "\(done) of \(total) …"
        let cells = max(0, min(30, width - text.columns - 4))
        let share = total > 0 ? min(max(Double(done) / Double(total), 0), 1) : 1
        let full = Int(share * Double(cells))
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: cells - full)
        write("\r" + (cells > 0 ? "[\(bar)] \(text)" : text).cut(to: width - 1))
    }

    /// Clears the line and moves the cursor to its start.
    func erase() {
        write("\r" + String(repeating: " ", count: max(0, width - 1)) + "\r")
    }
}
