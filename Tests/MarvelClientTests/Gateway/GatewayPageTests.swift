// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport
import Testing

@testable import MarvelClient

/// The mock server's successful responses: wrapper, filters, order and pages.
@Suite(.serialized, .opensFiles, .timeLimit) struct GatewayPageTests {
    @Test func repliesHaveTheWrapperOfTheRealAPI() throws {
        let response = GatewayFixture.get()
        #expect(response.status == 200)
        #expect(response.header("Content-Type") == "application/json; charset=utf-8")
        let reply = try JSONDecoder().decode(Reply.self, from: response.body)
        #expect(reply.code == 200)
        #expect(reply.status == "Ok")
        #expect(reply.copyright == "© 2026 MARVEL")
        #expect(reply.attributionText == "Data provided by Marvel. © 2026 MARVEL")
        #expect(
            reply.attributionHTML
                == "<a href=\"http://marvel.com\">Data provided by Marvel. © 2026 MARVEL</a>")
        #expect(reply.etag.utf8.count == 40)
        #expect(reply.etag.allSatisfy { $0.isHexDigit && !$0.isUppercase })
        #expect(response.header("ETag") == reply.etag)
        #expect(!response.text.contains(#"\/"#))
        #expect(reply.data.offset == 0)
        #expect(reply.data.limit == 20)
        #expect(reply.data.total == GatewayCharacter.all.count)
        #expect(reply.data.count == 20)
        #expect(reply.data.results.count == 20)
        #expect(reply.data.names.first == "3-D Man")
    }

    @Test func aCharacterHasAllPropertiesOfTheRealAPI() throws {
        let page = try GatewayFixture.page(path: "characters/1011334")
        #expect((page.offset, page.limit, page.total, page.count) == (0, 20, 1, 1))
        let record = try #require(page.results.first)
        #expect(record.id == 1_011_334)
        #expect(record.name == "3-D Man")
        #expect(record.description == "")
        #expect(record.modified == "2014-04-29T14:18:17-0400")
        #expect(
            record.thumbnail.path
                == "http://i.annihil.us/u/prod/marvel/i/mg/c/e0/535fecbbb9784")
        #expect(record.thumbnail.extension == "png")
        let root = "http://gateway.marvel.com/v1/public"
        #expect(record.resourceURI == "\(root)/characters/1011334")
        #expect(record.comics.available == 11)
        #expect(record.comics.collectionURI == "\(root)/characters/1011334/comics")
        #expect(record.comics.returned == 2)
        #expect(record.comics.items.first?.resourceURI == "\(root)/comics/21366")
        #expect(record.comics.items.first?.type == nil)
        #expect(record.stories.items.map(\.type) == ["cover", "interiorStory"])
        #expect(record.events.items.map(\.name) == ["Secret Invasion"])
        #expect(record.urls.map(\.type) == ["detail", "wiki", "comiclink"])
        #expect(
            record.urls.first?.url
                == "http://marvel.com/comics/characters/1011334/3-d_man"
                + "?utm_campaign=apiRef&utm_source=1234")
    }

    @Test(arguments: [
        ("name=Spider-Man", ["Spider-Man"]),
        ("name=SPIDER-MAN", ["Spider-Man"]),
        ("name=Spider", []),
        ("name=iron+man", ["Iron Man"]),
        ("name=Iron%20Man", ["Iron Man"]),
        ("name=Iron%2BMan", []),
        ("name=iron%20man%2ftony%20stark%20(maa)", ["Iron Man/Tony Stark (MAA)"]),
        ("%6eame=thor", ["Thor"]),
        ("name=hulk&name=thor", ["Thor"]),
        ("&&name=thor&&", ["Thor"]),
        ("nameStartsWith=spider-w", ["Spider-Woman (Jessica Drew)"]),
        ("nameStartsWith=spe", ["Spectrum"]),
        ("nameStartsWith=%", []),
        ("nameStartsWith=%zz%f", []),
        ("nameStartsWith=%FF%FE", []),
        ("nameStartsWith=a&name=thor", []),
        ("nameStartsWith=%C3%89", []),
        ("name=thor#&limit=0", ["Thor"]),
    ])
    func charactersAreFilteredByName(query: String, names: [String]) throws {
        #expect(GatewayFixture.get("characters", query).status == 200)
        let page = try GatewayFixture.page(query)
        #expect(page.names == names)
        #expect(page.total == names.count)
        #expect(page.count == names.count)
    }

    @Test func charactersAreFilteredByDate() throws {
        let recent = try GatewayFixture.page("modifiedSince=2020-07-21&orderBy=modified")
        #expect(recent.total == 6)
        #expect(recent.names.last == "Baron Mordo (Karl Mordo)")
        #expect(recent.results.allSatisfy { $0.modified >= "2020-07-21" })
        let exact = "2021-08-12T22:48:49-0400"
        #expect(try GatewayFixture.page("modifiedSince=\(exact)").total == 1)
        #expect(try GatewayFixture.page("modifiedSince=2021-08-12T22:48:50-04:00").total == 0)
        #expect(try GatewayFixture.page("modifiedSince=9999-12-31").total == 0)
        #expect(try GatewayFixture.page("modifiedSince=0000-01-01").total > 60)
    }

    @Test func charactersAreSorted() throws {
        let all = GatewayCharacter.all
        let byName = try GatewayFixture.page("limit=100")
        #expect(byName.names.map { $0.lowercased() } == all.map(\.foldedName).sorted())
        #expect(try GatewayFixture.page("limit=100&orderBy=name").ids == byName.ids)
        #expect(try GatewayFixture.page("limit=100&orderBy=-name").ids == byName.ids.reversed())

        let byDate = try GatewayFixture.page("limit=100&orderBy=modified,-name")
        #expect(byDate.names.prefix(2) == ["Raza", "Daily Bugle"])
        #expect(byDate.names.last == "Baron Mordo (Karl Mordo)")
        let newest = try GatewayFixture.page("limit=100&orderBy=-modified,name")
        #expect(newest.ids == byDate.ids.reversed())
        #expect(
            newest.results.map { GatewayDate.instant($0.modified) ?? 0 }
                == all.map(\.instant).sorted(by: >))
        // The first order decides: names are unique, so the second order has no effect.
        #expect(try GatewayFixture.page("limit=100&orderBy=name,-modified").ids == byName.ids)
    }

    @Test(arguments: [1, 7, 20, 100], ["", "orderBy=modified&"])
    func pagesContainEveryCharacterOnce(limit: Int, order: String) throws {
        var ids: [Int] = []
        var pages = 0
        while pages < 1_000 {
            let page = try GatewayFixture.page("\(order)limit=\(limit)&offset=\(ids.count)")
            #expect(page.offset == ids.count)
            #expect(page.limit == limit)
            #expect(page.total == GatewayCharacter.all.count)
            #expect(page.count == page.results.count)
            if page.results.isEmpty { break }
            ids += page.ids
            pages += 1
        }
        #expect(Set(ids) == Set(GatewayCharacter.all.map(\.id)))
        #expect(ids.count == GatewayCharacter.all.count)
        #expect(pages == (ids.count + limit - 1) / limit)
    }
}
