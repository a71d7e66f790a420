// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Checks that a stream frees its connection: a second call has to wait for it.
@Suite(.serialized, .opensFiles, .timeLimit) struct StreamConnectionTests {
    /// The connection stays open until the client closes it. With this header, URLSession on Apple
    /// platforms doesn't wait for 512 bytes of text.
    private static let stalling = LoopbackResponse.text("abc...")
        .header("X-Content-Type-Options", "nosniff").cut(.stall, afterBodyBytes: 3)

    private static func withOneConnection() -> ServiceProvider<TestService> {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.httpMaximumConnectionsPerHost = 1
        return ServiceProvider(transport: URLSessionTransport(configuration: configuration))
    }

    /// Ways to leave a stream.
    enum Leaving: CaseIterable { case byBreak, byCancel, unread }

    @Test(arguments: Leaving.allCases)
    func leavingAStreamFreesItsConnection(_ leaving: Leaving) async throws {
        let server = try LoopbackServer(responses: [Self.stalling, .text("second")])
        let provider = Self.withOneConnection()
        var service = server.service("/a")
        // Longer than the limits below, because a timeout would close the connection too.
        service.timeout = 600
        var stream: ServiceStream? = try await provider.stream(service: service)
        switch leaving {
        case .byBreak: for try await _ in try #require(stream) { break }
        case .byCancel:
            let task = Task { [stream] in await stream?.collected().error as? ServiceError }
            task.cancel()
            #expect(await task.value?.isCancelled == true)
        case .unread: stream = nil
        }
        var second = server.service("/b")
        second.timeout = 600
        let data = try await within(seconds: 60) { [second] in
            try await provider.load(service: second)
        }
        #expect(data == Data("second".utf8))
        withExtendedLifetime(stream) {}
    }

    #if canImport(FoundationNetworking)
    /// Only where the server can't be slowed down. The second call runs once the first connection
    /// is free.
    @Test(.row("L5")) func aSlowReaderGetsAnError() async throws {
        let pattern = Data(repeating: 1, count: 1 << 16)
        let server = try LoopbackServer(responses: [
            .init(body: .repeating(pattern, count: 64 << 20)), .text("second"),
        ])
        let provider = Self.withOneConnection()
        let reader = try await provider.stream(service: server.service()).makeAsyncIterator()
        var sizes = [try await reader.next()?.count ?? 0]
        #expect(try await provider.load(service: server.service()) == Data("second".utf8))
        let error = await #expect(throws: ServiceError.self) {
            while let chunk = try await reader.next() { sizes.append(chunk.count) }
        }
        #expect(error?.urlErrorCode == .dataLengthExceedsMaximum)
        #expect(error?.description.contains("The stream's buffer is full.") == true)
        #expect(sizes.allSatisfy { $0 > 0 && $0 < ServiceStream.maximumUnreadSize + 1 << 20 })
        #expect(sizes.contains { $0 > ServiceStream.maximumUnreadSize })
    }
    #endif
}
