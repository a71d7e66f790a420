// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

extension CharacterPage {
    /// The cells of the table.
    var rows: [[String]] {
        results.map {
            ["\($0.id)", $0.name.plain, "\($0.comics.available)", $0.description?.plain ?? ""]
        }
    }

    /// The text below the table, which says which characters it shows.
    var summary: [String] {
        if results.isEmpty && total > 0 {
            return ["No characters at this offset. The total is \(total)."]
        }
        if results.isEmpty { return ["No characters."] }
        guard total > 1, let end, end <= total else {
            return ["", results.count.counting("character", "characters")]
        }
        return ["", "\(offset + 1) to \(end) of \(total) characters"]
    }
}

extension MarvelCharacter {
    /// The character in full.
    var lines: [String] {
        let counts = [
            comics.available.counting("comic", "comics"),
            series.available.counting("series", "series"),
            stories.available.counting("story", "stories"),
            events.available.counting("event", "events"),
        ]
        // The API has two placeholders for an unknown date: in the year -1, and at the end of 1969.
        let isKnown = "1970".utf8.lexicographicallyPrecedes(modified.utf8)
        let date = isKnown ? "changed \(modified.plain.prefix(10))" : "date unknown"
        var lines = [name.plain, description?.plain ?? ""].filter { !$0.isEmpty }
        lines += ["", "ID \(id), \(date)", "In \(counts.joined(separator: ", "))"]
        if let comic = comics.items.first { lines.append("For example: \(comic.name.plain)") }
        // Marvel's terms require a link wherever more than a name is shown.
        if let link = urls.first(where: { $0.type == "detail" }) { lines.append(link.url.plain) }
        return lines
    }
}
