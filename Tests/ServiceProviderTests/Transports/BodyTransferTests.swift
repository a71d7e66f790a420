// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct BodyTransferTests {
    /// A response may be kept long after the file that was sent.
    @Test(arguments: TransportUnderTest.allCases)
    func aResponseDoesNotKeepTheUploadOfItsRequest(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { .text("\($0.bodySize)") }
        let provider = transport.provider(
            Intercept.changing { $0.upload = { (InputStream(data: Data(count: 9)), 9) } })
        let response = try await provider.response(service: server.service(method: .put))
        #expect(response.text == "9" && response.request.upload == nil)
    }

    @Test(arguments: TransportUnderTest.allCases, [1, 7, 4_096])
    func bodiesSentInPiecesArriveWhole(_ transport: TransportUnderTest, size: Int) async throws {
        let text = String(repeating: "0123456789", count: 500)
        let server = try LoopbackServer(responses: [
            .text(text).chunked(size: size), .text(text).dripping(bytes: 1_000, every: 0.01),
        ])
        let provider = transport.provider()
        #expect(try await provider.load(service: server.service()) == Data(text.utf8))
        #expect(try await provider.load(service: server.service()) == Data(text.utf8))
    }

    /// An informational response with its own headers comes first (RFC 8297).
    @Test(
        .row("F15"),
        arguments: TransportUnderTest.allCases,
        ["100 Continue", "102 Processing", "103 Early Hints"])
    func informationalResponsesAreSkipped(
        _ transport: TransportUnderTest, status: String
    ) async throws {
        let early = "HTTP/1.1 \(status)\r\nLink: </x>; rel=preload\r\n\r\n"
        let final = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\nX-Final: 1\r\n\r\nhello"
        let server = try LoopbackServer(responses: [
            .raw(early + final), .raw(early + early + final),
        ])
        let provider = transport.provider()
        for _ in 0..<2 {
            let response = try await provider.response(service: server.service())
            #expect(response.statusCode == 200)
            #expect(response.header("X-Final") == "1")
            #expect(response.data == Data("hello".utf8))
        }
    }
}
