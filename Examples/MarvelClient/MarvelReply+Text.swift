// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

extension MarvelReply {
    /// The reply for people: a table, or one character in full.
    func text(for action: Command.Action, width: Int) -> String {
        var lines: [String]
        if case .character = action, let character = data.results.first {
            lines = character.lines(width: width)
        } else {
            lines = data.lines(width: width)
        }
        return (lines + [""] + attribution(width: width)).text
    }

    /// What must stand below all that is shown.
    func attribution(width: Int) -> [String] {
        attributionText.plain.wrapped(to: width)
            + "Not affiliated with Marvel.".wrapped(to: width)
    }

    /// The reply for programs.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

extension [String] {
    /// Lines as a text.
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

/// A table of characters that comes page by page.
struct Listing {
    let width: Int
    /// The columns, and how many characters stand before it; nil while it is empty.
    private var start: (widths: [Int], offset: Int)?

    init(width: Int) { self.width = width }

    /// The rows of a page; before the first, the titles.
    mutating func lines(of page: CharacterPage) -> [String] {
        guard !page.results.isEmpty else { return [] }
        let widths = page.table.widths(within: width, after: start?.widths ?? [])
        defer { start = (widths, start?.offset ?? page.offset) }
        return Array(page.table.lines(widths: widths).dropFirst(start == nil ? 0 : 1))
    }

    /// Which of how many characters it shows, up to the end of that page.
    func place(after page: CharacterPage) -> [String] {
        guard let start else {
            let place = "No characters" + (page.total > 0 ? " here, of \(page.total) in all." : ".")
            return place.wrapped(to: width)
        }
        // What a server says of itself may be anything: no arithmetic that could trap.
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
            lines += "Such as \(comic.name.plain)".wrapped(to: width)
        }
        // Marvel's terms ask for a link wherever more than a name is shown. Not broken into lines:
        // it could not be followed any more.
        if let link = urls.first(where: { $0.type == "detail" }) { lines.append(link.url.plain) }
        return lines
    }

    /// The API has two dates for "never".
    private var changed: String {
        let isKnown = !modified.hasPrefix("-") && !modified.hasPrefix("1969-12-31")
        return isKnown ? "changed \(modified.plain.prefix(10))" : "date unknown"
    }
}
