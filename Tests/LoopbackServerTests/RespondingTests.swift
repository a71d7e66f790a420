// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct RespondingTests {
    @Test func responsesAreSentInTheOrderOfTheQueue() throws {
        let server = try LoopbackServer(responses: [.text("one"), .json("[2]", statusCode: 201)])
        server.enqueue(.statusCode(204), .redirect(to: "/next"))
        let client = try Client(server.port)
        let first = try client.get("/1")
        #expect(first.text == "one")
        #expect(first.head.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(first.header("Content-Type") == "text/plain; charset=utf-8")
        let second = try client.get("/2")
        #expect(second.text == "[2]" && second.status == 201)
        #expect(second.header("Content-Type") == "application/json")
        #expect(try client.get("/3").head == "HTTP/1.1 204 No Content\r\n")
        let fourth = try client.get("/4")
        #expect(fourth.status == 302 && fourth.header("Location") == "/next")
        #expect(fourth.header("Content-Length") == "0")
        let fifth = try client.get("/5?x")
        #expect(fifth.status == 404 && fifth.text.contains("no response left for GET /5?x"))
        #expect(server.requests.map(\.path) == ["/1", "/2", "/3", "/4", "/5"])
    }

    /// The first recorded request gets the first response, even if others arrive at the same time.
    @Test func manyConnectionsShareTheQueue() throws {
        let count = 500
        let server = try LoopbackServer(responses: (0..<8 * count).map { .text("\($0)") })
        let clients = try (0..<8).map { _ in try Client(server.port) }
        for (index, client) in clients.enumerated() {
            try client.send(
                (0..<count).map { "GET /\(index)/\($0) HTTP/1.1\r\n\r\n" }.joined())
        }
        var responses: [String: String] = [:]
        for (index, client) in clients.enumerated() {
            for number in 0..<count {
                responses["/\(index)/\(number)"] = try client.response().text
            }
        }
        #expect(server.requests.map { responses[$0.path] } == (0..<8 * count).map { "\($0)" })
    }

    @Test func theHandlerRespondsOnceTheQueueIsEmpty() throws {
        let server = try LoopbackServer { .text("\($0.method) \($0.path) \($0.query ?? "-")") }
        server.enqueue(.text("queued"))
        let client = try Client(server.port)
        #expect(try client.get("/a").text == "queued")
        #expect(try client.get("/a?b=c?d").text == "GET /a b=c?d")
        #expect(try client.get("/%41").text == "GET /%41 -")
    }

    @Test func aContentTypeHeaderReplacesTheDefault() throws {
        let response = LoopbackResponse.text("data: 1\n\n").header(
            "Content-Type", "text/event-stream")
        let server = try LoopbackServer(responses: [response])
        let head = try Client(server.port).get("/").head
        #expect(head.contains("Content-Type: text/event-stream\r\n"))
        #expect(!head.contains("text/plain"))
    }

    @Test func headersAreSentInOrderAndAsGiven() throws {
        var response = LoopbackResponse(headers: [("x-b", "1"), ("X-A", "2")]).header("x-b", "3")
        response.reason = "Fine, thanks"
        let server = try LoopbackServer(responses: [response])
        let head = try Client(server.port).get("/").head
        #expect(
            head == "HTTP/1.1 200 Fine, thanks\r\nx-b: 1\r\nX-A: 2\r\nx-b: 3\r\n"
                + "Content-Length: 0\r\n")
    }

    @Test func headRequestsAndBodilessStatusesGetNoBody() throws {
        let server = try LoopbackServer(responses: [
            .text("four"), LoopbackResponse(statusCode: 304, body: .data(Data("four".utf8))),
            .statusCode(304),
            LoopbackResponse(statusCode: 204, body: .data(Data("four".utf8))).chunked(),
            LoopbackResponse(statusCode: 103, body: .data(Data("four".utf8))), .text("end"),
        ])
        let client = try Client(server.port)
        try client.send("HEAD / HTTP/1.1\r\n\r\n")
        #expect(try client.response(toHead: true).header("Content-Length") == "4")
        for _ in 0..<4 {
            try client.send("GET / HTTP/1.1\r\n\r\n")
            let response = try client.response(toHead: true)
            #expect(response.header("Content-Length") == nil)
            #expect(response.header("Transfer-Encoding") == nil)
        }
        #expect(try client.get("/").text == "end")
    }

    @Test(arguments: [1, 3, 100, 100_000]) func bodiesAreChunked(size: Int) throws {
        let body = Data((0..<70_000).map { UInt8($0 % 251) })
        let server = try LoopbackServer(responses: [
            .data(body).chunked(size: size).trailers([("X-Sum", "9"), ("x-t", "")]),
            .data(Data()).chunked(),
        ])
        let client = try Client(server.port)
        let response = try client.get("/")
        #expect(response.body == body)
        #expect(response.header("Content-Length") == nil)
        #expect(response.head.hasSuffix("X-Sum: 9\r\nx-t: \r\n"))
        #expect(try client.get("/").body.isEmpty)
    }

    @Test func aBodyMayEndWithTheConnection() throws {
        let server = try LoopbackServer(responses: [.text("to the end").untilClose()])
        let client = try Client(server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        let (text, error) = client.rest()
        #expect(error == nil)
        #expect(text.hasSuffix("\r\nConnection: close\r\n\r\nto the end"))
        #expect(!text.contains("Content-Length"))
    }

    @Test func rawBytesAreSentAsTheyAre() throws {
        let server = try LoopbackServer(responses: [
            .raw("HTTP/1.1 200\nX\n").keepingAlive(), .raw(Data([0, 255, 10])),
        ])
        let client = try Client(server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.bytes(15) == Data("HTTP/1.1 200\nX\n".utf8))
        try client.send("HEAD / HTTP/1.1\r\n\r\n")
        #expect(try client.bytes(3) == Data([0, 255, 10]))
        #expect(client.rest() == ("", nil))
    }

    @Test func aFileIsStreamedAndAMissingFileIsReported() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("loopback-\(UUID().uuidString)")
        let body = Data((0..<200_000).map { UInt8($0 % 253) })
        try body.write(to: url)
        defer { try? FileManager.default.removeItem(at: url) }
        let server = try LoopbackServer(responses: [
            LoopbackResponse(body: .file(url)), LoopbackResponse(body: .file(url)).chunked(),
            LoopbackResponse(body: .file(url.appendingPathComponent("none"))),
        ])
        let client = try Client(server.port)
        #expect(try client.get("/").body == body)
        #expect(try client.get("/").body == body)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        let (text, error) = client.rest()
        #expect(text.hasPrefix("HTTP/1.1 500 Cannot Read File\r\n") && error == nil)
    }

    #if os(Linux) || os(macOS)
    /// In its own process, because other tests open files too.
    @Test func filesOfHeadRequestsAreClosed() async {
        await #expect(processExitsWith: .success) {
            let url = FileManager.default.temporaryDirectory
                .appendingPathComponent("loopback-\(UUID().uuidString)")
            try Data("file".utf8).write(to: url)
            defer { try? FileManager.default.removeItem(at: url) }
            let server = try LoopbackServer { _ in LoopbackResponse(body: .file(url)) }
            let client = try Client(server.port)
            let before = ProcessUsage.descriptors ?? 0
            for _ in 0..<1000 {
                try client.send("HEAD / HTTP/1.1\r\n\r\n")
                let length = try client.response(toHead: true).header("Content-Length")
                guard length == "4" else { exit(1) }
            }
            guard (ProcessUsage.descriptors ?? 0) <= before + 10 else { exit(2) }
        }
    }
    #endif

    @Test func aRepeatedPatternHasTheExactLength() throws {
        let server = try LoopbackServer(responses: [
            LoopbackResponse(body: .repeating(Data("abc".utf8), count: 100_000)),
            LoopbackResponse(body: .repeating(Data(), count: 9)),
            LoopbackResponse(body: .repeating(Data("abc".utf8), count: -1)),
        ])
        let client = try Client(server.port)
        let body = try client.get("/").body
        #expect(body == Data(String(repeating: "abc", count: 33_333).utf8) + Data("a".utf8))
        #expect(try client.get("/").body.isEmpty)
        #expect(try client.get("/").body.isEmpty)
    }

    @Test(arguments: [
        ("GET / HTTP/1.1\r\nConnection: close\r\n\r\n", LoopbackResponse.text("x")),
        ("GET / HTTP/1.1\r\nConnection: te, Close\r\n\r\n", .text("x")),
        ("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n", .text("x")),
        ("GET / HTTP/1.1\r\n\r\n", .text("x").closing()),
        ("GET / HTTP/1.1\r\n\r\n", .text("x").header("connection", "Close")),
        ("GET / HTTP/1.1\r\n\r\n", .text("x").header("connection", "te").closing()),
    ])
    func connectionCloseFromEitherSideClosesTheConnection(
        request: String, response: LoopbackResponse
    ) throws {
        let server = try LoopbackServer(responses: [response])
        let client = try Client(server.port)
        try client.send(request)
        let (text, error) = client.rest()
        #expect(error == nil)
        #expect(text.lowercased().contains("connection: close\r\n"))
        #expect(text.hasSuffix("\r\n\r\nx"))
    }
}
