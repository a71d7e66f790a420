// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport
import Testing

@testable import MarvelClient

/// The generated pictures and their PNG files.
@Suite(.serialized, .opensFiles, .timeLimit) struct GatewayPictureTests {
    private static let paths = Set(GatewayCharacter.all.map { $0.picturePath + ".png" }).sorted()

    @Test func pictureETagChangesWithTheContent() throws {
        let tags = try Self.paths.prefix(5).map { path in
            let responses = (1...2).map { _ in
                GatewayFixture.gateway.answer(method: "GET", target: path + "?any=query")
            }
            let tag = try #require(responses[0].header("ETag"))
            #expect(responses[1].header("ETag") == tag)
            #expect(tag.hasPrefix("\"") && tag.hasSuffix("\"") && tag.count == 34)
            return tag
        }
        #expect(Set(tags).count == 5)
    }

    @Test func pictureURLsPointToTheRequestedHost() throws {
        let gateway = GatewayFixture.gateway
        let target = "/v1/public/characters?\(GatewayFixture.credentials)&limit=100"
        let response = gateway.answer(method: "GET", target: target, host: "127.0.0.1:7")
        let page = try JSONDecoder().decode(Reply.self, from: response.body).data
        #expect(page.results.count > 60)
        for record in page.results {
            let url = "\(record.thumbnail.path).\(record.thumbnail.extension)"
            #expect(url.hasPrefix("http://127.0.0.1:7/u/"))
            #expect(GatewayPicture.all[GatewayTarget(url).path] != nil)
        }
    }

    @Test(arguments: [
        "/u/prod/marvel/i/mg/5/a0/538615ca33ab0", "/u/prod/marvel/i/mg/5/a0/538615ca33ab0.jpg",
        "/u/prod/marvel/i/mg/", "/u/prod/marvel/i/mg/x.png",
    ])
    func unknownPicturePathsAreNotFound(path: String) {
        #expect(GatewayFixture.gateway.answer(method: "GET", target: path).status == 404)
    }

    @Test(
        arguments: [
            ("", 0, 1), ("123456789", 0xCBF4_3926, 0x091E_01DE), ("IEND", 0xAE42_6082, 0x02D7_0121),
            ("Wikipedia", 0xADAA_C02E, 0x11E6_0398),
        ] as [(String, UInt32, UInt32)])
    func checksumsMatchKnownValues(text: String, crc: UInt32, adler: UInt32) {
        #expect(PNG.crc32(Array(text.utf8)) == crc)
        #expect(PNG.adler32(Array(text.utf8)) == adler)
    }
}
