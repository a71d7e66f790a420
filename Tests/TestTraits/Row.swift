// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Testing

extension Trait where Self == Comment {
    /// Says which rows of `Tests/HostileCases.md` and `Tests/Comparison.md` a test belongs to.
    ///
    /// `.ci/check-cases --write` writes the tables from this. A test that fails prints its rows.
    ///
    /// Nonisolated, because traits are evaluated outside of the main actor.
    public nonisolated static func row(_ ids: String...) -> Self {
        Comment(rawValue: "Rows of the tables in Tests: \(ids.joined(separator: ", "))")
    }
}
