// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Errors, valid status codes and timeouts apply to each hop of a call, not only to its first
/// request.
@Suite(.serialized, .opensFiles, .timeLimit) struct HopTests {
    /// Nothing listens on port 1. A port that was just closed may belong to another test by now.
    private static let closedPort = "http://127.0.0.1:1"

    @Test(arguments: TransportUnderTest.allCases)
    func anErrorNamesTheHostThatFailed(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [
            .redirect(to: Self.closedPort + "/x?token=sesame")
        ])
        let error = try await transport.provider().failure(of: server.service())
        #expect(error.description.contains("URLError -1004, http://127.0.0.1:1)"))
        #expect(!error.description.contains("\(server.port)"))
        #expect(!String(reflecting: error).contains("sesame"))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func errorsThatInterceptorsSeeContainNoSecret(_ transport: TransportUnderTest) async throws {
        let seen = Locked("")
        let watching = Intercept { request, next in
            do {
                return try await next(request)
            } catch {
                seen { $0 = "\(error) \((error as NSError).userInfo)" }
                throw error
            }
        }
        let service = TestService(baseURL: Self.closedPort + "?apikey=sesame", path: "/")
        _ = try await transport.provider(watching).failure(of: service)
        #expect(seen { $0 }.contains("127.0.0.1"))
        #expect(!seen { $0 }.contains("sesame"))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func interceptorsMayChangeTheValidStatusCodes(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [.statusCode(418)])
        let accepting = Intercept.changing { $0.validStatusCodes.insert(418) }
        let outcome = await transport.provider(accepting).outcome(of: server.service())
        #expect(try outcome.get().statusCode == 418)
    }

    /// Without rounding, URLSession on Linux would time out immediately at 0.5, and crash at
    /// infinity.
    @Test(arguments: [0.5, .infinity])
    func configurationTimeoutsAreRoundedToWholeSeconds(seconds: TimeInterval) async throws {
        let server = try LoopbackServer(responses: [.text("late").delayed(by: 0.05)])
        let configuration = URLSessionConfiguration.ephemeral
        configuration.timeoutIntervalForRequest = seconds
        let transport = URLSessionTransport(configuration: configuration)
        let provider = ServiceProvider<TestService>(transport: transport)
        #expect(try await provider.outcome(of: server.service()).get().data == Data("late".utf8))
    }
}
