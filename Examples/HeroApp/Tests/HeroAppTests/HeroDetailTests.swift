// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import LoopbackServer
import ServiceProvider
import ServiceProviderTesting
import Testing

@testable import HeroApp

@Suite(.timeLimit(.minutes(1))) @MainActor struct HeroDetailTests {
    private let old = HeroDetails(biography: "Old", powers: [])
    private let new = HeroDetails(biography: "New", powers: [])
    private let oldStub = ServiceStub.json(#"{"biography": "Old", "powers": []}"#)
    private let newResponse = LoopbackResponse.json(#"{"biography": "New", "powers": []}"#)

    @Test func detailsAreLoaded() async throws {
        let model = HeroDetail(hero: .preview, provider: .local(try .heroes()))
        #expect(model.phase == .loading)
        await model.load()
        let storm = HeroDetails(
            biography: "Ororo Munroe, who commands the weather.", powers: ["Weather", "Flight"])
        #expect(model.phase == .loaded(storm))
    }

    @Test func aRetryShowsProgressAndThenTheDetails() async throws {
        let server = try WaitingServer(["": newResponse])
        let model = HeroDetail(
            hero: .preview, provider: .local(server.server, after: .json(#"{"biography": 1}"#)))
        await model.load()
        #expect(model.phase == .failed(.other))
        let retries = model.retries
        model.retry()
        // The view starts a new task, because the number has changed.
        #expect(model.retries != retries)
        let retry = Task { await model.load() }
        _ = await server.next()
        #expect(model.phase == .loading)
        server.answer("")
        await retry.value
        #expect(model.phase == .loaded(new))
        #expect(server.server.requests.last?.path == "/v1/heroes/5")
    }

    @Test func aFailedRefreshKeepsTheDetailsAndSaysSo() async {
        let model = HeroDetail(hero: .preview, provider: .preview(oldStub, .offline, .details))
        await model.load()
        await model.refresh()
        #expect(model.phase == .outdated(old, .unreachable))
        await model.refresh()
        #expect(model.phase.value?.powers == ["Weather", "Flight"])
        #expect(model.phase == model.phase.value.map { .loaded($0) })
    }

    @Test func aRetryAfterAFailedRefreshShowsProgress() async throws {
        let server = try WaitingServer(["": newResponse])
        let model = HeroDetail(
            hero: .preview, provider: .local(server.server, after: oldStub, .offline))
        await model.load()
        await model.refresh()
        let retry = Task { await model.load() }
        _ = await server.next()
        #expect(model.phase == .refreshing(old))
        server.answer("")
        await retry.value
        #expect(model.phase == .loaded(new))
    }

    @Test func leavingTheScreenIsNoError() async throws {
        let server = try WaitingServer(["": .statusCode(503)])
        let model = HeroDetail(hero: .preview, provider: .local(server.server))
        let call = Task { await model.load() }
        _ = await server.next()
        call.cancel()
        await call.value
        server.answer("")
        #expect(model.phase == .loading)
    }
}
