// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Values decoded from responses.
@Suite(.serialized, .opensFiles, .timeLimit) struct ValueStreamTests {
    @Test(arguments: TransportUnderTest.allCases)
    func valuesArriveWhileTheConnectionIsOpen(_ transport: TransportUnderTest) async throws {
        let text = "data: {\"id\":1}\n\ndata: [DONE]\n\n..."
        let server = try LoopbackServer(responses: [
            .events(text).cut(.stall, afterBodyBytes: text.utf8.count - 3)
        ])
        let events = try transport.provider().events(service: server.service().patient)
        var found: [Hero] = []
        for try await hero in events.decoded(as: Hero.self, until: "[DONE]") { found.append(hero) }
        #expect(found == [Hero(id: 1)])
    }

    @Test(.row("C26"), arguments: TransportUnderTest.allCases)
    func theDecoderOfTheCallIsUsed(_ transport: TransportUnderTest) async throws {
        struct Item: Decodable, Equatable { var heroName: String }
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        let line = "{\"hero_name\":\"Hulk\"}"
        let server = try LoopbackServer {
            $0.path == "/lines"
                ? .events(line, type: "application/x-ndjson") : .events("data: \(line)\n\n")
        }
        let provider = ServiceProvider<TestService>(transport: transport.make(), decoder: decoder)
        let events = try provider.events(service: server.service("/events"))
        let items = await events.decoded(as: Item.self).collected().elements
        #expect(items == [Item(heroName: "Hulk")])
        let lines = try await provider.stream(service: server.service("/lines")).lines()
        #expect(await lines.decoded(as: Item.self).collected().elements == items)
        var service = server.service("/events")
        service.decoder = JSONDecoder()
        let plain = try provider.events(service: service).decoded(as: Item.self)
        #expect(await plain.collected().error is ServiceError)
    }

    /// A server that fails in the middle of a stream sends its error as an element.
    @Test(arguments: TransportUnderTest.allCases)
    func theErrorDecodesTheElement(_ transport: TransportUnderTest) async throws {
        struct Failure: Decodable, Equatable { var message: String }
        let server = try LoopbackServer(responses: [
            .events("data: {\"id\":1}\n\ndata: {\"message\":\"overloaded\"}\n\n")
        ])
        let values = try transport.provider()
            .events(service: server.service()).decoded(as: Hero.self)
        let error = try #require(await values.collected().error as? ServiceError)
        #expect(try error.response?.decode(Failure.self) == Failure(message: "overloaded"))
        #expect(error.response?.request.urlRequest.url?.path == "/start")
        #expect(error.description.contains("Decoding 'Hero (element 2)' failed at 'id': "))
    }

    /// A secret that the request sent and the server repeats isn't shown.
    @Test(arguments: TransportUnderTest.allCases)
    func errorsShowNoSecret(_ transport: TransportUnderTest) async throws {
        let secret = "s3cr3t-t0ken-of-the-call"
        let server = try LoopbackServer(responses: [
            .events("{\"\(secret)\": 1}\n", type: "application/jsonl")
        ])
        var service = server.service()
        service.headers = ["Authorization": "Bearer \(secret)"]
        let lines = try await transport.provider().stream(service: service).lines()
        let error = await lines.decoded(as: [String: String].self).collected().error
        let failure = try #require(error)
        var dumped = ""
        dump(failure, to: &dumped)
        for text in ["\(failure)", failure.localizedDescription, dumped] {
            #expect(!text.contains(secret))
        }
    }

    /// The values don't have to be Sendable.
    @Test @MainActor func valuesNeedNotBeSendable() async throws {
        final class Box: Decodable { let id: Int }
        let text = "data: {\"id\":1}\n\n: wait\n\ndata: {\"id\":2}\n\n"
        let server = try LoopbackServer(responses: [.events(text)])
        var boxes: [Box] = []
        let events = try ServiceProvider<TestService>().events(service: server.service())
        for try await box in events.decoded(as: Box.self) { boxes.append(box) }
        #expect(boxes.map(\.id) == [1, 2])
    }
}
