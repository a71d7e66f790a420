// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// The service's decoder is used if it has one, and the provider's decoder otherwise.
@Suite(.serialized, .opensFiles, .timeLimit) struct DecoderTests {
    let server: LoopbackServer

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

    @Test func theServicesDecoderOverridesTheProviders() async throws {
        let provider = ServiceProvider<TestService>(decoder: PropertyListDecoder())
        let body = LoopbackResponse.json(#"{"start_date": 60}"#)
        let service = server.responding(body, decoder: Self.snakes)
        let event = try await provider.load(service: service, decodeType: Event.self)
        #expect(event.startDate.timeIntervalSince1970 == 60)
        let handled = await withCheckedContinuation { continuation in
            provider.load(
                service: server.responding(body, decoder: Self.snakes), decodeType: Event.self
            ) { continuation.resume(returning: $0.value?.startDate) }
        }
        #expect(handled == event.startDate)
    }

    @Test(.row("C12")) func responsesUseTheDecoderOfTheirCall() async throws {
        let body = LoopbackResponse.json(#"{"start_date": 60}"#)
        let provider = ServiceProvider<TestService>(decoder: Self.snakes)
        let response = try await provider.response(service: server.responding(body))
        #expect(try response.decode(Event.self).startDate.timeIntervalSince1970 == 60)
        #expect(try response.decode(Data.self) == response.data)
        let bare = ServiceResponse(
            request: try TestService().request(), statusCode: 200,
            data: Data(#"{"startDate": 60}"#.utf8))
        #expect(try bare.decode(Event?.self)?.startDate.timeIntervalSinceReferenceDate == 60)
    }

    /// Decodes each value from another place than the body.
    struct Elsewhere: ServiceDecoder {
        func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U {
            try JSONDecoder().decode(type, from: Data(#""YQ==""#.utf8))
        }

        func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U {
            try decode(type, from: response.data)
        }
    }

    @Test func callsWithoutATypeDecodeNothing() async throws {
        let provider = ServiceProvider<TestService>(decoder: Elsewhere())
        let service = server.responding(.text("body"))
        #expect(try await provider.load(service: service) == Data("body".utf8))
        let handled: ServiceResult<Data> = await withCheckedContinuation { continuation in
            provider.load(service: server.responding(.text("body"))) { result in
                continuation.resume(returning: result)
            }
        }
        #expect(handled.value == Data("body".utf8))
        let decoded = try await provider.load(
            service: server.responding(.text("body")), decodeType: Data.self)
        #expect(decoded == Data("a".utf8))
    }

    struct Hostile: Decodable {
        var number: Int?
        var fraction: Double?
        var nested: [[Int]]?
    }

    /// Numbers too large for any type, and nesting too deep for any stack.
    @Test(
        .row("L11"),
        arguments: [
            #"{"number": 1.5}"#, #"{"number": 1e400}"#, #"{"number": 9223372036854775808}"#,
            #"{"fraction": 1e400}"#, #"{"fraction": NaN}"#, #"{"number": "1"}"#, #"{"number": 1"#,
            String(repeating: "[", count: 100_000),
            String(repeating: #"{"nested":"#, count: 100_000),
            #"{"nested":"# + String(repeating: "[", count: 100_000)
                + String(repeating: "]", count: 100_000) + "}",
        ])
    func hostileJSONIsAnError(_ text: String) async throws {
        let service = server.responding(.json(text))
        let error = await #expect(throws: ServiceError.self) {
            try await ServiceProvider<TestService>()
                .load(service: service, decodeType: Hostile.self)
        }
        guard case .decoding = error else {
            Issue.record("\(error as Any)")
            return
        }
    }

    @Test func redirectsKeepTheServicesDecoder() async throws {
        let provider = ServiceProvider<TestService>()
        let service = server.responding(.redirect(to: "/next"), decoder: Self.snakes)
        server.enqueue(.json(#"{"start_date": 60}"#))
        let event = try await provider.load(service: service, decodeType: Event.self)
        #expect(event.startDate.timeIntervalSince1970 == 60)
    }
}
