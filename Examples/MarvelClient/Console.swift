// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// The columns of the table: the title of each one, and its cell for a character.
let columns: [(title: String, cell: @Sendable (MarvelCharacter) -> String)] = [
    ("ID", { "\($0.id)" }),
    ("NAME", { $0.name }),
    ("CHANGED", { $0.modified.date?.formatted(.iso8601.year().month().day()) ?? "never" }),
]

/// A table with one line for each character.
func table(of characters: [MarvelCharacter]) -> String {
    var lines = Array(repeating: "", count: characters.count + 1)
    for column in columns {
        let cells = [column.title] + characters.map { column.cell($0).printable }
        let width = cells.map(\.count).max() ?? 0
        for (line, cell) in cells.enumerated() {
            lines[line] += cell + String(repeating: " ", count: width - cell.count + 2)
        }
    }
    return lines.map { $0.trimmingCharacters(in: .whitespaces) }.joined(separator: "\n")
}

/// Draws a progress bar over the last one, if standard error is a terminal.
///
/// - Parameter fraction: From 0 to 1.
func drawProgress(_ fraction: Double) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    let done = String(repeating: "#", count: Int(fraction * 40))
    let bar = done.padding(toLength: 40, withPad: "-", startingAt: 0)
    printError("\r[\(bar)] \(Int(fraction * 100)) %" + (fraction < 1 ? "" : "\n"))
}

/// An error of this program, in words for its user.
struct Failure: Error, CustomStringConvertible {
    let description: String
    /// The program's exit status.
    var status: Int32 = 1
}

/// The error, in words for the user: the server's own or, if it sent none, the library's, which
/// name the host. A server may repeat the key, so the key is hidden.
func explanation(of error: any Error, hiding key: String) -> String {
    let text = (error as? ServiceError)?.serverMessage ?? "\(error)"
    return text.replacingOccurrences(of: key, with: "***").printable
}

/// Prints to standard error.
func printError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}

extension String {
    /// This text without control characters, because a terminal obeys them, even those of a server.
    var printable: String {
        components(separatedBy: .controlCharacters).joined(separator: "\u{FFFD}")
    }
}
