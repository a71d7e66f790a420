// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import Observation
import ServiceProvider
import ServiceProviderTesting
import Testing

@testable import HeroApp

/// Each state of the list, and each way from one to another.
@Suite(.timeLimit(.minutes(1))) @MainActor struct HeroListTests {
    private let hulk = LoopbackResponse.json(#"[{"id": 1, "name": "Hulk"}]"#)
    private let hulkStub = ServiceStub.json(#"[{"id": 1, "name": "Hulk"}]"#)
    private let found = HeroList.Found(text: "", heroes: [Hero(id: 1, name: "Hulk")])
    private let failure = LoopbackResponse.json(#"{"message": "Too busy."}"#, statusCode: 503)

    // MARK: - Loading and failing

    @Test func theListIsLoadingBeforeTheFirstCall() {
        let model = HeroList(provider: .preview())
        #expect(model.phase == .loading)
    }

    @Test func allHeroesAreListedWithoutASearchText() async throws {
        let model = HeroList(provider: .local(try .heroes()))
        await model.search()
        guard case .loaded(let found) = model.phase else {
            Issue.record("\(model.phase)")
            return
        }
        #expect(found.heroes.count == 6)
        #expect(found.heroes.first?.name == "Hulk")
    }

    @Test func aListWithoutHeroesIsEmpty() async {
        let model = HeroList(provider: .preview(.json("[]")))
        await model.search()
        #expect(model.phase == .empty(HeroList.Found(text: "", heroes: [])))
    }

    @Test func aRetryShowsProgressAndNoError() async throws {
        let server = try WaitingServer(["": hulk])
        let model = HeroList(provider: .local(server.server, after: .offline))
        await model.search()
        #expect(model.phase == .failed(.unreachable))
        let query = model.query
        model.retry()
        // The view starts a new task, because the query has changed.
        #expect(model.query != query)
        let retry = Task { await model.search() }
        _ = await server.next()
        #expect(model.phase == .loading)
        server.answer("")
        await retry.value
        #expect(model.phase == .loaded(found))
    }

    @Test func aFailedRetryShowsTheNewError() async {
        let model = HeroList(provider: .preview(.offline, .statusCode(500)))
        await model.search()
        #expect(model.phase == .failed(.unreachable))
        model.retry()
        await model.search()
        #expect(model.phase == .failed(.serverProblem))
    }

    // MARK: - Refreshing

    @Test func aRefreshReplacesTheList() async {
        let model = HeroList(provider: .preview(.json("[]"), .heroes))
        await model.search()
        await model.refresh()
        #expect(model.phase.value?.heroes.map(\.name) == ["Hulk", "Storm"])
        #expect(model.phase == model.phase.value.map { .loaded($0) })
    }

    @Test func aFailedRefreshKeepsTheListAndSaysSo() async throws {
        let server = try WaitingServer(["": hulk])
        let model = HeroList(provider: .local(server.server, after: hulkStub, .offline))
        await model.search()
        await model.refresh()
        #expect(model.phase == .outdated(found, .unreachable))
        // The old error disappears when the next call starts.
        let refresh = Task { await model.refresh() }
        _ = await server.next()
        #expect(model.phase == .loaded(found))
        server.answer("")
        await refresh.value
        #expect(model.phase == .loaded(found))
    }

    @Test func aRetryAfterAFailedRefreshShowsProgress() async throws {
        let server = try WaitingServer(["": failure])
        let model = HeroList(provider: .local(server.server, after: hulkStub, .offline))
        await model.search()
        await model.refresh()
        model.retry()
        let retry = Task { await model.search() }
        _ = await server.next()
        #expect(model.phase == .refreshing(found))
        server.answer("")
        await retry.value
        #expect(model.phase == .outdated(found, .message("Too busy.")))
    }

    @Test func aRefreshThatFindsNothingEmptiesTheList() async {
        let model = HeroList(provider: .preview(.heroes, .json("[]")))
        await model.search()
        await model.refresh()
        #expect(model.phase == .empty(HeroList.Found(text: "", heroes: [])))
    }

    @Test func aFailedRefreshWithAnotherTextDoesNotKeepTheOldList() async throws {
        let model = HeroList(provider: .preview(.heroes, .offline), pause: .seconds(3_600))
        await model.search()
        let all = try #require(model.phase.value)
        model.searchText = "Thor"
        let search = Task { await model.search() }
        await until { model.phase != .loaded(all) }
        await model.refresh()
        #expect(model.phase == .failed(.unreachable))
        search.cancel()
        await search.value
        #expect(model.phase == .failed(.unreachable))
    }

    // MARK: - Searching

    @Test(arguments: [
        ("spider", ["Spider-Man", "Spider-Woman"]), ("Iron M", ["Iron Man"]),
    ])
    func searchTextsFilterTheList(text: String, names: [String]) async throws {
        let model = HeroList(provider: .local(try .heroes()), pause: .zero)
        model.searchText = text
        await model.search()
        #expect(model.phase.value?.heroes.map(\.name) == names)
    }

    @Test func noMatchNamesTheTextOfItsOwnSearch() async throws {
        let model = HeroList(provider: .local(try .heroes()), pause: .zero)
        model.searchText = "x & y"
        await model.search()
        model.searchText = "sp"
        // The view hasn't started the next search yet.
        #expect(model.phase == .empty(HeroList.Found(text: "x & y", heroes: [])))
    }

    @Test func noMatchIsntShownDuringThePauseOfTheNextSearch() async {
        let model = HeroList(provider: .preview(.json("[]")), pause: .seconds(3_600))
        await model.search()
        model.searchText = "spider"
        let search = Task { await model.search() }
        await until { model.phase == .loading }
        #expect(model.phase == .loading)
        search.cancel()
        await search.value
    }

    @Test func theOldListStaysDuringANewSearchButNotAfterItsFailure() async throws {
        let server = try WaitingServer(["": hulk, "name=S": failure])
        let model = HeroList(provider: .local(server.server), pause: .zero)
        let first = try await search("", model, server)
        server.answer("")
        await first.value
        let second = try await search("S", model, server)
        #expect(model.phase == .refreshing(found))
        server.answer("name=S")
        await second.value
        #expect(model.phase == .failed(.message("Too busy.")))
    }

    @Test(arguments: [
        LoopbackResponse.json(#"[{"id": 5, "name": "Storm"}]"#), .json("[]"), .statusCode(503),
    ])
    func aSlowerOlderSearchIsIgnored(response: LoopbackResponse) async throws {
        let server = try WaitingServer(["name=S": response, "name=H": hulk])
        let model = HeroList(provider: .local(server.server), pause: .zero)
        let older = try await search("S", model, server)
        let newer = try await search("H", model, server)
        server.answer("name=H")
        await newer.value
        server.answer("name=S")
        await older.value
        #expect(model.phase == .loaded(HeroList.Found(text: "H", heroes: found.heroes)))
    }

    @Test(arguments: [LoopbackResponse.json("[]"), .statusCode(503)])
    func anOlderSearchThatEndsFirstChangesNothing(response: LoopbackResponse) async throws {
        let server = try WaitingServer(["name=S": response, "name=H": hulk])
        let model = HeroList(provider: .local(server.server), pause: .zero)
        let older = try await search("S", model, server)
        let newer = try await search("H", model, server)
        server.answer("name=S")
        await older.value
        #expect(model.phase == .loading)
        server.answer("name=H")
        await newer.value
        #expect(model.phase.value?.heroes.map(\.name) == ["Hulk"])
    }

    /// Starts a search, and waits until its request has arrived.
    private func search(
        _ text: String, _ model: HeroList, _ server: WaitingServer
    ) async throws -> Task<Void, Never> {
        model.searchText = text
        let task = Task { await model.search() }
        let query = await server.next()
        try #require(query == (text.isEmpty ? "" : "name=\(text)"))
        return task
    }

    // MARK: - Cancelling

    @Test func leavingTheScreenDuringTheFirstCallIsNoError() async throws {
        let server = try WaitingServer(["": failure])
        let model = HeroList(provider: .local(server.server))
        let call = Task { await model.search() }
        _ = await server.next()
        call.cancel()
        await call.value
        server.answer("")
        #expect(model.phase == .loading)
    }

    @Test func leavingTheScreenDuringALaterCallKeepsTheList() async throws {
        let server = try WaitingServer(["": failure])
        let model = HeroList(provider: .local(server.server, after: hulkStub))
        await model.search()
        let call = Task { await model.search() }
        _ = await server.next()
        #expect(model.phase == .refreshing(found))
        call.cancel()
        await call.value
        server.answer("")
        #expect(model.phase == .loaded(found))
    }

    @Test func leavingTheScreenDuringARetryShowsTheErrorAgain() async throws {
        let server = try WaitingServer(["": hulk])
        let model = HeroList(provider: .local(server.server, after: .offline))
        await model.search()
        let retry = Task { await model.search() }
        _ = await server.next()
        retry.cancel()
        await retry.value
        server.answer("")
        #expect(model.phase == .failed(.unreachable))
    }

    @Test func aCancelledRefreshLeavesTheFirstCallInCharge() async throws {
        let server = try WaitingServer(["": hulk])
        let model = HeroList(provider: .local(server.server))
        let first = Task { await model.search() }
        _ = await server.next()
        let refresh = Task { await model.refresh() }
        _ = await server.next()
        refresh.cancel()
        await refresh.value
        #expect(model.phase == .loading)
        for _ in 1...2 { server.answer("") }
        await first.value
        #expect(model.phase == .loaded(found))
    }

    @Test func changingTheTextCancelsTheOldSearchBeforeItsRequest() async throws {
        let server = try LoopbackServer.heroes()
        let model = HeroList(provider: .local(server), pause: .seconds(3_600))
        model.searchText = "S"
        let search = Task { await model.search() }
        search.cancel()
        await search.value
        #expect(server.requests.isEmpty)
        #expect(model.phase == .loading)
    }

    @Test func viewsObserveChanges() async {
        let model = HeroList(provider: .preview(.heroes))
        await confirmation { changed in
            withObservationTracking {
                _ = model.phase
            } onChange: {
                changed()
            }
            await model.search()
        }
    }
}
