// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderDiagnostics
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// Bodies from sequences of chunks. On Linux, only CurlTransport can send them.
@Suite(.serialized, .opensFiles, .timeLimit) struct SequenceUploadTests {
    private let provider = TransportUnderTest.curl.provider()

    /// Chunks made on demand, which are counted.
    private struct Source: AsyncSequence, Sendable {
        var size = 65_536
        var count = 4_096
        var error: (any Error & Sendable)?
        let made = Milestones()
        let ended = Gate()

        final class AsyncIterator: AsyncIteratorProtocol {
            let source: Source
            var index = 0

            init(source: Source) { self.source = source }

            deinit { source.ended.open() }

            func next() async throws -> Data? {
                try Task.checkCancellation()
                guard index < source.count else {
                    if let error = source.error { throw error }
                    return nil
                }
                index += 1
                source.made.pass()
                return Data(repeating: UInt8(truncatingIfNeeded: index), count: source.size)
            }
        }

        func makeAsyncIterator() -> AsyncIterator { AsyncIterator(source: self) }
    }

    @Test(arguments: [0, 1, 5, 16_384, 65_537, 3_000_000], [1, 7])
    func theWholeSequenceIsSentInChunks(size: Int, count: Int) async throws {
        let server = try LoopbackServer.forUploads()
        let source = Source(size: size, count: count)
        let response = try await provider.upload(
            service: server.service(method: .post), chunks: source, contentType: "audio/wav")
        #expect(response.text == "\(size * count)")
        let request = try #require(server.requests.first)
        #expect(request.header("Transfer-Encoding") == "chunked")
        #expect(request.header("Content-Length") == nil && request.isComplete)
        #expect(request.header("Content-Type") == "audio/wav")
        let expected = (1...count).map { Data(repeating: UInt8($0), count: size) }
        #expect(request.body == expected.reduce(Data(), +))
    }

    @Test(.slow, arguments: [(64, 1 << 20), (sanitized(100_000), 3)])
    func manyChunksAreSent(count: Int, size: Int) async throws {
        let server = try LoopbackServer.forUploads()
        let response = try await provider.upload(
            service: server.service(method: .put).patient, chunks: Source(size: size, count: count))
        #expect(response.text == "\(size * count)")
    }

    /// Chunks arrive at the server before the sequence ends, and other calls aren't blocked meanwhile.
    @Test func chunksAreSentAsTheyArrive() async throws {
        let (arrived, wanted) = (Milestones(), Data("firstsecond".utf8))
        let server = try RawServer { connection in
            var text = connection.readHead()
            while !text.contains("first") {
                text += String(decoding: connection.read(), as: UTF8.self)
            }
            arrived.pass()
            while !text.hasSuffix("0\r\n\r\n") {
                text += String(decoding: connection.read(), as: UTF8.self)
            }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 11\r\n\r\nfirstsecond")
        }
        defer { server.stop() }
        let other = try LoopbackServer { _ in .text("other") }
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let service = TestService(baseURL: "http://127.0.0.1:\(server.port)", method: .post)
        let call = Task { [provider] in
            try await provider.upload(service: service.patient, chunks: chunks).data
        }
        continuation.yield(Data("first".utf8))
        await arrived.reach(1)
        #expect(try await provider.load(service: other.service()) == Data("other".utf8))
        continuation.yield(Data("second".utf8))
        continuation.finish()
        #expect(try await call.value == wanted)
    }

    /// A response can be sent on as it arrives.
    @Test func aStreamCanBeUploaded() async throws {
        let bytes = noise(3_000_000)
        let source = try LoopbackServer(responses: [.data(bytes)])
        let server = try LoopbackServer.forUploads()
        let stream = try await provider.stream(service: source.service())
        try await provider.upload(service: server.service(method: .post), chunks: stream)
        #expect(server.requests.first?.body == bytes)
    }

    @Test func aSlowServerSlowsTheSequenceDown() async throws {
        let source = Source(size: 1 << 20)
        let server = try RawServer { $0.waitForStop() }
        defer { server.stop() }
        var service = service(of: server)
        service.timeout = 2
        let error = try await failure {
            try await provider.upload(service: service, chunks: source)
        }
        #expect(error.urlErrorCode == .timedOut)
        // The buffers of the two sockets hold some megabytes.
        #expect(source.made.count < 30, "\(source.made.count)")
    }

    @Test func cancellingTheCallEndsTheSequence() async throws {
        let source = Source()
        let server = try RawServer { $0.waitForStop() }
        defer { server.stop() }
        let service = service(of: server)
        let call = Task { [provider] in
            try await provider.upload(service: service.patient, chunks: source)
        }
        await source.made.reach(8)
        call.cancel()
        #expect(await isCancelled(call))
        await source.ended.pass()
    }

    /// A sequence without chunks ends when it's cancelled, but that doesn't complete the body.
    @Test func aCancelledBodyIsIncomplete() async throws {
        let server = try LoopbackServer.forUploads()
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("partial".utf8))
        let service = server.service(method: .post).patient
        let call = Task { [provider] in
            try await provider.upload(service: service, chunks: chunks)
        }
        while server.connectionCount == 0 { try await Task.sleep(nanoseconds: 5_000_000) }
        call.cancel()
        #expect(await isCancelled(call))
        server.stop()
        #expect(server.requests.allSatisfy { !$0.isComplete })
    }

    @Test(arguments: [0, 3, 100])
    func anErrorOfTheSequenceFailsTheCall(count: Int) async throws {
        struct Broken: LocalizedError { var errorDescription: String? { "the microphone is off" } }
        let server = try LoopbackServer.forUploads()
        let reports = Locked(0)
        let reporting = provider.onFailure { _, _ in reports { $0 += 1 } }
        let error = try await failure {
            try await reporting.upload(
                service: server.service(method: .post).patient,
                chunks: Source(count: count, error: Broken()))
        }
        #expect("\(error)" == "Invalid body: the microphone is off.")
        #expect(error.invalidPart == .body && reports { $0 } == 1)
        server.stop()
        #expect(server.requests.allSatisfy { !$0.isComplete })
    }

    @Test func aServiceErrorOfTheSequenceIsKept() async throws {
        let server = try LoopbackServer.forUploads()
        let lost = ServiceError.transport(URLError(.networkConnectionLost))
        let error = try await failure {
            try await provider.upload(
                service: server.service(method: .post).patient,
                chunks: Source(count: 2, error: lost))
        }
        #expect(error.urlErrorCode == .networkConnectionLost)
    }

    // MARK: - Sending it once

    @Test func aFailureIsNotRetried() async throws {
        let server = try LoopbackServer(responses: [.status(503), .text("no")])
        var retry = ServiceRetry()
        retry.clock = TestClock(jumps: true).clock
        let error = try await failure {
            try await provider.adding(retry).upload(
                service: server.service(method: .put), chunks: Source(count: 2))
        }
        #expect(error.unacceptableStatus == 503 && server.requests.count == 1)
    }

    @Test func aRejectedTokenIsNotReplayed() async throws {
        let server = try LoopbackServer(responses: [.status(401), .text("no")])
        let authenticator = ServiceAuthenticator(
            token: "old", authorization: { ServiceAuthorization.bearer($0) },
            refresh: { _ in "new" })
        let error = try await failure {
            try await provider.adding(authenticator).upload(
                service: server.service(method: .post), chunks: Source(count: 2))
        }
        #expect(error.unacceptableStatus == 401 && server.requests.count == 1)
    }

    @Test(arguments: [307, 308])
    func aRedirectThatNeedsTheBodyIsNotFollowed(status: Int) async throws {
        let server = try LoopbackServer(responses: [
            .redirect(to: "/b", status: status), .text("no"),
        ])
        let error = try await failure {
            try await provider.upload(
                service: server.service(method: .post), chunks: Source(count: 2))
        }
        #expect(error.unacceptableStatus == status && server.requests.count == 1)
    }

    @Test func aRedirectToAGetIsFollowed() async throws {
        let server = try LoopbackServer(responses: [
            .redirect(to: "/b", status: 303), .text("done"),
        ])
        let response = try await provider.upload(
            service: server.service(method: .post), chunks: Source(count: 2))
        #expect(response.text == "done")
        #expect(server.requests.map(\.method) == ["POST", "GET"])
        #expect(server.requests.last?.bodySize == 0)
    }

    /// An interceptor that sends the request again gets an error.
    @Test func aSecondAttemptIsRefused() async throws {
        let server = try LoopbackServer.forUploads()
        let twice = Intercept { request, next in
            _ = try await next(request)
            return try await next(request)
        }
        let error = try await failure {
            try await provider.adding(twice).upload(
                service: server.service(method: .post), chunks: Source(count: 2))
        }
        #expect("\(error)" == "Invalid body: a sequence can be sent only once.")
        #expect(server.requests.filter(\.isComplete).count == 1)
    }

    // MARK: - Responses and other transports

    @Test func anEarlyResponseEndsTheSequence() async throws {
        let source = Source()
        let server = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 413 No\r\nContent-Length: 3\r\n\r\nwhy")
            connection.waitForStop()
        }
        defer { server.stop() }
        let service = service(of: server)
        let error = try await failure {
            try await provider.upload(service: service.patient, chunks: source)
        }
        #expect(error.unacceptableStatus == 413 && error.response?.data == Data("why".utf8))
        await source.ended.pass()
    }

    /// The sequence has no more bytes when the response arrives, or the connection closes.
    @Test(arguments: [
        ("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nwhy", 200),
        ("HTTP/1.1 413 No\r\nContent-Length: 3\r\n\r\nwhy", 413),
        ("HTTP/1.1 413 No\r\nConnection: close\r\nContent-Length: 3\r\n\r\nwhy", 413),
        ("HTTP/1.1 401 No\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n", 401),
        (
            "HTTP/1.1 413 No\r\nConnection: close\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n0\r\n\r\n",
            413
        ),
        ("HTTP/1.1 204 OK\r\n\r\n", 204),
        ("HTTP/1.1 413 No\r\nContent-Length: 4\r\n\r\nwhy", nil),
        ("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nwhy", nil),
        ("HTTP/1.1 200 OK\r\n", nil), ("", nil),
    ])
    func aSequenceThatWaitsEnds(_ text: String, _ status: Int?) async throws {
        let server = try RawServer { connection in
            var received = ""
            while !received.contains("first") {
                let data = connection.read()
                if data.isEmpty { return }
                received += String(decoding: data, as: UTF8.self)
            }
            connection.write(text)
            if status != nil, !text.contains("close") { connection.waitForStop() }
        }
        defer { server.stop() }
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        continuation.yield(Data("first".utf8))
        let service = service(of: server).patient
        var end: Int?
        do {
            let response = try await provider.upload(service: service, chunks: chunks)
            end = response.statusCode
        } catch let error as ServiceError {
            end = error.unacceptableStatus
            if end == nil { #expect(error.urlErrorCode == .networkConnectionLost, "\(error)") }
        }
        #expect(end == status)
        continuation.finish()
    }

    @Test func aLostConnectionEndsTheSequence() async throws {
        let source = Source()
        let server = try RawServer { $0.readHead() }
        defer { server.stop() }
        let service = service(of: server)
        let error = try await failure {
            try await provider.upload(service: service.patient, chunks: source)
        }
        #expect(error.urlErrorCode == .networkConnectionLost, "\(error)")
        await source.ended.pass()
    }

    @Test func theProgressHasNoTotal() async throws {
        let server = try LoopbackServer.forUploads()
        let seen = Locked<[ServiceProgress]>([])
        let watch = Intercept.changing { $0.reportProgress { now in seen { $0.append(now) } } }
        try await provider.adding(watch).upload(
            service: server.service(method: .post), chunks: Source(count: 3))
        #expect(seen { $0.last?.sent ?? 0 } == 3 * 65_536)
        #expect(seen { $0.allSatisfy { $0.totalToSend == nil } })
    }

    @Test func aGetWithASequenceIsRefused() async throws {
        let server = try LoopbackServer.forUploads()
        let source = Source()
        let error = try await failure {
            try await provider.upload(service: server.service(), chunks: source)
        }
        #expect(error.invalidPart == .body && server.isUntouched)
    }

    @Test func anEndpointWithABodyIsRefused() async throws {
        let server = try LoopbackServer.forUploads()
        let error = try await failure {
            try await provider.upload(
                service: server.upload(.data(Data([1]))), chunks: Source(count: 1))
        }
        #expect("\(error)" == "Invalid body: the endpoint has a body of its own.")
        #expect(server.isUntouched)
    }

    /// URLSession on Linux would block all calls of the session while it waits for a chunk.
    @Test(arguments: [TransportUnderTest.ownSession, .callersSession])
    func urlSessionRefusesASequence(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer.forUploads()
        let (chunks, continuation) = AsyncStream.makeStream(of: Data.self)
        let error = try await failure {
            try await transport.provider().upload(
                service: server.service(method: .post), chunks: chunks)
        }
        continuation.finish()
        #expect(error.invalidPart == .body)
        #expect("\(error)".contains("URLSession on Linux can't wait for chunks"))
    }

    private func service(of server: RawServer) -> TestService {
        TestService(baseURL: "http://127.0.0.1:\(server.port)", method: .post)
    }

    private func isCancelled(_ call: Task<ServiceResponse, any Error>) async -> Bool {
        if case .failure(let error) = await call.result {
            return (error as? ServiceError)?.isCancelled == true
        }
        return false
    }
}
#endif
