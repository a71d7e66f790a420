// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Dispatch
import HeroModel
import HeroServer
import LoopbackServer
import ServiceProvider
import Testing

@Suite(.timeLimit(.minutes(1))) struct HeroDetailTests {
    private func hero(_ name: String, on server: LoopbackServer) async throws -> Hero {
        let heroes = try await ServiceProvider<HeroService>.local(server)
            .load(service: .heroes(name: name), decodeType: [Hero].self)
        return try #require(heroes.first)
    }

    @Test func detailsAreLoaded() async throws {
        let server = try LoopbackServer.heroes()
        let model = HeroDetail(
            hero: try await hero("Storm", on: server), provider: .local(server))
        #expect(model.details == nil)
        await model.load()
        #expect(model.details?.powers == ["Weather", "Flight"])
        #expect(model.errorText == nil)
    }

    @Test func anErrorIsShownUntilALoadSucceeds() async throws {
        let server = try LoopbackServer(responses: [
            .json(#"[{"id": 7, "name": "Nova"}]"#), .json(#"{"biography": 1}"#),
            .json(#"{"biography": "Richard Rider", "powers": []}"#),
        ])
        let model = HeroDetail(hero: try await hero("Nova", on: server), provider: .local(server))
        await model.load()
        #expect(model.errorText == "The response can't be read.")
        await model.load()
        #expect(model.errorText == nil)
        #expect(model.details?.biography == "Richard Rider")
        #expect(server.requests.last?.path == "/v1/heroes/7")
    }

    /// The older call's response arrives last.
    @Test(arguments: [
        LoopbackResponse.statusCode(404), .json(#"{"biography": "Old", "powers": []}"#),
    ])
    func anOlderResponseThatArrivesLaterIsIgnored(older: LoopbackResponse) async throws {
        let new = LoopbackResponse.json(#"{"biography": "New", "powers": []}"#)
        let (isFirst, isNewAnswered) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let (arrivals, arrival) = AsyncStream.makeStream(of: Void.self)
        let server = try LoopbackServer { _ in
            let isOlder = isFirst.wait(timeout: .now()) == .success
            arrival.yield()
            // The limit ends this thread if the test fails before it signals.
            if isOlder { _ = isNewAnswered.wait(timeout: .now() + 30) }
            return isOlder ? older : new
        }
        isFirst.signal()
        let model = HeroDetail(
            hero: try await hero("Storm", on: .heroes()), provider: .local(server))
        var arrived = arrivals.makeAsyncIterator()
        let first = Task { await model.load() }
        _ = await arrived.next()
        let second = Task { await model.load() }
        _ = await arrived.next()
        await second.value
        isNewAnswered.signal()
        await first.value
        #expect(model.details?.biography == "New")
        #expect(model.errorText == nil)
    }

    @Test func leavingTheScreenCancelsTheCallWithoutAnError() async throws {
        let hero = try await hero("Storm", on: .heroes())
        let server = try WaitingServer(["": .statusCode(503)])
        let model = HeroDetail(hero: hero, provider: .local(server.server))
        let call = Task { await model.load() }
        _ = await server.next()
        call.cancel()
        await call.value
        server.answer("")
        #expect(model.errorText == nil)
        #expect(model.details == nil)
    }
}
