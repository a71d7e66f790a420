// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The writer of a bound pair of streams waits until the other stream is closed.
@Suite(.serialized, .opensFiles, .timeLimit) struct UnopenedBodyTests {
    private final class CountedStream: InputStream {
        let openings = Locked(0)
        let closings = Locked(0)

        override func open() {
            openings { $0 += 1 }
            super.open()
        }

        override func close() {
            closings { $0 += 1 }
            super.close()
        }

        var counts: [Int] { [openings { $0 }, closings { $0 }] }
    }

    private func service(_ stream: CountedStream) -> TestService {
        // Safe, because only one call uses the stream.
        nonisolated(unsafe) let stream = stream
        let body = ServiceBody { request in
            request.upload = { (stream, 5) }
            return nil
        }
        return TestService(baseURL: "http://127.0.0.1:1", method: .put, body: body)
    }

    @Test func aBodyThatATransportDoesNotOpenIsClosedAfterAFailure() async throws {
        let stream = CountedStream(data: Data("hello".utf8))
        let transport = StubTransport { _ in throw URLError(.notConnectedToInternet) }
        let provider = ServiceProvider<TestService>(transport: transport)
        let error = try await provider.failure(of: service(stream))
        #expect(error.urlErrorCode == .notConnectedToInternet)
        #expect(stream.counts == [1, 1])
    }

    @Test func aBodyThatATransportDoesNotOpenIsClosedAfterAResponse() async throws {
        let stream = CountedStream(data: Data("hello".utf8))
        let provider = ServiceProvider<TestService>(
            transport: StubTransport { try $0.answer(200) })
        _ = try await provider.response(for: service(stream))
        #expect(stream.counts == [1, 1])
    }

    /// Its body may still be sent when the response is returned.
    @Test func theBodyOfAStreamedResponseStaysOpen() async throws {
        let stream = CountedStream(data: Data("hello".utf8))
        let provider = ServiceProvider<TestService>(
            transport: StubTransport { try $0.answer(200) })
        var service = service(stream)
        service.change = { $0.bodySink = StreamSink() }
        _ = try await provider.response(for: service)
        #expect(stream.counts == [0, 0])
    }

    private final class StreamSink: ServiceBodySink {
        var destination: ServiceBodyDestination { .stream }
        func begin(_ response: ServiceResponse, control: ServiceTransferControl) {}
        func receive(_ chunk: Data) {}
        func end(_ error: (any Error)?) {}
    }

    /// No server listens at the port.
    @Test(arguments: TransportUnderTest.allCases)
    func noBodyStaysUnopened(_ transport: TransportUnderTest) async throws {
        let stream = CountedStream(data: Data("hello".utf8))
        let error = try await transport.provider().failure(of: service(stream))
        #expect(error.urlErrorCode == .cannotConnectToHost)
        #expect(stream.streamStatus != .notOpen)
    }
}
