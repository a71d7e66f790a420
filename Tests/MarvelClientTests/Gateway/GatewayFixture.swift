// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

@testable import MarvelClient

/// The mock gateway under test, and signed requests.
enum GatewayFixture {
    static let gateway = MarvelGateway(publicKey: "1234", privateKey: "abcd")
    static let credentials = "ts=1&apikey=1234&hash=ffd275c5130566a2916217b101f26150"

    /// The response to a signed request for `/v1/public/` and `path`. `query` is appended unchanged.
    static func get(_ path: String = "characters", _ query: String = "") -> MarvelGateway.Answer {
        gateway.answer(method: "GET", target: "/v1/public/\(path)?\(credentials)&\(query)")
    }

    /// The page in the response to such a request.
    static func page(_ query: String = "", path: String = "characters") throws -> Reply.Page {
        try JSONDecoder().decode(Reply.self, from: get(path, query).body).data
    }
}

/// A reply as a client should decode it: dates are text, and descriptions can be missing.
struct Reply: Decodable {
    /// One page of results.
    struct Page: Decodable {
        let offset, limit, total, count: Int
        let results: [Record]

        var names: [String] { results.map(\.name) }
        var ids: [Int] { results.map(\.id) }
    }

    /// A character.
    struct Record: Decodable {
        let id: Int
        let name: String
        let description: String?
        let modified: String
        let thumbnail: Thumbnail
        let resourceURI: String
        let comics, series, stories, events: List
        let urls: [Link]
    }

    /// The picture of a character.
    struct Thumbnail: Decodable { let path, `extension`: String }
    /// A page about a character.
    struct Link: Decodable { let type, url: String }
    /// A comic, series, story or event.
    struct Item: Decodable {
        let resourceURI, name: String
        let type: String?
    }
    /// The number of items, and the first of them.
    struct List: Decodable {
        let available: Int
        let collectionURI: String
        let items: [Item]
        let returned: Int
    }

    let code: Int
    let status, copyright, attributionText, attributionHTML, etag: String
    let data: Page
}

extension MarvelGateway.Answer {
    /// The body as text.
    var text: String { String(decoding: body, as: UTF8.self) }

    /// The value of a header. The name is case-sensitive.
    func header(_ name: String) -> String? { headers.first { $0.name == name }?.value }
}
