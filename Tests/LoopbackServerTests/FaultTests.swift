// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct FaultTests {
    private static let head = "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: 10\r\n\r\n"
    private static let response = LoopbackResponse(
        headers: [("X", "y")], body: .data(Data("0123456789".utf8)))

    private func client(_ server: LoopbackServer) throws -> Client {
        let client = try Client(server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        return client
    }

    @Test(arguments: [0, 1, 20, 1000], [LoopbackResponse.Cut.close, .reset])
    func headersCanBeCut(count: Int, how: LoopbackResponse.Cut) throws {
        let server = try LoopbackServer(responses: [Self.response.cut(how, afterHeaderBytes: count)]
        )
        let (text, error) = try client(server).rest()
        #expect(Data(text.utf8) == Data(Self.head.utf8.prefix(count)))
        #expect(error == (how == .reset ? ECONNRESET : nil))
    }

    @Test(arguments: [0, 1, 5, 10, .max], [LoopbackResponse.Cut.close, .reset])
    func bodiesCanBeCut(count: Int, how: LoopbackResponse.Cut) throws {
        let server = try LoopbackServer(responses: [Self.response.cut(how, afterBodyBytes: count)])
        let (text, error) = try client(server).rest()
        #expect(text == Self.head + "0123456789".prefix(count))
        #expect(error == (how == .reset ? ECONNRESET : nil))
    }

    @Test(arguments: [0, 1, 20]) func headersCanStall(count: Int) throws {
        let server = try LoopbackServer(responses: [
            Self.response.cut(.stall, afterHeaderBytes: count)
        ])
        let client = try client(server)
        #expect(try client.bytes(count) == Data(Self.head.utf8.prefix(count)))
        try client.send("GET /swallowed HTTP/1.1\r\n\r\n")
        client.endOutput()
        #expect(client.rest() == ("", nil))
        #expect(server.requests.count == 1)
    }

    @Test(arguments: [0, 1, 5]) func bodiesCanStall(count: Int) throws {
        let server = try LoopbackServer(responses: [
            Self.response.cut(.stall, afterBodyBytes: count)
        ])
        let client = try client(server)
        let wanted = Data(Self.head.utf8) + Data("0123456789".utf8.prefix(count))
        #expect(try client.bytes(wanted.count) == wanted)
        server.stop()
        #expect(client.rest() == ("", nil))
    }

    @Test func cutsCountTheLinesAroundChunks() throws {
        let server = try LoopbackServer(responses: [
            Self.response.chunked(size: 4).cut(.close, afterBodyBytes: 12),
            Self.response.chunked(size: 4).cut(.close, afterBodyBytes: .max),
        ])
        #expect(try client(server).rest().text.hasSuffix("\r\n\r\n4\r\n0123\r\n4\r\n"))
        #expect(try client(server).rest().text.hasSuffix("2\r\n89\r\n0\r\n\r\n"))
    }

    @Test func cutsCountEveryByteOfRawResponses() throws {
        let server = try LoopbackServer(responses: [
            .raw("abcdef").cut(.reset, afterHeaderBytes: 2),
            .raw("abcdef").cut(.close, afterHeaderBytes: 3),
        ])
        #expect(try client(server).rest() == ("ab", ECONNRESET))
        #expect(try client(server).rest() == ("abc", nil))
    }

    @Test func aLargeBodyIsCutInTheMiddle() throws {
        let body = LoopbackResponse.Body.repeating(Data("x".utf8), count: 1 << 30)
        let server = try LoopbackServer(responses: [
            LoopbackResponse(body: body).cut(.close, afterBodyBytes: 1_000_001),
            LoopbackResponse(body: body).chunked().cut(.close, afterHeaderBytes: 0),
        ])
        let (text, error) = try client(server).rest()
        #expect(error == nil)
        #expect(text.utf8.filter { $0 == UInt8(ascii: "x") }.count == 1_000_001)
        #expect(try client(server).rest() == ("", nil))
    }

    @Test(arguments: ["3", "99", "-1", "1, 2", ""]) func aLengthMayBeWrong(text: String) throws {
        let server = try LoopbackServer(responses: [Self.response.declaringLength(text).closing()])
        let response = try client(server).rest().text
        #expect(
            response == "HTTP/1.1 200 OK\r\nX: y\r\nContent-Length: \(text)\r\n"
                + "Connection: close\r\n\r\n0123456789")
    }

    @Test func aWrongLengthCanBeSentWithChunks() throws {
        let server = try LoopbackServer(responses: [
            Self.response.chunked(size: 10).declaringLength("2").closing()
        ])
        let response = try client(server).rest().text
        #expect(response.contains("\r\nContent-Length: 2\r\n"))
        #expect(response.contains("\r\nTransfer-Encoding: chunked\r\n"))
    }

    @Test func delaysApplyBeforeTheHeadersAndBeforeTheBody() throws {
        let server = try LoopbackServer(responses: [
            Self.response.delayed(by: 0.05), Self.response.delayingBody(by: 0.05),
            Self.response.delayingBody(by: 3_600),
        ])
        let client = try Client(server.port)
        let head = try seconds {
            try client.send("GET / HTTP/1.1\r\n\r\n")
            _ = try client.bytes(1)
        }
        #expect(head > 0.04)
        _ = try client.response()
        let whole = try seconds {
            try client.send("GET / HTTP/1.1\r\n\r\n")
            _ = try client.bytes(Self.head.utf8.count + 10)
        }
        #expect(whole > 0.04)
        // The headers arrive before the delay, and nothing else does.
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.bytes(Self.head.utf8.count) == Data(Self.head.utf8))
        server.stop()
        #expect(client.rest() == ("", nil))
    }

    @Test func theWholeResponseDrips() throws {
        let response = Self.response.dripping(bytes: 4, every: 0.01)
        let server = try LoopbackServer(responses: [
            response, response.cut(.close, afterHeaderBytes: 6),
        ])
        let size = Self.head.utf8.count + 10
        let client = try client(server)
        let time = try seconds { _ = try client.bytes(size) }
        #expect(time > 0.01 * Double((size - 1) / 4) * 0.9)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(client.rest() == ("HTTP/1", nil))
    }

    @Test func negativeAndNaNSettingsAreHarmless() throws {
        let server = try LoopbackServer(responses: [
            Self.response.chunked(size: -1).delayed(by: -1).delayingBody(by: .nan),
            Self.response.dripping(bytes: -1, every: -1), LoopbackResponse(statusCode: -5),
            Self.response.cut(.close, afterBodyBytes: -1),
        ])
        let client = try client(server)
        #expect(try client.response().text == "0123456789")
        #expect(try client.get("/").text == "0123456789")
        #expect(try client.get("/").head.hasPrefix("HTTP/1.1 -5 "))
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(client.rest() == (Self.head, nil))
    }
}
