// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Models decoded from the responses of failed calls.
@Suite(.serialized, .opensFiles, .timeLimit) struct ErrorDecodingTests {
    let server: LoopbackServer
    let provider = ServiceProvider<TestService>()

    init() throws { server = try LoopbackServer() }

    struct Problem: Decodable, Equatable { var errorCode: Int }

    private var snakeCase: JSONDecoder {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        return decoder
    }

    @Test(.row("C11")) func errorBodiesAreDecodedWithTheCallsDecoder() async throws {
        let response = LoopbackResponse.json(#"{"error_code":7}"#, statusCode: 409)
        let plain = try await failure {
            _ = try await provider.load(service: server.responding(response), decodeType: Hero.self)
        }
        #expect((try? plain.response?.decode(Problem.self)) == nil)
        let body = try #require(plain.response?.data)
        #expect(try snakeCase.decode(Problem.self, from: body) == Problem(errorCode: 7))

        let other = ServiceProvider<TestService>(decoder: snakeCase)
        let byProvider = try await failure {
            _ = try await other.load(service: server.responding(response), decodeType: Hero.self)
        }
        #expect(try byProvider.response?.decode(Problem.self) == Problem(errorCode: 7))

        let byEndpoint = try await failure {
            let service = server.responding(response, decoder: snakeCase)
            _ = try await provider.decoding(at: "data").load(
                service: service, decodeType: Hero.self)
        }
        #expect(try byEndpoint.response?.decode(Problem.self) == Problem(errorCode: 7))

        let byHandler: ServiceResult<Hero> = await withCheckedContinuation { continuation in
            other.load(service: server.responding(response), decodeType: Hero.self) {
                continuation.resume(returning: $0)
            }
        }
        guard case .failure(let error) = byHandler else { throw CancellationError() }
        #expect(try error.response?.decode(Problem.self) == Problem(errorCode: 7))
    }
}
