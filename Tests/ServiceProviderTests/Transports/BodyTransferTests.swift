// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct BodyTransferTests {
    private static let fiftyMegabytes = 50 << 20
    /// A prime number of bytes, so that a lost or repeated block can't go unnoticed.
    private static let pattern = Data((0..<251).map { UInt8($0) })

    @Test(.slow, arguments: TransportUnderTest.allCases)
    func fiftyMegabytesAreReceived(_ transport: TransportUnderTest) async throws {
        let responses = [
            LoopbackResponse(body: .repeating(Self.pattern, count: Self.fiftyMegabytes)),
            LoopbackResponse(body: .repeating(Self.pattern, count: Self.fiftyMegabytes)).chunked(),
        ]
        let server = try LoopbackServer(responses: responses)
        let provider = transport.provider()
        let expected = Self.bytes(Self.fiftyMegabytes)
        for _ in responses {
            let data = try await provider.load(service: server.service())
            // Compared outside of #expect, which would print both values.
            let isWhole = data == expected
            #expect(isWhole, "\(data.count) bytes")
        }
    }

    @Test(.slow, arguments: TransportUnderTest.allCases)
    func fiftyMegabytesAreSent(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(recordingBodiesUpTo: 1 << 26) { .text("\($0.bodySize)") }
        var service = server.service(method: .put)
        let content = Self.bytes(Self.fiftyMegabytes)
        service.body = .data(content, contentType: "text/plain")
        let data = try await transport.provider().load(service: service)
        #expect(data == Data("\(Self.fiftyMegabytes)".utf8))
        let isWhole = server.requests.first?.body == content
        #expect(isWhole)
    }

    /// A response may be kept long after the file that was sent.
    @Test(arguments: TransportUnderTest.allCases)
    func aResponseDoesNotKeepTheUploadOfItsRequest(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { .text("\($0.bodySize)") }
        let provider = transport.provider(
            Intercept.changing { $0.upload = { (InputStream(data: Data(count: 9)), 9) } })
        let response = try await provider.response(for: server.service(method: .put))
        #expect(response.text == "9" && response.request.upload == nil)
    }

    private static func bytes(_ count: Int) -> Data {
        var bytes = Data(capacity: count + pattern.count)
        while bytes.count < count { bytes.append(pattern) }
        return bytes.prefix(count)
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
            let response = try await provider.response(for: server.service())
            #expect(response.statusCode == 200)
            #expect(response.header("X-Final") == "1")
            #expect(response.data == Data("hello".utf8))
        }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func repeatedHeadersAreJoined(_ kind: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [
            .text("ok").header("Set-Cookie", "a=1").header("Set-Cookie", "b=2")
                .header("X-Twice", "1").header("X-Twice", "2"),
            .text("ok"),
        ])
        let provider = ServiceProvider<TestService>(transport: kind.make())
        let response = try await provider.response(for: server.service())
        #expect(response.data == Data("ok".utf8))
        #expect(response.header("x-twice") == "1, 2")
        let fields = try #require(response.header("set-cookie"))
        #expect(fields.contains("a=1") && fields.contains("b=2"))
        _ = try await provider.load(service: server.service())
        let sent = server.requests.last?.header("Cookie")
        let cookies: Set? = kind.keepsCookies ? ["a=1", "b=2"] : nil
        #expect(sent.map { Set($0.components(separatedBy: "; ")) } == cookies)
    }

    @Test(arguments: TransportUnderTest.allCases, [400, 404, 418, 500, 503, 599])
    func failedResponsesKeepTheirBody(_ transport: TransportUnderTest, status: Int) async throws {
        let server = try LoopbackServer(responses: [.json(#"{"why":"\#(status)"}"#, status: status)]
        )
        let error = try await transport.provider().failure(of: server.service())
        #expect(error.unacceptableStatus == status)
        #expect(try error.response?.decode([String: String].self) == ["why": "\(status)"])
    }
}
