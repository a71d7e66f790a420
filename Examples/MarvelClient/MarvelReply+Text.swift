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
        lines += [""] + attributionText.plain.wrapped(to: width)
        lines += "Not affiliated with Marvel.".wrapped(to: width)
        return lines.joined(separator: "\n") + "\n"
    }

    /// The reply for programs.
    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(self), as: UTF8.self) + "\n"
    }
}

extension CharacterPage {
    func lines(width: Int) -> [String] {
        guard !results.isEmpty else {
            return (total > 0 ? "No characters here, of \(total) in all." : "No characters.")
                .wrapped(to: width)
        }
        let table = Table(
            columns: [
                .init(title: "ID", isNumber: true), .init(title: "NAME", isFlexible: true),
                .init(title: "COMICS", isNumber: true),
                .init(title: "DESCRIPTION", isFlexible: true),
            ],
            rows: results.map {
                let description = $0.description ?? ""
                return ["\($0.id)", $0.name.plain, "\($0.comics.available)", description.plain]
            })
        // What a server says of itself may be anything: no arithmetic that could trap.
        let last = offset &+ results.count
        let place = "\(offset &+ 1) to \(last) of \(total) characters"
        return table.lines(width: width) + [""] + place.wrapped(to: width)
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
