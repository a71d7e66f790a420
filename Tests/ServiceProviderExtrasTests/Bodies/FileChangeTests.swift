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

/// Files that change between the creation of a request and the end of its upload.
@Suite(.serialized, .opensFiles, .timeLimit) struct FileChangeTests {
    let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// Runs the change once, after the first bytes have been sent.
    private func meanwhile(_ change: @escaping @Sendable () throws -> Void) -> Intercept {
        let isDone = Locked(false)
        return .changing { request in
            request.reportProgress { step in
                let isFirst = isDone { isDone in
                    defer { isDone = true }
                    return !isDone
                }
                if isFirst, step.sent > 0 { try? change() }
            }
        }
    }

    @Test(.row("M3"), arguments: TransportUnderTest.allCases, [0, 1, 100_000])
    func aFileThatShrinksDuringTheUploadFailsTheCall(_ transport: TransportUnderTest, size: UInt64)
        async throws
    {
        let server = try LoopbackServer.forUploads()
        let file = try folder.write(noise(5 << 20), to: "shrinks")
        let shrink = meanwhile { try FileHandle(forWritingTo: file).truncate(atOffset: size) }
        let service = server.upload(.file(file))
        let error = try await transport.provider(shrink).failure(of: service)
        #expect(error.invalidPart == .body)
        #expect(error.description.contains("'\(file.path)' became shorter while it was sent"))
        let request = try #require(server.requests.first ?? server.nextRequest())
        #expect(!request.isComplete)
        #expect(request.header("Content-Length") == "\(5 << 20)")
        #expect(server.requests.count == 1)
    }

    @Test(.row("M3"), arguments: TransportUnderTest.allCases)
    func bytesAppendedDuringTheUploadAreNotSent(_ transport: TransportUnderTest) async throws {
        let bytes = noise(1 << 20)
        let server = try LoopbackServer.forUploads()
        let file = try folder.write(bytes, to: "grows")
        let grow = meanwhile {
            let handle = try FileHandle(forWritingTo: file)
            try handle.seekToEnd()
            try handle.write(contentsOf: Data(count: 1 << 20))
        }
        let provider = transport.provider(grow)
        _ = try await provider.load(service: server.upload(.file(file)))
        let attributes = try FileManager.default.attributesOfItem(atPath: file.path)
        #expect(attributes[.size] as? Int == 2 << 20)
        let request = try #require(server.requests.first)
        #expect(request.isFramedRight)
        let isSame = request.body == bytes
        #expect(isSame)
        // The connection can be reused: no extra bytes were sent.
        _ = try await provider.load(service: server.upload(.data(Data("x".utf8))))
        #expect(server.requests.last?.body == Data("x".utf8))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aFileDeletedBeforeTheUploadFailsTheCall(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer.forUploads()
        let file = try folder.write(to: "vanishes")
        let remove = Intercept.changing { _ in try? FileManager.default.removeItem(at: file) }
        let service = server.upload(.file(file))
        let error = try await transport.provider(remove).failure(of: service)
        #expect(error.invalidPart == .body)
        #expect(error.description.contains("'\(file.path)' doesn't exist"))
        #expect(server.isUntouched)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aFileDeletedDuringTheUploadIsSent(_ transport: TransportUnderTest) async throws {
        let bytes = noise(1 << 20)
        let server = try LoopbackServer.forUploads()
        let file = try folder.write(bytes, to: "vanishes")
        let remove = meanwhile { try FileManager.default.removeItem(at: file) }
        _ = try await transport.provider(remove).load(service: server.upload(.file(file)))
        let isSame = server.requests.first?.body == bytes
        #expect(isSame)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func eachAttemptSendsTheCurrentFile(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer.forUploads()
        let file = try folder.write(Data("one".utf8), to: "changes")
        let twice = Intercept { request, next in
            _ = try await next(request)
            try Data("three".utf8).write(to: file)
            return try await next(request)
        }
        _ = try await transport.provider(twice).load(service: server.upload(.file(file)))
        #expect(server.requests.map(\.body) == [Data("one".utf8), Data("three".utf8)])
        #expect(server.requests.allSatisfy { $0.isFramedRight })
    }
}

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
