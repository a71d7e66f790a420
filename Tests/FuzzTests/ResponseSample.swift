// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// The bytes of a response, and the result that a call must return.
struct ResponseSample {
    /// The result that a call must return.
    enum Meaning {
        case response(status: Int, body: Data)
        case failure
    }

    let bytes: [UInt8]
    let meant: Meaning
    var method = ServiceMethod.get

    static let fox = Data(
        String(repeating: "The quick brown fox jumps over the lazy dog. ", count: 40).utf8)
    /// The body that the second request of a redirect gets.
    static let next = "redirected"

    private static let ok = "HTTP/1.1 200 OK\r\n"
    private static let chunked = ok + "Transfer-Encoding: chunked\r\n"
    private static let gzip = """
        H4sIAAAAAAACAwvJSFUoLM1MzlZIKsovz1NIy69QyCrNLShWyC9LLVIoAUrnJFZVKqTkp+sphIwqHlU8qnhU8ajiUcXDSzEA5s\
        OVZAgHAAA=
        """
    private init(
        _ text: String, _ body: String, status: Int = 200, _ method: ServiceMethod = .get
    ) {
        bytes = Array(text.utf8)
        meant = .response(status: status, body: Data(body.utf8))
        self.method = method
    }

    /// Creates a compressed response.
    private init(_ head: String, _ coding: String, _ base64: String, _ body: Data) {
        let data = Data(base64Encoded: base64) ?? Data()
        let isChunked = head.hasSuffix("chunked\r\n")
        let size = isChunked ? "" : "Content-Length: \(data.count)\r\n"
        let start = isChunked ? String(data.count, radix: 16) + "\r\n" : ""
        let end = isChunked ? "\r\n0\r\n\r\n" : ""
        let text = head + size + "Content-Encoding: \(coding)\r\n\r\n" + start
        bytes = Array(text.utf8) + data + Array(end.utf8)
        meant = .response(status: 200, body: body)
    }

    /// Creates a response that must fail.
    private init(bad text: String) {
        bytes = Array(text.utf8)
        meant = .failure
    }

    /// Valid responses, then some that must fail.
    static let all: [ResponseSample] = [
        .init(ok + "Content-Length: 5\r\n\r\nhello", "hello"),
        .init(ok + "Content-Length: 0\r\n\r\n", ""),
        .init(ok + "Content-Length: 5\r\nConnection: close\r\nETag: \"a\"\r\n\r\nhello", "hello"),
        .init(
            ok + "Content-Type: application/json; charset=utf-8\r\nContent-Length: 13\r\n\r\n"
                + "{\"id\": [1,2]}", "{\"id\": [1,2]}"),
        .init(ok + "\r\nuntil the end", "until the end"),
        .init("HTTP/1.0 200 OK\r\nServer: old\r\n\r\nuntil the end", "until the end"),
        .init("HTTP/1.0 200 OK\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        .init(chunked + "\r\n5\r\nhello\r\n6\r\n world\r\n0\r\n\r\n", "hello world"),
        .init(chunked + "\r\n5\r\nhello\r\n0\r\nX-A: b\r\nContent-Length: 1\r\n\r\n", "hello"),
        .init(chunked + "\r\n5;a=b\r\nhello\r\n00\r\n\r\n", "hello"),
        .init(chunked + "\r\n0\r\n\r\n", ""),
        .init(ok, "gzip", gzip, fox), .init(chunked, "gzip", gzip, fox),
        .init("HTTP/1.1 100 Continue\r\n\r\n" + ok + "Content-Length: 5\r\n\r\nhello", "hello"),
        .init(
            "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 102 Processing\r\n\r\n"
                + chunked
                + "\r\n1\r\na\r\n0\r\n\r\n", "a"),
        .init("HTTP/1.1 204 No Content\r\n\r\n", "", status: 204),
        .init("HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", "", status: 304),
        .init(
            "HTTP/1.1 206 Partial\r\nContent-Range: bytes 1-2/9\r\nContent-Length: 2\r\n\r\nab",
            "ab", status: 206),
        .init("HTTP/1.1 404 Not Found\r\nContent-Length: 4\r\n\r\nnone", "none", status: 404),
        .init(
            "HTTP/1.1 500 No\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nno\r\n0\r\n\r\n", "no",
            status: 500),
        .init("HTTP/1.1 503 No\r\nRetry-After: 9\r\nContent-Length: 0\r\n\r\n", "", status: 503),
        .init(
            "HTTP/1.1 401 No\r\nWWW-Authenticate: Basic realm=\"a\"\r\nContent-Length: 0\r\n\r\n",
            "", status: 401),
        .init(ok + "Content-Length: 5\r\n\r\n", "", .head),
        .init(chunked + "Content-Encoding: gzip\r\n\r\n", "", .head),
        .init(ok + "Content-Length: 5\r\n\r\nhello", "hello", .delete),
        .init(ok + "Content-Length: 5\r\n\r\nhello", "hello", .post),
        .init("HTTP/1.1 302 Found\r\nLocation: /next\r\nContent-Length: 2\r\n\r\nno", next),
        .init("HTTP/1.1 301 Moved\r\nLocation: next?a=b#c\r\n\r\n", next, .post),
        .init("HTTP/1.1 303 Other\r\nLocation: ./next\r\nContent-Length: 0\r\n\r\n", next, .put),
        .init("HTTP/1.1 308 Moved\r\nLocation: ../next\r\nContent-Length: 0\r\n\r\n", next),
        .init("HTTP/1.1 302 Found\r\nContent-Length: 2\r\n\r\nno", "no", status: 302),
        .init(
            ok + "Content-Type: text/event-stream\r\n\r\nid: 1\ndata: a\n\nevent: b\rdata: c\r\r",
            "id: 1\ndata: a\n\nevent: b\rdata: c\r\r"),
        .init(
            ok + (0..<200).map { "X-\($0): \($0)\r\n" }.joined()
                + "Set-Cookie: a=b\r\nSet-Cookie: c=d\r\n"
                + "Content-Length: 5\r\n\r\nhello", "hello"),
        .init(
            ok + "Content-Length: 40000\r\n\r\n" + String(repeating: "a", count: 40_000),
            String(repeating: "a", count: 40_000)),
        .init(ok + "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello", "hello"),
        .init(bad: ""), .init(bad: "HTTP/1.1 200 OK\r\n"), .init(bad: "SSH-2.0-OpenSSH_9.2\r\n"),
        .init(bad: ok + "Content-Length: 6\r\n\r\nhello"),
        .init(bad: ok + "Content-Length: 5\r\nContent-Length: 2\r\n\r\nhello"),
        .init(bad: ok + "Content-Length: 99999999999999999999999\r\n\r\nhello"),
        .init(bad: ok + "Content-Length: -1\r\n\r\nhello"),
        .init(bad: chunked + "\r\n5\r\nhel"), .init(bad: chunked + "\r\n5\r\nhello\r\n"),
        .init(bad: chunked + "\r\nFFFFFFFFFFFFFFFF\r\nhello\r\n0\r\n\r\n"),
        .init(bad: chunked + "\r\n-1\r\nhello\r\n0\r\n\r\n"),
        .init(bad: ok + "Transfer-Encoding: gzip, chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
        .init(bad: ok + "Content-Encoding: gzip\r\nContent-Length: 5\r\n\r\nhello"),
        .init(bad: "HTTP/1.1 101 Switching\r\nUpgrade: x\r\nConnection: upgrade\r\n\r\n"),
        .init(bad: "<html>hello</html>\r\n\r\n"),
    ]
}
