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

struct CharacterPage: Codable {
    let offset, limit, total, count: Int
    let results: [MarvelCharacter]
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

    struct Appearances: Codable {
        let available: Int
        let items: [Item]
    }

    struct Item: Codable {
        let name: String
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
