// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Key paths with decoders of different kinds.
@Suite(.serialized, .opensFiles, .timeLimit) struct KeyPathDecoderTests {
    let server: LoopbackServer
    let provider = ServiceProvider<TestService>()

    init() throws { server = try LoopbackServer() }

    struct Event: Decodable {
        var startDate: Date
    }

    static let snakes: JSONDecoder = {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .secondsSince1970
        return decoder
    }()

    static let list = """
        <plist version="1.0"><dict><key>a</key><array><dict><key>id</key><integer>4</integer></dict>
        </array></dict></plist>
        """

    /// Unlike a whole body, a string or data at a key path is decoded by the decoder.
    @Test func stringsAndDataAtAKeyPathAreDecoded() async throws {
        let json = #"{"name":"Hulk","picture":"aGVsbG8="}"#
        server.enqueue(.json(json), .json(json), .text("Hulk"))
        let service = server.service("/response")
        #expect(
            try await provider.decoding(at: "name").load(service: service, decodeType: String.self)
                == "Hulk")
        #expect(
            try await provider.decoding(at: "picture").load(service: service, decodeType: Data.self)
                == Data("hello".utf8))
        await #expect(throws: ServiceError.self) {
            try await provider.decoding(at: "name").load(service: service, decodeType: String.self)
        }
    }

    /// A path uses the keys of the model (`startDate`). The decoder also decodes a date at the path
    /// itself.
    @Test(arguments: [true, false]) func pathsUseTheKeysOfTheCallsDecoder(isTheServices: Bool)
        async throws
    {
        let own = isTheServices ? Self.snakes : nil
        let provider = ServiceProvider<TestService>(
            decoder: isTheServices ? PropertyListDecoder() : Self.snakes)
        let body = LoopbackResponse.json(#"{"the_event": {"start_date": 60}}"#)
        let event = try await provider.decoding(at: "theEvent")
            .load(service: server.responding(body, decoder: own), decodeType: Event.self)
        let date = try await provider.decoding(at: "theEvent.startDate")
            .load(service: server.responding(body, decoder: own), decodeType: Date.self)
        #expect([event.startDate, date].map(\.timeIntervalSince1970) == [60, 60])
    }

    @Test(arguments: [("a.0.id", 4), ("a.0.no", nil), ("a.1", nil), ("b", nil)])
    func pathsWorkInPropertyLists(path: String, id: Int?) async throws {
        let provider = ServiceProvider<TestService>(decoder: PropertyListDecoder())
        let service = server.responding(.text(Self.list))
        let found = try await provider.decoding(at: path).load(
            service: service, decodeType: Int?.self)
        #expect(found == id)
    }

    @Test func missingValuesInPropertyListsAreErrors() async throws {
        let provider = ServiceProvider<TestService>(decoder: PropertyListDecoder())
        let error = try await failure {
            let service = server.responding(.text(Self.list))
            _ = try await provider.decoding(at: "a.0.no").load(
                service: service, decodeType: Int.self)
        }
        #expect(
            error.description.hasSuffix("Decoding 'Int' failed at 'a[0].no': the value is missing.")
        )
    }

    /// The path of the developer is shown; keys that a server may have chosen aren't.
    @Test func keysOfDictionariesAreNotShown() async throws {
        let service = server.responding(.json(#"{"theEvents": {"secret": {"startDate": "x"}}}"#))
        let error = try await failure {
            _ = try await provider.decoding(at: "theEvents").load(
                service: service, decodeType: [String: Event].self)
        }
        let text = "failed at 'theEvents.….startDate': expected 'Double' but found a string."
        #expect(error.description.hasSuffix(text))
    }

    /// A decoder that isn't Foundation's and has no `userInfo`.
    struct Wrapping: ServiceDecoder {
        func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U {
            try JSONDecoder().decode(type, from: data.dropFirst(4))
        }
    }

    @Test func pathsWorkWithAnyDecoder() async throws {
        let provider = ServiceProvider<TestService>()
        let service = server.responding(.text(#")]}'{"a": [7]}"#), decoder: Wrapping())
        #expect(
            try await provider.decoding(at: "a.0").load(service: service, decodeType: Int.self) == 7
        )
    }

    /// A model that runs another decoder doesn't confuse the path.
    struct Nested: Decodable {
        var value: [String: Int]

        init(from decoder: any Decoder) throws {
            let text = try decoder.singleValueContainer().decode(String.self)
            value = try JSONDecoder().decode([String: Int].self, from: Data(text.utf8))
        }
    }

    @Test func modelsMayRunTheirOwnDecoder() async throws {
        let provider = ServiceProvider<TestService>()
        let service = server.responding(.json(#"{"a": {"b": "{\"a\": 1}"}}"#))
        let nested = try await provider.decoding(at: "a.b").load(
            service: service, decodeType: Nested.self)
        #expect(nested.value == ["a": 1])
    }
}
