// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// An error in the command-line arguments. The reason is one clause and quotes the argument.
struct UsageError: Error, Equatable, CustomStringConvertible {
    let reason: String

    var description: String { "\(reason). See 'MarvelClient --help'." }
}

/// Any other error of a program. Its text is one sentence.
struct Failure: LocalizedError, CustomStringConvertible {
    let description: String

    var errorDescription: String? { description }

    init(_ description: String) { self.description = description }
}
