// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The wrapper of every page of results.
struct MarvelReply: Codable {
    /// The attribution. Marvel's terms require it wherever results are shown.
    let attributionText: String
    var data: CharacterPage
}

struct CharacterPage: Codable {
    let offset, limit: Int
    var total, count: Int
    var results: [MarvelCharacter]

    /// The offset after the last character. Nil if the server's numbers make no sense.
    var end: Int? {
        let (end, isTooLarge) = offset.addingReportingOverflow(results.count)
        return offset < 0 || isTooLarge ? nil : end
    }

    /// The offset of the next page. Nil after the last page, or if the server's numbers make no
    /// sense.
    var nextOffset: Int? { end.flatMap { offset < $0 && $0 < total ? $0 : nil } }

    /// Adds the characters of the next page.
    mutating func append(_ page: CharacterPage) {
        results += page.results
        (count, total) = (results.count, page.total)
    }
}

struct MarvelCharacter: Codable {
    let id: Int
    let name: String
    /// Often empty, sometimes HTML.
    let description: String?
    /// Text, because some values aren't valid dates ("-0001-11-30T00:00:00-0500"). As a `Date`, one
    /// such value would make the whole page fail.
    let modified: String
    let comics, series, stories, events: Appearances
    let urls: [Link]
    let thumbnail: Picture?

    struct Appearances: Codable {
        let available: Int
        let items: [Item]
    }

    struct Item: Codable { let name: String }

    /// The URL of a picture in two parts. Marvel inserts the names of other sizes between them.
    struct Picture: Codable {
        let path, `extension`: String

        var url: String { "\(path).\(`extension`)" }
    }

    /// A page about the character on Marvel's site.
    struct Link: Codable { let type, url: String }
}

extension MarvelCharacter.Link {
    /// Drops the query of the URL, because the server puts the public key there.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        let whole = try container.decode(String.self, forKey: .url)
        url = String(Substring(whole.utf8.prefix { $0 != UInt8(ascii: "?") }))
    }
}
