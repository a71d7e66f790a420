// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

extension MarvelReply {
    /// The reply as text: a table, or one character in full.
    func text(for action: Command.Action, width: Int) -> String {
        var lines: [String]
        if case .character = action, let character = data.results.first {
            lines = character.lines(width: width)
        } else {
            lines = data.lines(width: width)
        }
        return (lines + [""] + attribution(width: width)).text
    }

    /// The attribution lines, required below all results.
    func attribution(width: Int) -> [String] {
        attributionText.plain.wrapped(to: width)
            + "Not affiliated with Marvel.".wrapped(to: width)
    }

    /// The reply as JSON.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

extension [String] {
    /// The lines as one string, each with a newline at its end.
    var text: String { map { $0 + "\n" }.joined() }
}

extension CharacterPage {
    func lines(width: Int) -> [String] {
        var listing = Listing(width: width)
        return listing.lines(of: self) + listing.place(after: self)
    }

    fileprivate var table: Table {
        Table(
            columns: [
                .init(title: "ID", isNumber: true), .init(title: "NAME", isFlexible: true),
                .init(title: "COMICS", isNumber: true),
                .init(title: "DESCRIPTION", isFlexible: true),
            ],
            rows: results.map {
                let description = $0.description ?? ""
                return ["\($0.id)", $0.name.plain, "\($0.comics.available)", description.plain]
            })
    }
}

/// A table of characters that is printed page by page.
struct Listing {
    let width: Int
    /// The column widths and the offset of the first row. Nil while the table is empty.
    private var start: (widths: [Int], offset: Int)?

    init(width: Int) { self.width = width }

    /// The rows of a page. The first page's rows follow the titles.
    mutating func lines(of page: CharacterPage) -> [String] {
        guard !page.results.isEmpty else { return [] }
        let widths = page.table.widths(within: width, after: start?.widths ?? [])
        defer { start = (widths, start?.offset ?? page.offset) }
        return Array(page.table.lines(widths: widths).dropFirst(start == nil ? 0 : 1))
    }

    /// The line that says which characters the table shows, up to the end of `page`.
    func place(after page: CharacterPage) -> [String] {
        guard let start else {
            let place = page.total > 0 ? " at this offset. There are \(page.total) in total." : "."
            return ("No characters" + place).wrapped(to: width)
        }
        // The server's numbers may be anything, so use arithmetic that can't trap.
        let last = page.offset &+ page.results.count
        return [""]
            + "\(start.offset &+ 1) to \(last) of \(page.total) characters".wrapped(to: width)
    }
}

extension MarvelCharacter {
    func lines(width: Int) -> [String] {
        var lines = name.plain.wrapped(to: width)
        let description = (description ?? "").plain
        if !description.isEmpty { lines += description.wrapped(to: width) }
        let counts = [
            (comics, "comics"), (series, "series"), (stories, "stories"), (events, "events"),
        ].map { "\($0.available) \($1)" }
        lines += [""] + "ID \(id), \(changed)".wrapped(to: width)
        lines += "In \(counts.joined(separator: ", "))".wrapped(to: width)
        if let comic = comics.items.first {
            lines += "For example: \(comic.name.plain)".wrapped(to: width)
        }
        // Marvel's terms require a link wherever more than a name is shown. It isn't wrapped, so
        // that it can still be clicked.
        if let link = urls.first(where: { $0.type == "detail" }) { lines.append(link.url.plain) }
        return lines
    }

    /// The date of the last change. The API has two placeholders for an unknown date.
    private var changed: String {
        let isKnown = !modified.hasPrefix("-") && !modified.hasPrefix("1969-12-31")
        return isKnown ? "changed \(modified.plain.prefix(10))" : "date unknown"
    }
}
