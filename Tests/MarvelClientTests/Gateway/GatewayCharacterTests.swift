// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport
import Testing

@testable import MarvelClient

/// The mock server's characters and their dates.
@Suite(.serialized, .opensFiles, .timeLimit) struct GatewayCharacterTests {
    private let all = GatewayCharacter.all

    @Test func everyCharacterCanBeLoadedAndDecoded() throws {
        for character in all {
            let page = try GatewayFixture.page(path: "characters/\(character.id)")
            let record = try #require(page.results.first)
            #expect(record.id == character.id)
            #expect(record.name == character.name)
            #expect(record.description == character.description)
            #expect(record.modified == character.modified)
            for list in [record.comics, record.series, record.stories, record.events] {
                #expect(list.returned == list.items.count)
                #expect(list.returned <= 2)
                #expect(list.available >= list.returned)
            }
            #expect(record.stories.items.allSatisfy { $0.type != nil })
            #expect(record.urls.allSatisfy { URL(string: $0.url) != nil })
            #expect(record.urls.first?.type == "detail")
        }
    }

    @Test(arguments: [
        ("1970-01-01T00:00:00Z", 0), ("1969-12-31T19:00:00-0500", 0),
        ("2000-02-29T00:00:00+0000", 951_782_400), ("2014-04-29T14:18:17-0400", 1_398_795_497),
        ("2014-04-29T14:18:17-04:00", 1_398_795_497), ("1970-01-01", 18_000),
        ("9999-12-31T23:59:59Z", 253_402_300_799), ("-0001-11-30T00:00:00-0500", -62_169_966_000),
    ])
    func validDatesAreParsed(text: String, instant: Int) {
        #expect(GatewayDate.instant(text) == instant)
    }

    @Test(arguments: [
        "", "-", "2014", "2014-4-29", "2014-13-01", "2014-00-01", "2014-01-00", "2014-04-31",
        "2013-02-29", "1900-02-29", "2014-04-29T", "2014-04-29T24:00:00Z", "2014-04-29T14:18:17",
        "2014-04-29T14:18:17-04", "2014-04-29T14:18:17Zx", "+2014-04-29", "2014-04-29 ", "é",
    ])
    func invalidDatesAreRejected(text: String) {
        #expect(GatewayDate.instant(text) == nil)
    }
}
