// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// The stream that a transport reads, without a transport.
@Suite(.serialized, .opensFiles, .timeLimit) struct SequenceStreamTests {
    /// Calls a closure for each event.
    private final class Delegate: NSObject, StreamDelegate {
        let news = Milestones()
        func stream(_ stream: Stream, handle event: Stream.Event) { news.pass() }
    }

    private static func stream(_ body: ServiceBody) throws -> InputStream {
        let service = TestService(method: .post, body: body)
        let request = try ServiceProvider<TestService>().request(service: service)
        return try #require(request.urlRequest.httpBodyStream)
    }

    /// Reads at most `limit` bytes. Nil means that the stream has failed, was closed, or has no bytes yet.
    private static func read(_ stream: InputStream, _ limit: Int = 1 << 20) -> Data? {
        var bytes = [UInt8](repeating: 0, count: limit)
        let count = stream.read(&bytes, maxLength: limit)
        return count < 0 ? nil : Data(bytes.prefix(count))
    }

    /// Reads a stream as a transport does, until it ends or fails.
    private static func readAll(_ stream: InputStream, _ limit: Int = 1 << 16) async -> Data {
        let delegate = Delegate()
        stream.delegate = delegate
        stream.open()
        var (data, waits) = (Data(), 0)
        while true {
            if let more = read(stream, limit) {
                if more.isEmpty { return data }
                data += more
            } else {
                if stream.streamStatus != .reading { return data }
                waits += 1
                await delegate.news.reach(waits)
            }
        }
    }

    @Test func nothingIsAskedForBeforeTheStreamIsOpened() async throws {
        let elements = CountedElements(Data(count: 10), count: 3)
        let stream = try Self.stream(.stream(elements))
        #expect(stream.streamStatus == .notOpen)
        // The time in which a task would have started.
        for _ in 0..<100 { await Task.yield() }
        #expect(elements.asked.count == 0)
        #expect(elements.iterators.count == 0)
        #expect(await Self.readAll(stream).count == 30)
        #expect(stream.streamStatus == .atEnd)
        // The last one is the end.
        #expect(elements.asked.count == 4)
    }

    /// One more element for each that was read, and the rest waits.
    @Test func elementsAreAskedForWhenThereIsRoom() async throws {
        let elements = CountedElements(Data(count: 1 << 14), count: .max)
        let stream = try Self.stream(.stream(elements))
        stream.open()
        for read in 0..<50 {
            await elements.asked.reach(4 + read)
            #expect(elements.asked.count == 4 + read)
            var count = 0
            while count < 1 << 14, let data = Self.read(stream, (1 << 14) - count) {
                count += data.count
                // A part of an element doesn't make room for a whole one, but the next is asked for.
            }
        }
        stream.close()
        await elements.ended.reach(1)
    }

    /// In pieces of other sizes than the elements.
    @Test(arguments: [1, 7, 100, 65_536, 70_000], [1, 3, 1_000, 65_536, 200_000])
    func bytesKeepTheirOrder(_ element: Int, _ limit: Int) async throws {
        let data = noise(element * 3 + 5)
        let parts = stride(from: 0, to: data.count, by: element).map { start in
            Data(data[start..<min(start + element, data.count)])
        }
        let (chunks, source) = AsyncStream.makeStream(of: Data.self)
        for part in parts {
            source.yield(part)
            source.yield(Data())
        }
        source.finish()
        let stream = try Self.stream(.stream(chunks))
        #expect(await Self.readAll(stream, limit) == data)
    }

    @Test func aFailureIsSeenAfterTheBytesBeforeIt() async throws {
        let (chunks, source) = AsyncThrowingStream.makeStream(of: Data.self)
        source.yield(Data("first".utf8))
        source.finish(throwing: URLError(.badServerResponse))
        let stream = try Self.stream(.stream(chunks))
        #expect(await Self.readAll(stream) == Data("first".utf8))
        #expect(stream.streamStatus == .error)
        #expect((stream.streamError as? ServiceError)?.invalidPart == .body)
        // Still after it was closed, because the call reports it then.
        stream.close()
        #expect(stream.streamStatus == .error)
    }

    /// A failure that the transport hasn't read isn't the reason for which its call ended.
    @Test func aFailureThatWasNotReadIsNotReported() async throws {
        let (chunks, source) = AsyncThrowingStream.makeStream(of: Data.self)
        let delegate = Delegate()
        let stream = try Self.stream(.stream(chunks))
        stream.delegate = delegate
        stream.open()
        #expect(Self.read(stream) == nil)
        source.finish(throwing: URLError(.badServerResponse))
        await delegate.news.reach(1)
        stream.close()
        #expect(stream.streamStatus == .closed)
        #expect(stream.streamError == nil)
        #expect(Self.read(stream) == nil)
    }

    /// Closing stops a sequence that waits, and one with bytes that wait. So does releasing the stream.
    @Test(arguments: [true, false], [true, false])
    func theSequenceEndsWithItsStream(_ closes: Bool, _ isFull: Bool) async throws {
        for _ in 0..<50 {
            let elements = CountedElements(
                Data(count: 1 << 17), count: isFull ? .max : 0, waits: true)
            var stream: InputStream? = try Self.stream(.stream(elements))
            stream?.open()
            await elements.asked.reach(1)
            if closes { stream?.close() } else { stream = nil }
            await elements.ended.reach(1)
            // A task that waited for room asks once more, and so the sequence learns that it is cancelled.
            #expect(elements.asked.count == (isFull ? 2 : 1))
        }
    }

    /// Each of them is a task that waits, not a thread.
    @Test func thousandsOfWaitingSequencesTakeNoThreads() async throws {
        let before = try #require(ProcessUsage.threads)
        let elements = CountedElements(Data(), count: 0, waits: true)
        var streams: [InputStream] = []
        let count = sanitized(10_000)
        for _ in 0..<count {
            let stream = try Self.stream(.stream(elements))
            stream.open()
            streams.append(stream)
        }
        await elements.asked.reach(count)
        let after = try #require(ProcessUsage.threads)
        #expect(after < before + 100)
        streams = []
        await elements.ended.reach(count)
    }

    /// The time of the whole process, so it has one of its own.
    @Test(.slow) func manySmallElementsTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            let growth = try await growthOfProcess(to: sanitized(300_000)) { count in
                let elements = CountedElements(Data("x".utf8), count: count)
                let data = await Self.readAll(try Self.stream(.stream(elements)))
                guard data.count == count else { exit(2) }
            }
            print(growth)
            guard growth < linearGrowth else { exit(1) }
        }
    }

    /// URLSession on Linux would block, or send a part of the body.
    @Test(arguments: [nil, 5] as [Int64?])
    func urlSessionRefusesASequence(_ length: Int64?) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let elements = CountedElements(Data("hello".utf8), count: 1)
        for transport in [TransportUnderTest.ownSession, .callersSession] {
            let service = server.upload(.stream(elements, length: length))
            let error = try await transport.provider().failure(of: service)
            #expect(error.invalidPart == .body)
            #expect(error.description.contains("CurlTransport"))
        }
        #expect(server.isUntouched)
        #expect(elements.iterators.count == 0)
    }

    /// An interceptor has read the sequence, for example to sign it.
    @Test func bytesThatReplaceTheSequenceAreSent() async throws {
        let server = try LoopbackServer { .text("\($0.bodySize)") }
        let replacing = Intercept.changing { $0.urlRequest.httpBody = Data("hello".utf8) }
        let elements = CountedElements(Data("hello".utf8), count: 2)
        let service = server.upload(.stream(elements, length: 10))
        let provider = TransportUnderTest.ownSession.provider(replacing)
        #expect(try await provider.text(of: service) == "5")
    }

    @Test func aNegativeLengthIsRefused() throws {
        let error = #expect(throws: ServiceError.self) {
            try Self.stream(.stream(AsyncStream<Data> { nil }, length: -1))
        }
        #expect(error?.invalidPart == .body)
    }

    /// A call that sends nothing, such as one with a stub, doesn't read the sequence or keep it.
    @Test func aTransportThatReadsNothingLeavesTheSequenceAlone() async throws {
        let elements = CountedElements(Data("hello".utf8), count: 1)
        let transport = StubTransport { try $0.respond(200) }
        let provider = ServiceProvider<TestService>(transport: transport)
        let body = ServiceBody.stream(elements)
        let response = try await provider.response(service: TestService(method: .post, body: body))
        let stream = try #require(response.request.urlRequest.httpBodyStream)
        #expect(stream.streamStatus == .closed)
        #expect(elements.iterators.count == 0)
    }
}
#endif
