// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import ServiceProviderTransfers
import TestSupport
import Testing

/// Values decoded from responses.
@Suite(.serialized, .opensFiles, .timeLimit) struct ValueStreamTests {
    private static let heroes = "{\"id\":1}\n\n{\"id\":2}\n"
    private static let events = "data: {\"id\":1}\n\n: wait\n\ndata: {\"id\":2}\n\n"

    @Test(
        arguments: TransportUnderTest.allCases,
        [
            ("text/event-stream", events), ("Text/Event-Stream; charset=utf-8", events),
            ("application/x-ndjson", heroes), ("application/jsonl; charset=utf-8", heroes),
            ("application/ndjson", "\u{FEFF}" + heroes), ("application/x-jsonlines", heroes),
        ])
    func theContentTypeDecidesTheFormat(
        _ transport: TransportUnderTest, _ response: (type: String, text: String)
    ) async throws {
        let server = try LoopbackServer(responses: [.events(response.text, type: response.type)])
        let values = try await transport.provider()
            .stream(service: server.service(), decodeType: Hero.self)
        #expect(await values.collected().elements == [Hero(id: 1), Hero(id: 2)])
        let accepted = "text/event-stream, application/x-ndjson, application/jsonl"
        #expect(server.requests.first?.header("Accept") == accepted)
    }

    @Test(
        arguments: TransportUnderTest.allCases,
        ["application/json", "text/html", "text/x-ndjson", ""]
    )
    func otherContentTypesAreRefused(_ transport: TransportUnderTest, type: String) async throws {
        let server = try LoopbackServer(responses: [.events(Self.heroes, type: type)])
        let provider = transport.provider()
        let error = try await failure {
            _ = try await provider.stream(service: server.service(), decodeType: Hero.self)
        }
        guard case .decoding(let cause as ServiceContentTypeError, _, _) = error else {
            Issue.record(error)
            return
        }
        #expect(cause.contentType == type)
        #expect(error.response?.data == Data(Self.heroes.utf8))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func valuesArriveWhileTheConnectionIsOpen(_ transport: TransportUnderTest) async throws {
        let text = "data: {\"id\":1}\n\ndata: [DONE]\n\n..."
        let server = try LoopbackServer(responses: [
            .events(text).cut(.stall, afterBodyBytes: text.utf8.count - 3)
        ])
        var found: [Hero] = []
        for try await hero in try await transport.provider()
            .stream(service: server.service().patient, decodeType: Hero.self, until: "[DONE]")
        { found.append(hero) }
        #expect(found == [Hero(id: 1)])
    }

    @Test(arguments: TransportUnderTest.allCases)
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
        for path in ["/lines", "/events"] {
            let service = server.service(path)
            let values = try await provider.stream(service: service, decodeType: Item.self)
            #expect(await values.collected().elements == [Item(heroName: "Hulk")])
        }
        let events = try provider.events(service: server.service("/events"))
        let items = await events.decoded(as: Item.self).collected().elements
        #expect(items == [Item(heroName: "Hulk")])
        let lines = try await provider.stream(service: server.service("/lines")).lines()
        #expect(await lines.decoded(as: Item.self).collected().elements == items)
        var service = server.service("/events")
        service.decoder = JSONDecoder()
        let plain = try await provider.stream(service: service, decodeType: Item.self)
        #expect(await plain.collected().error is ServiceError)
    }

    /// A server that fails in the middle of a stream sends its error as an element.
    @Test(arguments: TransportUnderTest.allCases)
    func theErrorDecodesTheElement(_ transport: TransportUnderTest) async throws {
        struct Failure: Decodable, Equatable { var message: String }
        let server = try LoopbackServer(responses: [
            .events("data: {\"id\":1}\n\ndata: {\"message\":\"overloaded\"}\n\n")
        ])
        let values = try await transport.provider()
            .stream(service: server.service(), decodeType: Hero.self)
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
            .events("{\"\(secret)\": 1}\n\(secret)\n", type: "application/jsonl")
        ])
        var service = server.service()
        service.headers = ["Authorization": "Bearer \(secret)"]
        let texts = Locked<[String]>([])
        let values = try await transport.provider().stream(
            service: service, decodeType: [String: String].self,
            skipping: { error in
                var dumped = ""
                dump(error, to: &dumped)
                texts { $0 += ["\(error)", error.localizedDescription, dumped] }
            })
        #expect(await values.collected().elements == [])
        #expect(texts { $0.count } == 6)
        #expect(texts { $0.allSatisfy { !$0.contains(secret) } })
    }

    @Test func stubsCanStreamValues() async throws {
        let stub = ServiceStub.data(
            Data(Self.heroes.utf8), headers: ["Content-Type": "application/jsonl"])
        let provider = ServiceProvider<TestService>(stubs: ServiceStubs(responses: [stub]))
        let values = try await provider.stream(service: TestService(), decodeType: Hero.self)
        #expect(await values.collected().elements == [Hero(id: 1), Hero(id: 2)])
    }

    /// The values don't have to be Sendable.
    @Test @MainActor func valuesNeedNotBeSendable() async throws {
        final class Box: Decodable { let id: Int }
        let server = try LoopbackServer(responses: [.events(Self.events)])
        var boxes: [Box] = []
        let provider = ServiceProvider<TestService>()
        for try await box in try await provider.stream(
            service: server.service(), decodeType: Box.self)
        { boxes.append(box) }
        #expect(boxes.map(\.id) == [1, 2])
    }
}
