// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import TestSupport

@testable import MarvelClient

/// Everything that a command prints to standard output.
func output(
    of arguments: [String], environment: [String: String] = [:], width: Int = 80,
    hasStyles: Bool = false, log: @escaping @Sendable (String) -> Void = { _ in }
) async throws -> String {
    let text = Locked("")
    let write: @Sendable (String) -> Void = { part in text { $0 += part } }
    let console = Console(
        environment: environment, width: width, hasStyles: hasStyles, write: write, log: log)
    try await Client.run(Command(arguments), on: console)
    return text { $0 }
}
