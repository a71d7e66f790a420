// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Services that name their response type.
@Suite(.serialized, .opensFiles, .timeLimit) struct TypedServiceTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    struct Greeting: TypedService {
        typealias Response = String
        var baseURL: String
        var path: String { "/greeting" }
    }
    struct MaybeBytes: TypedService {
        typealias Response = Data?
        var baseURL: String
        var path: String { "/bytes" }
    }

    @Test func aTypedServiceDecodesItsResponse() async throws {
        server.enqueue(.text("hello"), .text("bytes"), .status(204))
        let greeting = Greeting(baseURL: server.baseURL)
        #expect(try await ServiceProvider<Greeting>().load(service: greeting) == "hello")
        let bytes = MaybeBytes(baseURL: server.baseURL)
        let provider = ServiceProvider<MaybeBytes>()
        #expect(try await provider.load(service: bytes) == Data("bytes".utf8))
        #expect(try await provider.load(service: bytes) == nil)
    }

    struct Bytes: TypedService {
        typealias Response = Data
        var baseURL: String
        var path: String { "/bytes" }
    }

    /// A decoder that reads a part of the body doesn't change what a service of `Data` returns.
    @Test func dataIsTheBodyAsItIs() async throws {
        let body = #"{"picture": "aGVsbG8="}"#
        server.enqueue(.json(body), .json(body))
        let provider = ServiceProvider<Bytes>().decoding(at: "picture")
        let service = Bytes(baseURL: server.baseURL)
        #expect(try await provider.load(service: service) == Data(body.utf8))
    }
}
