// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@testable import MarvelClient

/// Requests to the API, their signatures, and decoding of replies.
@Suite(.serialized, .opensFiles, .timeLimit) struct MarvelServiceTests {
    private let account = MarvelAccount(
        baseURL: "https://gateway.marvel.com", publicKey: "1234", privateKey: "abcd")

    @Test func signatureMatchesTheExampleInMarvelsDocumentation() {
        let signature = account.signature(timestamp: "1") as? [String: String]
        let hash = "ffd275c5130566a2916217b101f26150"
        #expect(signature == ["ts": "1", "apikey": "1234", "hash": hash])
    }

    @Test func everySignatureHasANewTimestamp() {
        let timestamps = (1...5).map { _ in account.signature()["ts"] as? String }
        #expect(Set(timestamps).count == 5)
    }

    @Test(
        arguments: [
            (CharacterFilter(), [:]),
            (
                CharacterFilter(name: "Spider-Man & co", limit: 5),
                ["name": "Spider-Man & co", "limit": "5"]
            ),
            (
                CharacterFilter(nameStartsWith: "", orderBy: "-name", offset: 40),
                ["nameStartsWith": "", "orderBy": "-name", "offset": "40"]
            ),
        ] as [(CharacterFilter, [String: String])])
    func filtersBecomeParameters(filter: CharacterFilter, expected: [String: String]) throws {
        let url = try url(.characters(filter, account))
        #expect(url.scheme == "https")
        #expect(url.host == "gateway.marvel.com")
        #expect(url.path == "/v1/public/characters")
        #expect(try query(url).filter { !["ts", "apikey", "hash"].contains($0.key) } == expected)
    }

    @Test func aSingleCharacterIsRequestedByItsPath() throws {
        // The private key isn't made of hexadecimal digits, which a hash could contain by chance.
        let account = MarvelAccount(
            baseURL: "https://gateway.marvel.com", publicKey: "1234", privateKey: "private")
        let url = try url(.character(id: 1_009_610, account))
        #expect(url.path == "/v1/public/characters/1009610")
        #expect(Set(try query(url).keys) == ["ts", "apikey", "hash"])
        #expect(!url.absoluteString.contains("private"))
    }

    @Test(
        arguments: [
            [:], ["MARVEL_PUBLIC_KEY": "", "MARVEL_PRIVATE_KEY": ""],
        ] as [[String: String]])
    func keysAreKeptIfTheEnvironmentHasNone(environment: [String: String]) throws {
        let same = try account.with(keysIn: environment)
        #expect((same.publicKey, same.privateKey) == ("1234", "abcd"))
        let none = MarvelAccount(baseURL: "", publicKey: "", privateKey: "")
        let error = #expect(throws: Failure.self) { try none.with(keysIn: environment) }
        #expect(error?.description.contains("MARVEL_PUBLIC_KEY and MARVEL_PRIVATE_KEY.") == true)
    }

    @Test(arguments: [
        (["MARVEL_PUBLIC_KEY": "x"], "MARVEL_PRIVATE_KEY"),
        (["MARVEL_PRIVATE_KEY": "x", "MARVEL_PUBLIC_KEY": ""], "MARVEL_PUBLIC_KEY"),
    ])
    func oneKeyWithoutTheOtherIsAnError(environment: [String: String], missing: String) {
        let error = #expect(throws: Failure.self) { try account.with(keysIn: environment) }
        #expect(error?.description == "The server needs a key pair: set \(missing).")
    }

    @Test func keysAreReadFromTheEnvironment() throws {
        let environment = ["MARVEL_PUBLIC_KEY": "x", "MARVEL_PRIVATE_KEY": "y"]
        let account = try account.with(keysIn: environment)
        #expect(account.baseURL == "https://gateway.marvel.com")
        #expect((account.publicKey, account.privateKey) == ("x", "y"))
    }

    @Test func unusualCharactersAreDecoded() throws {
        let character = try JSONDecoder().decode(MarvelCharacter.self, from: Data(oddRecord.utf8))
        #expect(character.description == nil)
        #expect(character.modified == "-0001-11-30T00:00:00-0500")
        #expect(character.urls.map(\.url) == ["http://marvel.com/a", ""])
        #expect(
            character.lines == [
                "A B", "", "ID 7, date unknown", "In 1 comic, 0 series, 2 stories, 0 events",
                "For example: X", "http://marvel.com/a",
            ])
    }

    /// No description, an invalid date, a key in a link, an unknown property, and a story with a
    /// type.
    private let oddRecord = #"""
        {"id": 7, "name": "A\u001b\nB", "description": null, "extra": [],
         "modified": "-0001-11-30T00:00:00-0500",
         "comics": {"available": 1, "items": [{"name": "X", "resourceURI": ""}]},
         "series": {"available": 0, "items": []},
         "stories": {"available": 2, "items": [{"name": "", "type": ""}]},
         "events": {"available": 0, "items": []},
         "urls": [{"type": "detail", "url": "http://marvel.com/a?utm_source=KEY"},
                  {"type": "wiki", "url": ""}]}
        """#

    private func url(_ service: MarvelService) throws -> URL {
        let request = try ServiceProvider<MarvelService>().request(for: service)
        return try #require(request.urlRequest.url)
    }

    private func query(_ url: URL) throws -> [String: String] {
        let components = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
        let items = (components.queryItems ?? []).map { ($0.name, $0.value ?? "") }
        #expect(Set(items.map(\.0)).count == items.count)
        return Dictionary(items) { first, _ in first }
    }
}
