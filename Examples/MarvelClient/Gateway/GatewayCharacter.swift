// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// One character of the mock server's data. `GatewayRecord` is its form in a reply.
struct GatewayCharacter: Sendable {
    /// How many comics, series, stories and events a character appears in.
    typealias Counts = (comics: Int, series: Int, stories: Int, events: Int)

    /// Marvel's ID of the character.
    let id: Int
    /// The name. If it isn't unique, the real name or the universe follows in parentheses.
    let name: String
    /// One sentence, or empty, as it often is in the real data.
    let description: String
    /// The date of the last change. It is text because some aren't dates; see `zeroModified`.
    let modified: String
    /// The path of the picture without its extension.
    let picturePath: String
    /// How many comics, series, stories and events the character appears in.
    let counts: Counts
    /// The name in lower case, for searching and sorting.
    let foldedName: String
    /// `modified` in seconds since 1970, for comparisons.
    let instant: Int

    /// Creates one entry of the table. `art` is the end of the picture's path. Nil means that
    /// Marvel had no picture.
    init(
        _ id: Int, _ name: String, _ modified: String, _ art: String?, _ counts: Counts,
        _ description: String
    ) {
        self.id = id
        self.name = name
        self.description = description
        self.modified = modified
        picturePath = "/u/prod/marvel/i/mg/\(art ?? "b/40/image_not_available")"
        self.counts = counts
        foldedName = name.lowercased()
        instant = GatewayDate.instant(modified) ?? 0
    }
}
