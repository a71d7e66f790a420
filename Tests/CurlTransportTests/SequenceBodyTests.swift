// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// Sends the elements of a sequence as a body.
@Suite(.serialized, .opensFiles, .timeLimit) struct SequenceBodyTests {
    private struct Failure: LocalizedError {
        var errorDescription: String? { "the microphone is gone" }
    }

    /// A sequence with these elements, and an error at its end.
    private static func sequence(
        _ elements: [Data], _ error: (any Error)? = nil
    ) -> AsyncThrowingStream<Data, any Error> {
        let (chunks, source) = AsyncThrowingStream.makeStream(of: Data.self)
        for element in elements { source.yield(element) }
        source.finish(throwing: error)
        return chunks
    }

    private static func sequence(_ texts: [String], _ error: (any Error)? = nil)
        -> AsyncThrowingStream<Data, any Error>
    {
        sequence(texts.map { Data($0.utf8) }, error)
    }

    @Test(
        .row("C33"),
        arguments: [[], [0], [1], [0, 1, 0], [65_536], [65_537, 1, 0, 3_000_001]], [true, false])
    func everyByteArrives(_ sizes: [Int], _ declares: Bool) async throws {
        let elements = sizes.map { noise($0) }
        let data = elements.reduce(Data(), +)
        let server = try LoopbackServer.forUploads()
        let provider = try provider()
        for method in [ServiceMethod.post, .put, .patch, .delete] {
            let length = declares ? Int64(data.count) : nil
            let body = ServiceBody.stream(
                Self.sequence(elements), length: length, contentType: "audio/aac")
            let service = server.upload(body, method: method)
            #expect(try await provider.text(of: service) == "\(data.count)")
        }
        for request in server.requests {
            let isWhole = request.body == data
            #expect(isWhole, "\(request.bodySize) bytes")
            #expect(request.header("Content-Type") == "audio/aac")
            #expect(request.header("Content-Length") == (declares ? "\(data.count)" : nil))
            #expect(request.header("Transfer-Encoding") == (declares ? nil : "chunked"))
        }
        #expect(server.connectionCount == 1)
    }

    @Test func aLargeElementArrives() async throws {
        let server = try LoopbackServer { .text("\($0.bodySize)") }
        let size = sanitized(100 << 20)
        let body = ServiceBody.stream(Self.sequence([Data(count: size)]))
        #expect(try await provider().text(of: server.upload(body).patient) == "\(size)")
    }

    @Test func manySmallElementsArrive() async throws {
        let server = try LoopbackServer { .text("\($0.bodySize)") }
        let count = sanitized(300_000)
        let body = ServiceBody.stream(CountedElements(Data("x".utf8), count: count))
        #expect(try await provider().text(of: server.upload(body).patient) == "\(count)")
    }

    /// The server reads as many bytes as were asked for before. So the sequence could be far ahead, and its bytes in
    /// memory, if it weren't held back.
    @Test(.row("M6")) func aSlowServerHoldsTheSequenceBack() async throws {
        let size = 1 << 16
        let count = sanitized(8_000)
        let elements = CountedElements(Data(count: size), count: count)
        let most = Locked(0)
        let server = try RawServer { connection in
            // May have the first bytes of the body, which are all zero.
            var received = connection.readHead().utf8.count { $0 == 0 }
            while received < size * count {
                let bytes = connection.read()
                guard !bytes.isEmpty else { return }
                received += bytes.count
                let ahead = elements.asked.count - received / size
                most { $0 = max($0, ahead) }
            }
            connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        defer { server.stop() }
        let body = ServiceBody.stream(elements, length: Int64(size * count))
        let service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)", method: .post, body: body)
        _ = try await provider().response(service: service)
        // Most of these are in the system's buffers for the connection.
        #expect(most { $0 } < 400)
        #expect(elements.asked.count == count + 1)
    }

    // MARK: - Failures

    /// The server never sees a complete body.
    @Test(.row("M5"), arguments: [[], ["first"]], [nil, 5, 10] as [Int64?])
    func anErrorOfTheSequenceEndsTheCall(_ texts: [String], _ length: Int64?) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        for method in [ServiceMethod.post, .put] {
            let body = ServiceBody.stream(Self.sequence(texts, Failure()), length: length)
            let error = try await provider().failure(of: server.upload(body, method: method))
            #expect(error.invalidPart == .body)
            #expect(error.description.contains("the microphone is gone"))
        }
        let service = server.upload(.stream(Self.sequence(texts, CancellationError())))
        #expect(try await provider().failure(of: service).isCancelled)
        // A connection of its own, after which the others have been recorded.
        _ = try await provider().response(service: server.upload(.data(Data())))
        #expect(server.requests.filter(\.isComplete).map(\.bodySize) == [0])
    }

    @Test(
        .row("M5"),
        arguments: [
            ["12345"], ["1234", "5"], ["", "12", "", "34"], ["12345678"], ["123456", "78"], [],
            ["123456", "", "7", "8"], ["123456", "7", "infinite"],
        ])
    func theSequenceMustKeepToItsLength(_ texts: [String]) async throws {
        let received = Locked(Data())
        let server = try RawServer { connection in
            while case let bytes = connection.read(), !bytes.isEmpty { received { $0 += bytes } }
        }
        defer { server.stop() }
        let body = ServiceBody.stream(Self.sequence(texts), length: 6)
        let service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)", method: .post, body: body)
        let error = try await within(seconds: 60) { try await provider().failure(of: service) }
        #expect(error.invalidPart == .body)
        #expect(error.description.contains("6"))
        #expect(await server.hasEnded())
        let text = received { String(decoding: $0, as: UTF8.self) }
        let sent = text.components(separatedBy: "\r\n\r\n").last ?? ""
        #expect(sent.count < 6)
    }

    /// The interceptor ignores that the request may not be repeated.
    @Test func aSequenceIsNotSentTwice() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let twice = Intercept { request, next in
            #expect(!request.mayBeRepeated())
            _ = try await next(request)
            return try await next(request)
        }
        let service = server.upload(.stream(Self.sequence(["once"])), method: .put)
        let error = try await provider().wrapped(in: twice).failure(of: service)
        #expect(error.urlErrorCode == .requestBodyStreamExhausted)
        #expect(server.requests.filter(\.isComplete).map(\.bodySize) == [4])
    }

    @Test(.row("T2")) func retriesAndRedirectsDoNotRepeatASequence() async throws {
        let provider = try provider().wrapped(in: ServiceRetry(attempts: 3, delay: 0))
        for status in [307, 308, 503] {
            let server = try LoopbackServer { _ in .redirect(to: "/there", statusCode: status) }
            var service = server.upload(.stream(Self.sequence(["once"]), length: 4), method: .put)
            service.isRepeatable = true
            #expect(try await provider.failure(of: service).statusCode == status)
            #expect(server.requests.map(\.body) == [Data("once".utf8)])
        }
    }

    /// After a 303, the next request is a GET without a body, and without its length.
    @Test(arguments: [nil, 4] as [Int64?])
    func aRedirectThatBecomesAGetIsFollowed(_ length: Int64?) async throws {
        let server = try LoopbackServer { request in
            request.method == "GET" ? .text("there") : .redirect(to: "/there", statusCode: 303)
        }
        let service = server.upload(.stream(Self.sequence(["once"]), length: length))
        #expect(try await provider().text(of: service) == "there")
        #expect(server.requests.last?.header("Content-Length") == nil)
        #expect(server.requests.map(\.bodySize) == [4, 0])
    }

    // MARK: - The end of the call

    enum End: CaseIterable { case response, refusal, cancel, close, timeout }

    /// Whatever ends the call, it ends the task of the sequence, and nothing more is asked for, although the request is
    /// kept.
    @Test(.row("M6"), arguments: End.allCases, [0, 5])
    func theEndOfTheCallEndsTheSequence(_ end: End, _ count: Int) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            switch end {
            case .response: connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nwhy")
            case .refusal: connection.write("HTTP/1.1 413 No\r\nContent-Length: 3\r\n\r\nwhy")
            case .close: return
            case .timeout: return connection.waitForStop()
            case .cancel: break
            }
            connection.readToTheEnd()
        }
        defer { server.stop() }
        let kept = Locked<[ServiceRequest]>([])
        let provider = try provider().wrapped(
            in: Intercept.changing { request in kept { $0.append(request) } })
        for _ in 0..<(end == .timeout ? 2 : 10) {
            // The timeout counts only while the server doesn't read.
            let count = end == .timeout ? .max : count
            let elements = CountedElements(Data(count: 1_000), count: count, waits: true)
            let service = TestService(
                baseURL: "http://127.0.0.1:\(server.port)", method: .post,
                body: .stream(elements), timeout: end == .timeout ? 0.2 : 3_000)
            let call = Task { await provider.outcome(of: service) }
            if end == .cancel {
                await elements.asked.reach(1)
                call.cancel()
            }
            let outcome = try await within(seconds: 60) { await call.value }
            #expect(outcome.isSuccess == (end == .response))
            if elements.iterators.count > 0 { await elements.ended.reach(1) }
            #expect(elements.ended.count == elements.iterators.count)
        }
    }

    /// A streamed response is returned with its headers. The upload continues, until the response ends or isn't read any more.
    @Test(arguments: [true, false]) func anUploadLastsAsLongAsAStreamedResponse(
        _ isRead: Bool
    ) async throws {
        let server = try WaitingUploadTests.server { connection in
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nready\r\n")
            var text = ""
            while !text.contains("second"), case let bytes = connection.read(), !bytes.isEmpty {
                text += String(decoding: bytes, as: UTF8.self)
            }
            connection.write("4\r\ndone\r\n0\r\n\r\n")
            connection.readToTheEnd()
        }
        defer { server.stop() }
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let ended = Milestones()
        source.onTermination = { _ in ended.pass() }
        source.yield(Data("first".utf8))
        let service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)", method: .post, body: .stream(chunks),
            timeout: 3_000)
        let provider = try provider()
        try await within(seconds: 60) {
            var stream: ServiceStream? = try await provider.stream(service: service)
            let response = stream?.response
            #expect(ended.count == 0)
            if isRead {
                source.yield(Data("second".utf8))
                var data = Data()
                if let stream { for try await chunk in stream { data += chunk } }
                #expect(data == Data("readydone".utf8))
            }
            stream = nil
            await ended.reach(1)
            // It has the request, and so the body.
            withExtendedLifetime(response) {}
        }
    }

    /// The task waits for room when the call ends, not for the next element.
    @Test func theSourceOfASequenceLearnsThatTheCallHasEnded() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.waitForStop()
        }
        defer { server.stop() }
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        let ended = Milestones()
        source.onTermination = { _ in ended.pass() }
        for _ in 0..<20 { source.yield(Data(count: 1 << 20)) }
        let service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)", method: .post, body: .stream(chunks),
            timeout: 0.2)
        let error = try await provider().failure(of: service)
        #expect(error.urlErrorCode == .timedOut)
        try await within(seconds: 60) { await ended.reach(1) }
    }

    @Test func progressKnowsTheLength() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let totals = Locked<[Int64?]>([])
        for length in [10, nil] as [Int64?] {
            var service = server.upload(
                .stream(Self.sequence(["12345", "67890"]), length: length))
            service.change = { request in
                request.reportProgress { progress in totals { $0.append(progress.totalToSend) } }
            }
            _ = try await provider().response(service: service)
            #expect(totals { Set($0) } == [length])
            totals { $0 = [] }
        }
    }

    // MARK: - Storms

    enum Source: CaseIterable { case atOnce, lateFromATask, lateFromAThread, fromTheReader }

    /// An upload echoes: the server responds when it has the whole body.
    @Test(arguments: Source.allCases) func noByteIsLost(_ kind: Source) async throws {
        let server = try LoopbackServer.forUploads()
        let provider = try provider()
        var generator = SeededGenerator(state: 7)
        for _ in 0..<(areSlowTestsOn ? 1_000 : 200) {
            let sizes = (0..<Int.random(in: 1...8, using: &generator)).map { _ in
                [0, 1, 10, 16_384, 70_000].randomElement(using: &generator) ?? 0
            }
            let (chunks, source) = AsyncStream.makeStream(of: Data.self)
            let tell = { @Sendable in
                for size in sizes { source.yield(Data(count: size)) }
                source.finish()
            }
            var service = server.upload(.stream(chunks))
            switch kind {
            case .atOnce: tell()
            case .lateFromATask: Task { tell() }
            case .lateFromAThread: Thread.detachNewThread { tell() }
            case .fromTheReader:
                let left = Locked(sizes)
                service.body = .stream(
                    AsyncStream<Data> {
                        left { $0.isEmpty ? nil : Data(count: $0.removeFirst()) }
                    })
            }
            let text = try await provider.text(of: service)
            #expect(text == "\(sizes.reduce(0, +))")
        }
    }

    /// Calls that are cancelled at any moment, answered early, or cut off, many at the same time. All end, and so do
    /// their sequences.
    @Test(.opensFiles(200)) func everySequenceEnds() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            switch Int.random(in: 0..<4) {
            case 0: connection.write("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
            case 1: connection.write("HTTP/1.1 413 No\r\nContent-Length: 3\r\n\r\nwhy")
            case 2: return
            default: break
            }
            connection.readToTheEnd()
        }
        defer { server.stop() }
        let elements = CountedElements(Data(count: 1 << 16), count: 200)
        let provider = try provider()
        let service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)", method: .post,
            body: .stream(elements), timeout: 3_000)
        try await within(seconds: 100) {
            for _ in 0..<(areSlowTestsOn ? 100 : 20) {
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<20 {
                        let call = Task { await provider.outcome(of: service) }
                        group.addTask {
                            for _ in 0..<Int.random(in: 0..<200) { await Task.yield() }
                            call.cancel()
                            _ = await call.value
                        }
                    }
                }
            }
            await elements.ended.reach(elements.iterators.count)
        }
        #expect(elements.ended.count == elements.iterators.count)
    }
}
#endif
