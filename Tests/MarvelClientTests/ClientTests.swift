// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux) || os(macOS)

import Foundation
import ServiceProvider
import ServiceProviderTesting
import TestSupport
import Testing

@testable import MarvelClient

/// The calls of the example client, with stubs in place of a server.
@Suite struct ClientTests {
    private static let account = Account(baseURL: "https://api.example.com", key: "a-key")

    /// A response with one character.
    private func page(id: Int, offset: Int, total: Int, name: String = "Hulk") -> ServiceStub {
        .json(
            """
            {"data": {"offset": \(offset), "total": \(total), "results": [
                {"id": \(id), "name": "\(name)", "modified": "2021-06-30T23:32:26-0400",
                 "thumbnail": {"path": "https://pictures.example.com/\(id)", "extension": "jpg"}}]}}
            """)
    }

    private func characters(_ stubs: ServiceStubs, isAll: Bool = true) async throws
        -> [MarvelCharacter]
    {
        try await Client(Self.account, interceptors: [stubs])
            .characters(startingWith: nil, isAll: isAll)
    }

    @Test(arguments: [
        (
            MarvelService.characters(account, nameStartsWith: "x & y", offset: 20),
            "https://api.example.com/v1/public/characters?apikey=a-key&nameStartsWith=x%20%26%20y&offset=20"
        ),
        (.character(account, id: 7), "https://api.example.com/v1/public/characters/7?apikey=a-key"),
        (.picture("https://pictures.example.com/7.jpg"), "https://pictures.example.com/7.jpg"),
    ])
    func requestsHaveTheKeyUnlessTheyAreForPictures(service: MarvelService, url: String) throws {
        let request = try ServiceProvider<MarvelService>().request(service: service)
        #expect(request.urlRequest.url?.absoluteString == url)
    }

    @Test(arguments: [true, false])
    func allPagesAreLoadedOnlyOnDemand(isAll: Bool) async throws {
        let stubs = ServiceStubs(responses: [
            page(id: 1, offset: 0, total: 2), page(id: 2, offset: 1, total: 2),
        ])
        let ids = try await characters(stubs, isAll: isAll).map(\.id)
        #expect(ids == (isAll ? [1, 2] : [1]))
        #expect(stubs.requests.last?.urlRequest.url?.query()?.hasSuffix("offset=1") == isAll)
    }

    @Test func aHugeOffsetDoesNotEndTheProgram() async throws {
        let stubs = ServiceStubs(responses: [
            page(id: 1, offset: .max, total: 2), page(id: 2, offset: 1, total: 2),
        ])
        #expect(try await characters(stubs).count == 2)
    }

    @Test func aTableHasNoControlCharacters() async throws {
        let stubs = ServiceStubs(responses: [
            page(id: 1, offset: 0, total: 1, name: #"Hulk\u001B[2J"#)
        ])
        let text = try await table(of: characters(stubs))
        #expect(text == "CHANGED     ID       NAME\n2021-07-01  1  Hulk\u{FFFD}[2J")
    }

    @Test(arguments: [
        (#"{"code": 404, "status": "We couldn't find it"}"#, "We couldn't find it"),
        (#"{"message": "The key\u0007 is wrong."}"#, "The key\u{FFFD} is wrong."),
        (
            #"{"message": "The key a-key is wrong."}"#,
            "The server answered 404 for 'GET /v1/public/characters'."
        ),
        ("<html>", "The server answered 404 for 'GET /v1/public/characters'."),
    ])
    func errorsAreInTheServersWordsUnlessTheyHaveTheKey(body: String, text: String) async throws {
        let stubs = ServiceStubs(responses: [.json(body, statusCode: 404)])
        let error = await #expect(throws: ServiceError.self) { try await characters(stubs) }
        #expect(error.map { explanation(of: $0, hiding: "a-key") } == text)
    }

    @Test(arguments: ["e", "t"])
    func aShortKeyDoesNotChangeWords(key: String) {
        let failure = Failure(description: "There is no character 'Thor'.")
        #expect(explanation(of: failure, hiding: key) == failure.description)
    }

    @Test(arguments: [
        (0, "[----------] 0 %"), (0.999, "[#########-] 99 %"), (1, "[##########] 100 %"),
    ])
    func aBarHasAtMost18Characters(fraction: Double, text: String) {
        #expect(bar(fraction) == text)
    }
}
#endif
