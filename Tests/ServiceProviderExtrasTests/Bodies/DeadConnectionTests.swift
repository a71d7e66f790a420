// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The connection closes before or right after the end of the body, so the client can't know
/// whether the server got it.
@Suite(.serialized, .opensFiles, .timeLimit) struct DeadConnectionTests {
    private static let warm = LoopbackResponse.text("warm")
    private static let dead = LoopbackResponse.raw("")

    /// Returns the error, and the requests after the first one, which only opened the connection.
    private func send(
        _ body: ServiceBody, _ method: ServiceMethod, by transport: TransportUnderTest,
        after responses: [LoopbackResponse] = [dead]
    ) async throws -> (ServiceError, [LoopbackRequest]) {
        // libcurl doesn't reuse a connection that was idle for 118 seconds, which happens when the
        // machine sleeps.
        for _ in 0..<3 {
            let server = try LoopbackServer(responses: [Self.warm] + responses + [.text("again")])
            let provider = transport.provider()
            _ = try await provider.load(service: server.service())
            let service = server.upload(body, method: method)
            let error = try await provider.failure(of: service)
            server.stop()
            let requests = Array(server.requests.dropFirst())
            if requests.first?.connection == 0 { return (error, requests) }
        }
        Issue.record("the connection was not reused")
        throw CancellationError()
    }

    @Test(.row("T2", "U12"), arguments: TransportUnderTest.allCases, [ServiceMethod.post, .put])
    func aFileIsNotSentTwice(_ transport: TransportUnderTest, method: ServiceMethod) async throws {
        let folder = try TemporaryFolder()
        for size in [7, 100_000] {
            let file = try folder.write(noise(size), to: "a")
            let (error, requests) = try await send(.file(file), method, by: transport)
            #expect(error.urlErrorCode == .networkConnectionLost, "\(error)")
            #expect(requests.filter(\.isComplete).map(\.bodySize) == [size])
        }
    }

    /// A PUT with a body in memory may be sent again, but only once.
    @Test(.row("T3"), arguments: TransportUnderTest.allCases, [ServiceMethod.post, .put])
    func aBodyInMemoryIsSentTwiceOnlyByPUT(
        _ transport: TransportUnderTest, method: ServiceMethod
    ) async throws {
        let mayRepeat = transport.repeatsLostRequests && method == .put
        let dead: [LoopbackResponse] = mayRepeat ? [Self.dead, Self.dead] : [Self.dead]
        let (error, requests) = try await send(
            .data(Data("1234567".utf8)), method, by: transport, after: dead)
        #expect(error.urlErrorCode == .networkConnectionLost, "\(error)")
        #expect(requests.filter(\.isComplete).map(\.bodySize) == dead.map { _ in 7 })
    }
}
