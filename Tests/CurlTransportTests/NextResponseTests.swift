// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests responses with more bytes than they should have, and the next request after them.
@Suite(.serialized, .opensFiles, .timeLimit) struct NextResponseTests {
    static let chunked = "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n"
    static let final = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
    static let poison = "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON"

    struct Sample: CustomTestStringConvertible {
        let testDescription: String
        let method: ServiceMethod
        let text: String
        let status: Int
        let body: String
        /// Whether the next request uses the same connection. Nil if either is fine.
        var isReused: Bool?

        init(
            _ name: String, _ text: String, _ method: ServiceMethod = .get, status: Int = 200,
            body: String = "hello", isReused: Bool? = true
        ) {
            testDescription = name
            self.text = text
            self.method = method
            self.status = status
            self.body = body
            self.isReused = isReused
        }

        static func bodiless(_ status: Int, _ method: ServiceMethod) -> [Sample] {
            let head = "HTTP/1.1 \(status) X\r\n"
            let name = "\(method.rawValue) \(status)"
            func sample(_ more: String, _ text: String, isReused: Bool? = nil) -> Sample {
                Sample(
                    "\(name), \(more)", head + text, method, status: status, body: "",
                    isReused: isReused)
            }
            return [
                sample("a length", "Content-Length: 5\r\n\r\n", isReused: true),
                sample("a body", "Content-Length: 5\r\n\r\nhello"),
                sample("another response", "Content-Length: 45\r\n\r\n\(poison)"),
                sample("no length", "\r\n\(poison)"),
                sample("chunks", "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
            ]
        }

        static let all: [Sample] =
            bodiless(204, .get) + bodiless(304, .get) + bodiless(200, .head) + bodiless(404, .head)
            + bodiless(204, .post) + [
                Sample("100 × 50", many("100 Continue", 50) + final),
                Sample("102 × 50", many("102 Processing", 50) + final),
                Sample("103 × 50", many("103 Early Hints\r\nLink: </a>", 50) + final),
                Sample("199", many("199 What\r\nContent-Length: 9", 1) + final),
                Sample("one trailer", chunked + "X-Late: 1\r\n\r\n"),
                Sample("a length in a trailer", chunked + "Content-Length: 9\r\n\r\n"),
                Sample("a cookie in a trailer", chunked + "Set-Cookie: a=b\r\n\r\n"),
                Sample("a status in a trailer", chunked + "HTTP/1.1 500 No: x\r\n\r\n"),
                Sample(
                    "500 trailers", chunked + String(repeating: "X: a\r\n", count: 500) + "\r\n"),
                Sample("a length beside chunks", both, isReused: false),
                // libcurl accepts them, and may reuse the connection.
                Sample("bare line feeds", bare, isReused: nil),
                Sample("two responses", final + poison, isReused: false),
            ]

        private static let both =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 3\r\n\r\n"
            + "5\r\nhello\r\n0\r\n\r\n"

        private static let bare =
            "HTTP/1.1 200 OK\nTransfer-Encoding: chunked\n\n5\nhello\n0\n\n"

        private static func many(_ status: String, _ count: Int) -> String {
            String(repeating: "HTTP/1.1 \(status)\r\n\r\n", count: count)
        }
    }

    @Test(.row("F5", "F8", "F10", "F15", "F16", "P1"), arguments: Sample.all)
    func theNextRequestGetsItsOwnResponse(_ sample: Sample) async throws {
        let server = try LoopbackServer(responses: [
            .raw(sample.text).keepingAlive(), .text("second"),
        ])
        let provider = try provider()
        var response: ServiceResponse?
        do {
            response = try await provider.response(service: server.endpoint(sample.method))
        } catch let error as ServiceError {
            response = error.response
            if response == nil { throw error }
        }
        #expect(response?.statusCode == sample.status)
        #expect(response?.data == Data(sample.body.utf8))
        for name in ["X-Late", "Set-Cookie", "Link", "X"] {
            #expect(response?.header(name) == nil, "\(name)")
        }
        #expect(try await provider.text(of: server.endpoint()) == "second")
        if let isReused = sample.isReused {
            #expect(server.requests.map(\.connection) == [0, isReused ? 0 : 1])
        }
    }

    /// Malformed trailers, and more trailers than the limit for headers allows.
    @Test(
        .row("F10", "U3"),
        arguments: [
            ("X: a\0b", 1, true), ("no colon", 1, true), ("X: a\rb", 1, true), (": a", 1, true),
            ("X: a\n\n", 1, true), ("X: aaaaa\r\n ", 99_999, false), ("X: a\r\n", 20_000, false),
        ])
    func oddTrailersChangeNothing(
        _ line: String, _ count: Int, _ mayBeGood: Bool
    ) async throws {
        let trailers = String(repeating: line, count: count) + "\r\n\r\n"
        let server = try LoopbackServer(responses: [
            .raw(Self.chunked + trailers).keepingAlive(), .text("second"),
        ])
        let provider = try provider()
        do {
            let response = try await provider.response(service: server.endpoint(.post))
            #expect(mayBeGood)
            #expect(response.data == Data("hello".utf8))
            #expect(response.header("X") == nil)
        } catch {
            guard case ServiceError.transport(let error) = error else { throw error }
            #expect([.badServerResponse, .networkConnectionLost].contains(error.code))
        }
        #expect(try await provider.text(of: server.endpoint()) == "second")
    }
}
#endif
