// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests connections that fail before or during a response.
///
/// Leaves out the responses that make URLSession on Linux trap: trailers, headers that end after a
/// complete status line, and a Content-Length of 2^63 - 1.
@Suite(.serialized, .opensFiles, .timeLimit) struct ConnectionFailureTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    struct Fault: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let response: LoopbackResponse

        init(_ name: String, _ response: LoopbackResponse) {
            testDescription = name
            self.response = response
        }

        static let all = [
            Fault("closed before the headers", .text("x").cut(.close, afterHeaderBytes: 0)),
            Fault("reset before the headers", .text("x").cut(.reset, afterHeaderBytes: 0)),
            Fault("closed within the status line", .text("x").cut(.close, afterHeaderBytes: 9)),
            Fault("reset within the status line", .text("x").cut(.reset, afterHeaderBytes: 9)),
            Fault("reset after the headers", .text("hello").cut(.reset, afterBodyBytes: 0)),
            Fault("reset within the body", .text("hello").cut(.reset, afterBodyBytes: 3)),
            Fault("closed after the headers", .text("hello").cut(.close, afterBodyBytes: 0)),
            Fault("closed within the body", .text("hello").cut(.close, afterBodyBytes: 3)),
            Fault("one byte too few", .text("hello").cut(.close, afterBodyBytes: 4)),
            Fault("closed within a chunk", chunked.cut(.close, afterBodyBytes: 5)),
            Fault("closed within a chunk's size", chunked.cut(.close, afterBodyBytes: 1)),
            Fault("closed between chunks", chunked.cut(.close, afterBodyBytes: 8)),
            Fault("closed before the last chunk", chunked.cut(.close, afterBodyBytes: 15)),
            Fault("reset within a chunk", chunked.cut(.reset, afterBodyBytes: 5)),
        ]

        private static let chunked = LoopbackResponse.text("helloworld").chunked(size: 5)
    }

    private func expectTransportError(
        in error: ServiceError, naming host: String,
        sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        guard case .transport(let urlError) = error else {
            Issue.record(error, sourceLocation: sourceLocation)
            return
        }
        #expect(error.description.contains(host), sourceLocation: sourceLocation)
        for text in [error.description, error.localizedDescription, "\(urlError.userInfo)"] {
            #expect(!text.contains("secret"), sourceLocation: sourceLocation)
        }
    }

    @Test(.row("F1", "F2"), arguments: TransportUnderTest.allCases, Fault.all)
    func brokenResponsesAreErrors(_ transport: TransportUnderTest, _ fault: Fault) async throws {
        server.enqueue(fault.response, .text("next"))
        let provider = transport.provider()
        let service = TestService(baseURL: "\(server.baseURL)/start?token=secret")
        let error = try await within(seconds: 300) { try await provider.failure(of: service) }
        try expectTransportError(in: error, naming: "127.0.0.1:\(server.port)")
        #expect(server.requests.count == 1)
        #expect(try await provider.load(service: service) == Data("next".utf8))
    }

    /// A request that was sent on a new connection isn't sent again. URLSession on Linux reports its
    /// end as an invalid response. `ServiceRetry` retries both.
    @Test(.row("T1"), arguments: TransportUnderTest.allCases)
    func aPostIsSentOnce(_ transport: TransportUnderTest) async throws {
        server.enqueue(.text("x").cut(.close, afterHeaderBytes: 0), .text("again"))
        var service = server.service(method: .post)
        let content = Data("body".utf8)
        service.body = .data(content, contentType: "text/plain")
        let error = try await transport.provider().failure(of: service)
        let codes: [URLError.Code] = [.networkConnectionLost, .badServerResponse]
        #expect(error.urlErrorCode.map(codes.contains) == true)
        #expect(server.requests.map(\.body) == [content])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aRefusedConnectionIsAnError(_ transport: TransportUnderTest) async throws {
        let service = TestService(baseURL: "http://u:secret@127.0.0.1:1/start?token=secret")
        let error = try await transport.provider().failure(of: service)
        #expect(error.urlErrorCode == .cannotConnectToHost)
        try expectTransportError(in: error, naming: "127.0.0.1:1")
    }

    @Test(arguments: TransportUnderTest.allCases)
    func anUnknownHostIsAnError(_ transport: TransportUnderTest) async throws {
        let service = TestService(baseURL: "http://nonexistent.invalid/start?token=secret")
        let error = try await transport.provider().failure(of: service)
        #expect(error.urlErrorCode == .cannotFindHost)
        try expectTransportError(in: error, naming: "nonexistent.invalid")
    }

    /// Here the end of the connection is the end of the body, not an error.
    @Test(.row("F17"), arguments: TransportUnderTest.allCases)
    func withoutALengthTheBodyEndsWithTheConnection(_ transport: TransportUnderTest) async throws {
        server.enqueue(.text("whole").untilClose())
        let data = try await transport.provider().load(service: server.service())
        #expect(data == Data("whole".utf8))
    }
}
