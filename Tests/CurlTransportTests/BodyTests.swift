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
import TestSupport
import Testing

/// Tests how request bodies are sent, and requests without a body.
@Suite(.serialized, .opensFiles, .timeLimit) struct BodyTests {
    /// Gives each request a body stream, which can be read only once.
    private static func streaming(
        _ make: @escaping @Sendable () -> InputStream?
    ) throws -> ServiceProvider<TestService> {
        try provider().wrapped(in: Intercept.changing { $0.urlRequest.httpBodyStream = make() })
    }

    /// A stream without a declared length is sent in chunks.
    @Test(arguments: [0, 1, 65_536, 3_000_001])
    func aStreamIsSentCompletely(_ size: Int) async throws {
        let data = Data((0..<size).map { UInt8(truncatingIfNeeded: $0 % 251) })
        let server = try LoopbackServer(recordingBodiesUpTo: 1 << 23) { _ in .text("ok") }
        let provider = try Self.streaming { InputStream(data: data) }
        for method in [ServiceMethod.post, .put, .delete] {
            #expect(try await provider.text(of: server.endpoint(method)) == "ok")
        }
        for request in server.requests {
            #expect(request.header("Transfer-Encoding") == "chunked")
            #expect(request.header("Content-Length") == nil)
            let isWhole = request.body == data
            #expect(isWhole, "\(request.bodySize) bytes")
        }
        #expect(server.connectionCount == 1)
    }

    @Test func aTimeoutAfterAStreamNamesThePhase() async throws {
        let provider = try Self.streaming { InputStream(data: Data("hello".utf8)) }
        var text = ""
        // Retry with longer timeouts, because a busy machine may not reach the phase in time.
        for timeout in [0.05, 0.2, 1, 5, 25] where !text.contains("while waiting: ") {
            let server = try LoopbackServer { _ in .never }
            var service = server.endpoint(.post)
            service.timeout = timeout
            let error = await #expect(throws: ServiceError.self) {
                try await provider.load(service: service)
            }
            text = error?.description ?? ""
        }
        #expect(text.contains("while waiting: "))
    }

    /// Bytes beyond the declared length would be read as another request. Missing bytes would make
    /// the server wait.
    @Test func aStreamKeepsToItsDeclaredLength() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let post = server.endpoint(.post)
        for _ in 0..<3 {
            #expect(try await Self.announcing(5).text(of: post) == "ok")
        }
        #expect(server.requests.map(\.path) == ["/", "/", "/"])
        #expect(server.requests.allSatisfy { $0.body == Data("hello".utf8) })
        #expect(try await Self.announcing(999).code(of: post) == .requestBodyStreamExhausted)
        #expect(try await Self.announcing(0).text(of: post) == "ok")
        // The request that ended early may be recorded last.
        let complete = server.requests.filter(\.isComplete)
        #expect(complete.map(\.bodySize) == [5, 5, 5, 0])
    }

    /// Sends a stream with "hello" and another request, and declares this size for it.
    private static func announcing(_ size: Int64) throws -> ServiceProvider<TestService> {
        let text = "helloGET /evil HTTP/1.1\r\nHost: a\r\n\r\n"
        return try provider().wrapped(
            in: Intercept.changing { $0.upload = { (InputStream(data: Data(text.utf8)), size) } })
    }

    /// The stream has been read. Returning the redirect is better than sending an empty body.
    @Test(.row("R11"), arguments: [307, 308])
    func aStreamIsNotSentToARedirectTarget(_ status: Int) async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/there", statusCode: status) }
        let provider = try Self.streaming { InputStream(data: Data("once".utf8)) }
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: server.endpoint(.put))
        }
        #expect(error?.response?.statusCode == status)
        #expect(server.requests.map(\.body) == [Data("once".utf8)])
    }

    /// Not even over a second connection, if the first one has died. In its own process, because
    /// Foundation on Linux traps when a stream without an error is asked for its error.
    @Test(.row("T2")) func aStreamIsNotSentTwice() async {
        await #expect(processExitsWith: .success) {
            for method in [ServiceMethod.post, .put] {
                let server = try LoopbackServer(responses: [
                    .text("warm"), .raw(""), .text("again"),
                ])
                let provider = try Self.streaming { InputStream(data: Data("once".utf8)) }
                _ = try await provider.load(service: server.endpoint(method))
                let code = await provider.code(of: server.endpoint(method))
                #expect(code == .networkConnectionLost)
                let sent = server.requests.map { String(decoding: $0.body, as: UTF8.self) }
                #expect(sent == ["once", "once"])
            }
        }
    }

    /// URLSession sends an empty body, and succeeds.
    @Test(.row("U16")) func aStreamThatCannotBeReadIsAnError() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let provider = try Self.streaming { InputStream(fileAtPath: "/nowhere/at/all") }
        await #expect(throws: ServiceError.self) {
            try await provider.load(service: server.endpoint(.put))
        }
        #expect(!server.requests.contains { $0.isComplete })
    }

    @Test(
        .row("U16"),
        arguments: [
            ("GET", nil), ("HEAD", nil), ("DELETE", nil), ("OPTIONS", nil), ("PURGE", nil),
            ("POST", "0"), ("PUT", "0"), ("PATCH", "0"),
        ] as [(String, String?)])
    func onlyPostPutAndPatchDeclareALengthWithoutABody(
        _ method: String, _ length: String?
    ) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let provider = try provider()
        _ = try await provider.response(service: server.endpoint(ServiceMethod(rawValue: method)))
        _ = try await provider.response(
            service: server.endpoint(ServiceMethod(rawValue: method), length == nil ? nil : ""))
        for request in server.requests {
            #expect(request.method == method)
            #expect(request.header("Content-Length") == length)
            #expect(request.header("Transfer-Encoding") == nil)
            #expect(request.bodySize == 0)
        }
        #expect(server.requests.first?.header("Content-Type") == nil)
        #expect(server.requests.map(\.connection) == [0, 0])
    }

    @Test(.row("R2", "R18", "L9", "U14")) func cookiesAndResponsesAreNotStored() async throws {
        let server = try LoopbackServer { request in
            .text(request.target).header("Cache-Control", "max-age=1000").header("ETag", "\"v1\"")
                .header("Set-Cookie", "a=b; Path=/").header("Last-Modified", "Sun, 06 Nov 1994")
        }
        let provider = try provider()
        for query in ["?q=cats", "?q=dogs", "?q=cats", ""] {
            let service = TestService(baseURL: server.baseURL + "/x" + query, path: "")
            #expect(try await provider.text(of: service) == "/x" + query)
        }
        #expect(server.requests.count == 4)
        for request in server.requests {
            for name in ["Cookie", "If-None-Match", "If-Modified-Since"] {
                #expect(request.header(name) == nil)
            }
        }
    }
}
#endif
