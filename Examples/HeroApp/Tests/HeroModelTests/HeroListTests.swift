// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import HeroModel
import HeroServer
import LoopbackServer
import Observation
import ServiceProvider
import Testing

// The tests compare with `== true`, because `#expect(model.isLoading)` prints the whole model if it
// fails. On Linux, that crashes if a URLSession task is running.
@Suite(.timeLimit(.minutes(1))) struct HeroListTests {
    @Test func allHeroesAreListedWithoutASearchText() async throws {
        let model = HeroList(provider: .local(try .heroes()))
        await model.search()
        #expect(model.heroes.count == 6)
        #expect(model.heroes.first?.name == "Hulk")
        #expect(model.errorText == nil)
        #expect(model.isLoading == false)
    }

    @Test(arguments: [
        ("spider", ["Spider-Man", "Spider-Woman"]), ("Iron M", ["Iron Man"]), ("x & y", []),
    ])
    func searchTextsFilterTheList(text: String, names: [String]) async throws {
        let model = HeroList(provider: .local(try .heroes()), pause: .zero)
        model.searchText = text
        await model.search()
        #expect(model.heroes.map(\.name) == names)
        #expect(model.errorText == nil)
    }

    @Test(arguments: [
        LoopbackResponse.json(#"[{"id": 5, "name": "Storm"}]"#), .statusCode(503),
    ])
    func anOlderResponseThatArrivesLaterIsIgnored(response: LoopbackResponse) async throws {
        let server = try WaitingServer(["name=S": response, "name=H": hulk])
        let model = HeroList(provider: .local(server.server), pause: .zero)
        let older = try await search("S", model, server)
        let newer = try await search("H", model, server)
        server.answer("name=H")
        await newer.value
        #expect(model.isLoading == false)
        server.answer("name=S")
        await older.value
        #expect(model.heroes.map(\.name) == ["Hulk"])
        #expect(model.errorText == nil)
    }

    @Test func loadingIsShownUntilTheNewestCallEnds() async throws {
        let server = try WaitingServer(["name=S": .statusCode(503), "name=H": hulk])
        let model = HeroList(provider: .local(server.server), pause: .zero)
        let older = try await search("S", model, server)
        let newer = try await search("H", model, server)
        server.answer("name=S")
        await older.value
        #expect(model.isLoading == true)
        #expect(model.errorText == nil)
        server.answer("name=H")
        await newer.value
        #expect(model.isLoading == false)
    }

    private let hulk = LoopbackResponse.json(#"[{"id": 1, "name": "Hulk"}]"#)

    /// Starts a search, and waits until its request has arrived.
    private func search(
        _ text: String, _ model: HeroList, _ server: WaitingServer
    ) async throws -> Task<Void, Never> {
        model.searchText = text
        let task = Task { await model.search() }
        try #require(await server.next() == "name=\(text)")
        return task
    }

    @Test func aRefreshReplacesTheList() async throws {
        let server = try LoopbackServer(responses: [
            .json(#"[{"id": 1, "name": "Hulk"}]"#), .json(#"[{"id": 6, "name": "Thor"}]"#),
        ])
        let model = HeroList(provider: .local(server))
        await model.load()
        #expect(model.heroes.map(\.name) == ["Hulk"])
        await model.load()
        #expect(model.heroes.map(\.name) == ["Thor"])
    }

    @Test func aFailedRefreshShowsAnErrorAndKeepsTheList() async throws {
        let server = try LoopbackServer(responses: [
            .json(#"[{"id": 1, "name": "Hulk"}]"#),
            .json(#"{"message": "Try again later."}"#, statusCode: 503),
            .json("[]"),
        ])
        let model = HeroList(provider: .local(server))
        await model.load()
        await model.load()
        #expect(model.errorText == "Try again later.")
        #expect(model.heroes.map(\.name) == ["Hulk"])
        await model.load()
        #expect(model.errorText == nil)
        #expect(model.heroes.isEmpty)
    }

    @Test func searchingForErrorShowsAnError() async throws {
        let model = HeroList(provider: .local(try .heroes()), pause: .zero)
        model.searchText = "error"
        await model.search()
        #expect(model.errorText == "Heroes are busy. Try again later.")
    }

    @Test func leavingTheScreenCancelsTheCallWithoutAnError() async throws {
        let server = try WaitingServer(["": .statusCode(503)])
        let model = HeroList(provider: .local(server.server))
        let call = Task { await model.load() }
        _ = await server.next()
        #expect(model.isLoading == true)
        call.cancel()
        await call.value
        server.answer("")
        #expect(model.isLoading == false)
        #expect(model.errorText == nil)
    }

    @Test func changingTheTextCancelsTheOldSearchBeforeItsRequest() async throws {
        let server = try LoopbackServer.heroes()
        let model = HeroList(provider: .local(server), pause: .seconds(3_600))
        model.searchText = "S"
        let search = Task { await model.search() }
        search.cancel()
        await search.value
        #expect(server.requests.isEmpty)
    }

    @Test func viewsObserveChanges() async throws {
        let model = HeroList(provider: .local(try .heroes()))
        await confirmation { changed in
            withObservationTracking {
                _ = model.heroes
            } onChange: {
                changed()
            }
            await model.load()
        }
    }
}
