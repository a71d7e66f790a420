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
