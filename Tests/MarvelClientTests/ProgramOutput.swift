// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

@testable import MarvelClient

extension Program {
    /// Everything that a command prints to standard output.
    nonisolated(nonsending) func output(of command: Command) async throws -> String {
        var text = ""
        try await run(command) { text += $0 }
        return text
    }
}
