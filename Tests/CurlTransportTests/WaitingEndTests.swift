// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import ServiceProvider
import TestSupport
import Testing

/// How calls end while the stream of their upload waits for ever.
@Suite(.serialized, .opensFiles, .timeLimit) struct WaitingEndTests {
    private let chunks: AsyncStream<Data>
    private let source: AsyncStream<Data>.Continuation

    init() { (chunks, source) = AsyncStream.makeStream() }

    private func service(_ server: RawServer, timeout: TimeInterval = 3_000) -> TestService {
        TestService(
            baseURL: "http://127.0.0.1:\(server.port)", method: .post, timeout: timeout)
    }

    // MARK: - The end of a chunked response

    /// The connection ends in a chunk whose bytes look like the last chunk, or just before the end of the
    /// last chunk.
    @Test(
        .row("F2"),
        arguments: [
            "14\r\nwhy\r\n0\r\n\r\n", "14\r\n0\r\n\r\n", "3\r\nwhy\r\n14\r\n0\r\n\r\n",
            "7\r\n\r\n0\r\n\r\n", "3\r\nwhy\r\n5\r\n0\r\n\r\n", "3\r\nwhy\r\n0\r\n",
            "3\r\nwhy\r\n0\r\nX: y\r\n", "3\r\nwhy\r\n0;a=\"0\r\n",
            "3\r\nwhy\r\n00000000000000010\r\n\r\n0\r\n\r\n",
        ])
    func aCutResponseIsNotASuccess(_ body: String) async throws {
        let server = try WaitingUploadTests.server { connection in
            connection.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(body)")
            connection.endOutput()
            connection.readToTheEnd()
        }
        defer { server.stop() }
        source.yield(Data("first".utf8))
        let service = service(server)
        let error = try await within(seconds: 60) { [chunks] in
            try await failure { try await provider().upload(service: service, chunks: chunks) }
        }
        #expect(error.urlErrorCode == .networkConnectionLost)
        source.finish()
    }

    /// The connection stays open.
    @Test(
        .row("F10"),
        arguments: [
            "0\r\n\r\n", "0\r\nX-Late: 1\r\n\r\n", "0\r\nA: 1\r\nB: 2\r\n\r\n", "000;a=b\r\n\r\n",
            "5\r\n0\r\n\r\n\r\n0\r\n\r\n",
        ], [true, false])
    func aLastChunkEndsTheCall(_ rest: String, _ isSplit: Bool) async throws {
        let server = try WaitingUploadTests.server { connection in
            let text =
                "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nwhy\r\n\(rest)"
            if isSplit {
                // Each byte arrives alone.
                for byte in text.utf8 {
                    connection.write(Data([byte]))
                    connection.waitUntilReceived()
                }
            } else {
                connection.write(text)
            }
            connection.readToTheEnd()
        }
        defer { server.stop() }
        source.yield(Data("first".utf8))
        let service = service(server)
        let response = try await within(seconds: 60) { [chunks] in
            try await provider().upload(service: service, chunks: chunks)
        }
        #expect(response.text == (rest.hasPrefix("5") ? "why0\r\n\r\n" : "why"))
        source.finish()
    }

    // MARK: - The timeout

    enum Silence: CaseIterable {
        case beforeTheFirstPiece, beforeTheHeaders, inTheHeaders, afterTheHeaders, inTheBody
    }

    /// Only bytes are activity. A stream that says again and again that it has some, and has none, isn't.
    @Test(.row("L7"), arguments: Silence.allCases, [false, true])
    func aStreamThatWaitsTimesOut(_ silence: Silence, _ isNoisy: Bool) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            let head = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n"
            switch silence {
            case .beforeTheFirstPiece, .beforeTheHeaders: break
            case .inTheHeaders: connection.write(head)
            case .afterTheHeaders: connection.write("\(head)\r\n")
            case .inTheBody: connection.write("\(head)\r\n5\r\nwh")
            }
            connection.readToTheEnd()
        }
        defer { server.stop() }
        if silence != .beforeTheFirstPiece { source.yield(Data("first".utf8)) }
        let noise = Task { [source] in
            while isNoisy, !Task.isCancelled {
                source.yield(Data())
                // Shorter than the timeout.
                try await Task.sleep(for: .milliseconds(50))
            }
        }
        defer { noise.cancel() }
        let service = service(server, timeout: 0.5)
        let error = try await within(seconds: 10) { [chunks] in
            try await failure { try await provider().upload(service: service, chunks: chunks) }
        }
        #expect(error.urlErrorCode == .timedOut)
        source.finish()
    }
}
#endif
