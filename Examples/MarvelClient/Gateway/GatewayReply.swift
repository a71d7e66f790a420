// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The wrapper of every page of results.
struct GatewayReply: Encodable {
    let code = 200
    let status = "Ok"
    let copyright = "© 2026 MARVEL"
    let attributionText = "Data provided by Marvel. © 2026 MARVEL"
    let attributionHTML =
        #"<a href="http://marvel.com">Data provided by Marvel. © 2026 MARVEL</a>"#
    /// Forty hexadecimal digits that change with `data`.
    let etag: String
    /// The page of results.
    let data: GatewayPage
}

/// One page of results and its position in the whole list.
struct GatewayPage: Encodable {
    let offset: Int
    let limit: Int
    let total: Int
    let count: Int
    let results: [GatewayRecord]

    /// Creates the page of `characters` that starts at `offset`. Empty past the last character.
    init(
        of characters: [GatewayCharacter], offset: Int, limit: Int, publicKey: String,
        host: String
    ) {
        // The offset is limited first, because it may be as large as `Int.max`.
        let page = characters.dropFirst(min(offset, characters.count)).prefix(limit)
        self.offset = offset
        self.limit = limit
        total = characters.count
        count = page.count
        results = page.map { GatewayRecord($0, publicKey: publicKey, host: host) }
    }
}

/// A character in the JSON format of the API.
struct GatewayRecord: Encodable {
    /// The picture of a character.
    struct Thumbnail: Encodable {
        let path: String
        let `extension`: String
    }

    /// A page about a character on Marvel's site.
    struct Link: Encodable {
        let type: String
        let url: String
    }

    /// A comic, series, story or event. Only stories have a type.
    struct Item: Encodable {
        let resourceURI: String
        let name: String
        let type: String?
    }

    /// The number of appearances of one kind, and the first of them.
    struct List: Encodable {
        let available: Int
        let collectionURI: String
        let items: [Item]
        let returned: Int
    }

    let id: Int
    let name: String
    let description: String
    let modified: String
    let thumbnail: Thumbnail
    let resourceURI: String
    let comics: List
    let series: List
    let stories: List
    let events: List
    let urls: [Link]

    private static let root = "http://gateway.marvel.com/v1/public"

    /// Creates the record of `character`, with its picture on `host`.
    ///
    /// The links contain the public key, as the real ones did. A client that logs responses must
    /// expect that.
    init(
        _ character: GatewayCharacter, publicKey: String, host: String = MarvelGateway.pictureHost
    ) {
        let uri = "\(Self.root)/characters/\(character.id)"
        func list(_ kind: GatewayAppearance.Kind, _ available: Int) -> List {
            let items = character.appearances(in: kind).map {
                Item(
                    resourceURI: "\(Self.root)/\(kind.rawValue)/\($0.id)", name: $0.name,
                    type: $0.storyType)
            }
            return List(
                available: available, collectionURI: "\(uri)/\(kind.rawValue)", items: items,
                returned: items.count)
        }
        id = character.id
        name = character.name
        description = character.description
        modified = character.modified
        thumbnail = Thumbnail(
            path: "http://\(host)\(character.picturePath)", extension: GatewayPicture.extension)
        resourceURI = uri
        comics = list(.comics, character.counts.comics)
        series = list(.series, character.counts.series)
        stories = list(.stories, character.counts.stories)
        events = list(.events, character.counts.events)
        urls = Self.links(to: character, publicKey: publicKey)
    }

    /// The links. Some characters have no wiki page or no list of comics, as in the real data.
    private static func links(to character: GatewayCharacter, publicKey: String) -> [Link] {
        let tail = "?utm_campaign=apiRef&utm_source=\(encoded(publicKey))"
        let comics = "http://marvel.com/comics/characters/\(character.id)/\(slug(character))\(tail)"
        var links = [Link(type: "detail", url: comics)]
        if character.id < 1_016_000 {
            let page = encoded(character.name.replacingOccurrences(of: " ", with: "_"))
            links.append(Link(type: "wiki", url: "http://marvel.com/universe/\(page)\(tail)"))
        }
        if character.counts.comics > 0 {
            links.append(Link(type: "comiclink", url: comics))
        }
        return links
    }

    /// The name in URLs: "Aegis (Trey Rollins)" becomes "aegis_trey_rollins".
    private static func slug(_ character: GatewayCharacter) -> String {
        character.foldedName.map { $0 == " " ? "_" : $0 }
            .filter { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
            .reduce(into: "") { $0.append($1) }
    }

    private static func encoded(_ text: String) -> String {
        let kept = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._()")
        return text.addingPercentEncoding(withAllowedCharacters: kept) ?? ""
    }
}
