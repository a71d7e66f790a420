// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Handlers that get status and headers.
@Suite(.serialized, .opensFiles, .timeLimit) struct ResponseHandlerTests {
    private func result(
        of service: TestService, _ provider: ServiceProvider<TestService>
    ) async -> ServiceResult<ServiceResponse> {
        await withCheckedContinuation { continuation in
            provider.response(for: service) { result in
                MainActor.assertIsolated()
                continuation.resume(returning: result)
            }
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aResponseWithoutABodyHasItsHeaders(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .status(201).header("Location", "/heroes/7") }
        let response = try await result(of: server.service(), transport.provider()).get()
        #expect(response?.statusCode == 201)
        #expect(response?.header("location") == "/heroes/7")
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aFailureIsPassedToTheHandler(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .status(404) }
        let result = await result(of: server.service(), transport.provider())
        let error = try await failure { _ = try result.get() }
        #expect(error.unacceptableStatus == 404)
    }
}
