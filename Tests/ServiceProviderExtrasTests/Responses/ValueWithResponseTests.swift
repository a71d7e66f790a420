// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// A decoded value together with its response.
@Suite(.serialized, .opensFiles, .timeLimit) struct ValueWithResponseTests {
    @Test(arguments: TransportUnderTest.allCases)
    func asyncCallsReturnBoth(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .json(#"{"id": 7}"#).header("X-Left", "9") }
        let (hero, response) = try await transport.provider().response(
            for: server.service(), decodeType: Hero.self)
        #expect(hero == Hero(id: 7))
        #expect(response.header("x-left") == "9")
        #expect(response.statusCode == 200)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func handlersGetBoth(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .json(#"{"id": 7}"#, status: 201) }
        let text: String = await withCheckedContinuation { continuation in
            transport.provider().response(for: server.service(), decodeType: Hero.self) { result in
                MainActor.assertIsolated()
                let both = try? result.get()
                continuation.resume(
                    returning: "\(both?.value.id ?? 0) \(both?.response.statusCode ?? 0)")
            }
        }
        #expect(text == "7 201")
    }

    @Test func anOptionalIsNilForAnEmptyBody() async throws {
        let server = try LoopbackServer { _ in .status(204).header("X-Left", "9") }
        let provider = ServiceProvider<TestService>()
        let (hero, response) = try await provider.response(
            for: server.service(), decodeType: Hero?.self)
        #expect(hero == nil)
        #expect(response.header("X-Left") == "9")
        let isEmpty = await withCheckedContinuation { continuation in
            provider.response(for: server.service(), decodeType: Hero?.self) { result in
                continuation.resume(returning: (try? result.get()?.response.statusCode) == 204)
            }
        }
        #expect(isEmpty)
    }

    @Test func failuresArePassedOn() async throws {
        let server = try LoopbackServer(responses: [
            .status(404), .json("[]"), .status(204), .status(204),
        ])
        let provider = ServiceProvider<TestService>()
        func code() async throws -> ServiceError {
            try await failure {
                _ = try await provider.response(for: server.service(), decodeType: Hero.self)
            }
        }
        #expect(try await code().unacceptableStatus == 404)
        let undecodable = try await code()
        #expect(undecodable.description.hasPrefix("Decoding 'Hero' failed"))
        let empty = try await code()
        #expect(empty.response?.statusCode == 204)
        let isEmpty = await withCheckedContinuation { continuation in
            provider.response(for: server.service(), decodeType: Hero.self) { result in
                var isEmpty = false
                if case .empty = result { isEmpty = true }
                continuation.resume(returning: isEmpty)
            }
        }
        #expect(isEmpty)
    }
}
