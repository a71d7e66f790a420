// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// A table with one line for each character.
func table(of characters: [MarvelCharacter]) -> String {
    let lines = characters.map { character in
        let day = character.modified.text.padding(toLength: 10, withPad: " ", startingAt: 0)
        return "\(day)  \(character.id)  \(character.name.printable)"
    }
    return (["CHANGED     ID       NAME"] + lines).joined(separator: "\n")
}

/// A progress bar. It's short, because a terminal can't draw over a line that it has wrapped.
///
/// - Parameter fraction: From 0 to 1.
func bar(_ fraction: Double) -> String {
    let done = String(repeating: "#", count: Int(fraction * 10))
    return "[\(done.padding(toLength: 10, withPad: "-", startingAt: 0))] \(Int(fraction * 100)) %"
}

/// Draws a text over the last one if standard error is a terminal. It has at most 20 characters.
func draw(_ text: String) {
    guard isatty(STDERR_FILENO) == 1 else { return }
    printError("\r\(text.padding(toLength: 20, withPad: " ", startingAt: 0))\r")
}

/// An error of this program, in words for its user.
struct Failure: Error, CustomStringConvertible {
    let description: String
    /// The program's exit status.
    var status: Int32 = 1

    /// A wrong command line.
    static func usage(_ problem: String) -> Failure {
        Failure(description: "\(problem) See 'MarvelClient --help'.", status: 64)
    }
}

/// Prints to standard error.
func printError(_ text: String) {
    try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
}

/// The error, in words for the user: the server's own, or the library's if the server sent none.
/// A server may repeat the key. The library never does, so its words are shown then, too.
func explanation(of error: any Error, hiding key: String) -> String {
    let message = (error as? ServiceError)?.serverMessage
    if let message, key.isEmpty || !message.contains(key) {
        return message.printable
    }
    // Writing the output throws a CocoaError.
    let text = (error as? CocoaError)?.localizedDescription ?? "\(error)"
    return text.printable
}

extension String {
    /// This text without control characters, because a terminal obeys them, even those of a server.
    var printable: String {
        components(separatedBy: .controlCharacters).joined(separator: "\u{FFFD}")
    }
}
