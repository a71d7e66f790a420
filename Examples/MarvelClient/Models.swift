// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// What the API wraps every successful answer in.
struct MarvelReply: Codable {
    let code: Int
    let status: String
    /// Must be shown wherever the results are.
    let attributionText: String
    let data: CharacterPage
}

extension [MarvelReply] {
    /// Pages as one, in the wrapper of the last.
    func joined(into last: MarvelReply) -> MarvelReply {
        let results = flatMap(\.data.results)
        let page = CharacterPage(
            offset: first?.data.offset ?? last.data.offset, limit: last.data.limit,
            total: last.data.total, count: results.count, results: results)
        return MarvelReply(
            code: last.code, status: last.status, attributionText: last.attributionText, data: page)
    }
}

struct CharacterPage: Codable {
    let offset, limit, total, count: Int
    let results: [MarvelCharacter]

    /// Where the next page starts; nil when there is none, whatever the server says of itself.
    var nextOffset: Int? {
        // One that wrapped around is no longer behind the start.
        let end = offset &+ results.count
        return offset < end && end < total ? end : nil
    }
}

struct MarvelCharacter: Codable {
    let id: Int
    let name: String
    /// Often empty, at times HTML.
    let description: String?
    /// Text, because some are no dates ("-0001-11-30T00:00:00-0500"): one such record would make
    /// the whole page fail.
    let modified: String
    let comics, series, stories, events: Appearances
    let urls: [Link]
    let thumbnail: Picture?

    struct Appearances: Codable {
        let available: Int
        let items: [Item]
    }

    struct Item: Codable {
        let name: String
    }

    /// Where a picture is, in two parts: Marvel has other sizes in between.
    struct Picture: Codable {
        let path: String
        let `extension`: String

        var url: String { "\(path).\(`extension`)" }
    }

    /// A page about the character on Marvel's site.
    struct Link: Codable {
        let type: String
        let url: String
    }
}

extension MarvelCharacter.Link {
    /// Without the query: the server puts the public key there.
    init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        type = try container.decode(String.self, forKey: .type)
        url = String(try container.decode(String.self, forKey: .url).prefix { $0 != "?" })
    }
}
