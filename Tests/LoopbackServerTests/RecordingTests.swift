// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct RecordingTests {
    @Test func aRequestIsRecordedAsReceived() throws {
        let server = try LoopbackServer { _ in .statusCode(204) }
        let head =
            "PATCH /a%20b?c=d?e HTTP/1.1\r\nHOST: x\r\nx-Two:b:c\r\nempty:\r\nAccept:  */* \t\r\nX-two: a\r\n"
            + "Content-Length: 4\r\n\r\n"
        let client = try Client(server.port)
        try client.send(head + "body")
        #expect(try client.response().status == 204)
        let request = try #require(server.nextRequest())
        #expect(request.method == "PATCH" && request.version == "HTTP/1.1")
        #expect(request.target == "/a%20b?c=d?e")
        #expect(request.path == "/a%20b" && request.query == "c=d?e")
        #expect(
            request.headers.map(\.name)
                == ["HOST", "x-Two", "empty", "Accept", "X-two", "Content-Length"])
        #expect(request.headers.map(\.value) == ["x", "b:c", "", "*/*", "a", "4"])
        #expect(request.header("X-TWO") == "b:c" && request.header("none") == nil)
        #expect(request.head == Data(head.utf8))
        #expect(request.body == Data("body".utf8) && request.bodySize == 4 && request.isComplete)
    }

    @Test func connectionsAndTheirRequestsAreNumbered() throws {
        let server = try LoopbackServer { .text("\($0.connection)/\($0.indexInConnection)") }
        let one = try Client(server.port)
        #expect(try one.get("/").text == "0/0")
        let two = try Client(server.port)
        #expect(try two.get("/").text == "1/0")
        #expect(try one.get("/").text == "0/1")
        #expect(try two.get("/").text == "1/1")
        #expect(server.connectionCount == 2)
        #expect(server.baseURL == "http://127.0.0.1:\(server.port)")
    }

    @Test func pipelinedRequestsGetTheirResponsesInOrder() throws {
        let server = try LoopbackServer {
            .text($0.path + String(decoding: $0.body, as: UTF8.self))
        }
        let client = try Client(server.port)
        try client.send(
            "POST /1 HTTP/1.1\r\nContent-Length: 2\r\n\r\nab"
                + "POST /2 HTTP/1.1\r\nTransfer-Encoding: Chunked\r\n\r\n1\r\nc\r\n0\r\n\r\n"
                + "GET /3 HTTP/1.1\r\n\r\n")
        #expect(try client.response().text == "/1ab")
        #expect(try client.response().text == "/2c")
        #expect(try client.response().text == "/3")
    }

    @Test func aRequestMayArriveByteByByte() throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let client = try Client(server.port)
        let text =
            "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
            + "4;x=\"y\"\r\nWiki\r\n0000A\r\n0123456789\r\n0\r\nX-Trailer: 1\r\n\r\n"
        for byte in text.utf8 { try client.send(Data([byte])) }
        #expect(try client.response().text == "ok")
        #expect(server.nextRequest()?.body == Data("Wiki0123456789".utf8))
    }

    @Test func expectContinueGetsItsResponseBeforeTheBody() throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let client = try Client(server.port)
        try client.send("PUT / HTTP/1.1\r\nExpect: 100-Continue\r\nContent-Length: 1\r\n\r\n")
        #expect(try client.response().head == "HTTP/1.1 100 Continue\r\n")
        try client.send("x")
        #expect(try client.response().text == "ok")
    }

    @Test func bodiesAreKeptUpToTheLimitAndCountedBeyond() throws {
        let server = try LoopbackServer(recordingBodiesUpTo: 5) { _ in .statusCode(200) }
        let client = try Client(server.port)
        try client.send("POST / HTTP/1.1\r\nContent-Length: 8\r\n\r\n12345678")
        #expect(try client.response().status == 200)
        let request = try #require(server.nextRequest())
        #expect(request.body == Data("12345".utf8) && request.bodySize == 8)
    }

    @Test(arguments: [
        "Content-Length: 9\r\n\r\nabc", "Transfer-Encoding: chunked\r\n\r\n9\r\nabc",
        "Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
    ])
    func anIncompleteBodyIsRecordedWithoutAResponse(rest: String) throws {
        let server = try LoopbackServer(responses: [.text("for the next one")])
        let client = try Client(server.port)
        try client.send("POST / HTTP/1.1\r\n" + rest)
        client.endOutput()
        #expect(client.rest() == ("", nil))
        let request = try #require(server.nextRequest())
        #expect(!request.isComplete && request.bodySize == 3)
        #expect(try Client(server.port).get("/").text == "for the next one")
    }

    @Test func aRequestResetWithinItsBodyIsRecorded() throws {
        let server = try LoopbackServer()
        let client = try Client(server.port)
        try client.send("POST / HTTP/1.1\r\nExpect: 100-continue\r\nContent-Length: 9\r\n\r\n")
        #expect(try client.response().status == 100)
        client.hangUp(resetting: true)
        #expect(server.nextRequest()?.isComplete == false)
    }

    @Test(arguments: [
        "\r\n\r\n\r\n", "GET /\r\n\r\n", "GET  / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1 \r\n\r\n",
        "GET / HTTP/1.1\r\nA\r\n\r\n", "GET / HTTP/1.1\r\nA: b\r\n c\r\n\r\n",
    ])
    func aMalformedRequestIsRefused(text: String) throws {
        let server = try LoopbackServer { _ in .text("taken") }
        let client = try Client(server.port)
        try client.send(text)
        let (response, error) = client.rest()
        #expect(error == nil)
        #expect(response.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(server.requests.isEmpty)
    }

    /// A client that starts TLS sends no line, and waits for the server.
    @Test func aTLSHandshakeIsRefusedImmediately() throws {
        let server = try LoopbackServer { _ in .text("taken") }
        let client = try Client(server.port)
        try client.send("\u{16}\u{3}\u{1}\u{2}\u{0}")
        #expect(try client.response().status == 400)
        #expect(server.requests.isEmpty)
    }

    /// A combining mark and the colon before it are one `Character`.
    @Test func aValueMayBeginWithACombiningMark() throws {
        let server = try LoopbackServer { _ in .statusCode(200) }
        let client = try Client(server.port)
        try client.send("GET / HTTP/1.1\r\nX:\u{301}a\r\n\r\n")
        #expect(try client.response().status == 200)
        #expect(server.requests.first?.header("x") == "\u{301}a")
    }

    /// The server reads no coding but chunks, so it can't know where another body ends.
    @Test(arguments: [
        "Content-Length: -1", "Content-Length: ", "Content-Length: 1, 1",
        "Content-Length: 99999999999999999999", "Transfer-Encoding: gzip, chunked",
        "Transfer-Encoding: gzip", "Transfer-Encoding: ",
        "Transfer-Encoding: chunked\r\n\r\nx", "Transfer-Encoding: chunked\r\n\r\n",
        "Transfer-Encoding: chunked\r\n\r\n-1", "Transfer-Encoding: chunked\r\n\r\n1\r\nab",
        "Transfer-Encoding: chunked\r\n\r\nFFFFFFFFFFFFFFFFF",
    ])
    func malformedBodiesAreRefused(text: String) throws {
        let server = try LoopbackServer { _ in .text("taken") }
        let client = try Client(server.port)
        try client.send("PUT / HTTP/1.1\r\n\(text)\r\n\r\nxyz")
        let (response, error) = client.rest()
        #expect(error == nil)
        #expect(response.hasPrefix("HTTP/1.1 400 Bad Request\r\n"))
        #expect(server.nextRequest()?.isComplete == false)
    }

    @Test func headersOverOneMegabyteAreRefused() throws {
        let server = try LoopbackServer { _ in .text("taken") }
        let large = String(repeating: "x", count: 1_000_000)
        let client = try Client(server.port)
        try client.send("GET / HTTP/1.1\r\nX: \(large)\r\n\r\n")
        #expect(try client.response().text == "taken")
        try client.send("GET / HTTP/1.1\r\nX: \(large)\r\nX: \(large)\r\n\r\n")
        #expect(client.rest().text.hasPrefix("HTTP/1.1 400 "))
    }

    @Test func headerBytesThatAreNotUTF8AreKept() throws {
        let server = try LoopbackServer { _ in .statusCode(200) }
        let client = try Client(server.port)
        let head = Data("GET / HTTP/1.1\r\nX: ".utf8) + [0xE9] + Data("\r\n\r\n".utf8)
        try client.send(head)
        #expect(try client.response().status == 200)
        #expect(server.nextRequest()?.head == head)
        #expect(server.requests.first?.header("x") == "\u{FFFD}")
    }

    @Test func nextRequestReturnsEachRequestOnce() throws {
        let server = try LoopbackServer { _ in .statusCode(200) }
        let client = try Client(server.port)
        for path in ["/1", "/2"] { _ = try client.get(path) }
        #expect(server.nextRequest()?.path == "/1")
        #expect(server.nextRequest(timeout: .infinity)?.path == "/2")
        #expect(server.nextRequest(timeout: 0) == nil)
        #expect(server.nextRequest(timeout: .nan) == nil)
        #expect(server.nextRequest(timeout: -1) == nil)
        #expect(server.requests.count == 2)
    }
}
