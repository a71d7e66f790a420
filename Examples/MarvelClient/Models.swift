// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A response of Marvel's API. These types have the members that this program uses.
struct MarvelReply: Decodable {
    let data: CharacterPage
}

/// One page of a list of characters.
struct CharacterPage: Decodable {
    let offset: Int
    let total: Int
    let results: [MarvelCharacter]

    /// Where the next page starts. Nil after the last page.
    var nextOffset: Int? {
        // `+` would end the program if a server sent a huge number.
        let end = offset &+ results.count
        return results.isEmpty || end >= total ? nil : end
    }
}

/// A character.
struct MarvelCharacter: Decodable {
    let id: Int
    let name: String
    let modified: MarvelDate
    let thumbnail: Picture
}

/// A date such as "2021-06-30T17:32:26-0400". Marvel also has "-0001-11-30T00:00:00-0500". As a
/// plain `Date`, such a value would make the whole page fail. Here it is nil.
struct MarvelDate: Decodable {
    let date: Date?

    init(from decoder: any Decoder) throws {
        let text = try decoder.singleValueContainer().decode(String.self)
        date = try? Date.ISO8601FormatStyle(timeZoneSeparator: .omitted).parse(text)
    }

    /// The day, such as "2021-06-30".
    var text: String { date?.formatted(.iso8601.year().month().day()) ?? "never" }
}

/// The URL of a picture, in two parts.
struct Picture: Decodable {
    let path: String
    let `extension`: String
}
