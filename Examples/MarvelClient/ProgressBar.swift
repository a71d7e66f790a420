// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// One line of a terminal that is drawn again and again: how much is done.
struct ProgressBar: Sendable {
    /// The columns of the terminal.
    let width: Int
    /// Writes to it.
    let write: @Sendable (String) -> Void

    /// Draws it over itself. The numbers may be anything: servers say them.
    func draw(_ done: Int, of total: Int) {
        let text = "\(done) of \(total) …"
        let cells = max(0, min(30, width - text.columns - 4))
        let share = total > 0 ? min(max(Double(done) / Double(total), 0), 1) : 1
        let full = Int(share * Double(cells))
        let bar = String(repeating: "#", count: full) + String(repeating: "-", count: cells - full)
        write("\r" + (cells > 0 ? "[\(bar)] \(text)" : text).cut(to: width - 1))
    }

    /// Leaves the line blank, and the cursor at its start.
    func erase() {
        write("\r" + String(repeating: " ", count: max(0, width - 1)) + "\r")
    }
}
