// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// One character as the gateway knows it; `GatewayRecord` is the same in the shape of a reply.
struct GatewayCharacter: Sendable {
    /// How many comics, series, stories and events a character appears in.
    typealias Counts = (comics: Int, series: Int, stories: Int, events: Int)

    /// The id that Marvel gave the character.
    let id: Int
    /// The name, with the real name or the universe in parentheses where it is not unique.
    let name: String
    /// One sentence, or nothing, as so often in the real data.
    let description: String
    /// The date of the last change, as text because not every one is a date; see `neverModified`.
    let modified: String
    /// The path of the picture up to its extension, on any host.
    let picturePath: String
    /// How many comics, series, stories and events the character appears in.
    let counts: Counts
    /// The name to search and to order by: case does not count.
    let foldedName: String
    /// `modified` in seconds since 1970, to compare by.
    let instant: Int

    /// One entry of the table. `art` is the end of the picture's path; nil means that Marvel had no
    /// picture.
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
