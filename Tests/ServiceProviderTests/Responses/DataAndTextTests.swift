// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Decoding as `Data` returns the body, and decoding as `String` returns its text, through every
/// kind of call.
@Suite(.serialized, .opensFiles, .timeLimit) struct DataAndTextTests {
    let server: LoopbackServer
    let provider = ServiceProvider<TestService>()

    init() throws {
        server = try LoopbackServer()
    }

    /// A generic wrapper, as in many apps.
    private func load<U: Decodable & SendableMetatype>(
        _ type: U.Type, _ service: TestService
    ) async throws -> sending U {
        try await provider.load(service: service, decodeType: type)
    }

    @Test func dataDecodesToTheBody() async throws {
        for text in ["<h>", #""aGVsbG8=""#, #"{"a":1}"#] {
            let body = Data(text.utf8)
            for _ in 0..<4 { server.enqueue(.data(body, contentType: "application/json")) }
            let service = server.service("/response")
            #expect(try await load(Data.self, service) == body)
            #expect(try await load(Data?.self, service) == body)
            #expect(try await provider.load(service: service, decodeType: Data.self) == body)
            let handled: ServiceResult<Data> = await withCheckedContinuation { continuation in
                provider.load(service: service, decodeType: Data.self) {
                    continuation.resume(returning: $0)
                }
            }
            #expect(handled.value == body)
        }
    }

    @Test(arguments: [
        ("text/plain", "hello", "hello"), ("text/plain", #""quoted""#, #""quoted""#),
        ("text/html; charset=utf-8", "<h>é</h>", "<h>é</h>"),
        ("application/json", #""a string""#, #""a string""#), ("application/json", "[1]", "[1]"),
        ("text/plain; charset=utf-16", "a", "a"),
        ("application/json", "no JSON", "no JSON"),
        ("application/octet-stream", "bytes", "bytes"),
    ])
    func stringDecodesToTheText(_ type: String, _ body: String, _ text: String) async throws {
        for _ in 0..<2 { server.enqueue(.data(Data(body.utf8), contentType: type)) }
        let service = server.service("/response")
        #expect(try await load(String.self, service) == text)
        #expect(try await load(String?.self, service) == text)
    }

    @Test func textThatIsNotUTF8IsAnError() async throws {
        let latin = server.responding(.data(Data([0xE9]), contentType: "text/plain"))
        let error = try await failure { _ = try await load(String.self, latin) }
        #expect(error.description.contains("Decoding 'String' failed: the text isn't UTF-8."))
    }

    @Test func emptyBodiesDecodeToEmptyDataOrNil() async throws {
        let service = server.responding(.statusCode(204))
        #expect(try await load(Data.self, service).isEmpty)
        server.enqueue(.statusCode(204), .statusCode(204))
        #expect(try await load(Data?.self, service) == nil)
        #expect(try await load(String?.self, service) == nil)
        server.enqueue(.statusCode(204))
        let error = try await failure { _ = try await load(String.self, service) }
        guard case .emptyResponse = error else { throw error }
    }

    /// A custom decoder can read the headers.
    private struct ByVersion: ServiceDecoder {
        func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U {
            try JSONDecoder().decode(type, from: data)
        }

        func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U {
            let data =
                response.header("X-Version") == "2"
                ? Data(response.data.dropFirst()) : response.data
            return try decode(type, from: data)
        }
    }

    @Test func aDecoderMayReadHeaders() async throws {
        server.enqueue(.text("7"), .text("#7").header("X-Version", "2"))
        let provider = ServiceProvider<TestService>(decoder: ByVersion())
        let service = server.service("/response")
        for _ in 0..<2 {
            #expect(try await provider.load(service: service, decodeType: Int.self) == 7)
        }
    }
}
