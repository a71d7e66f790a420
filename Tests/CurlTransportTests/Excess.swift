// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import ServiceProvider
import TestSupport
import Testing

/// A response, and bytes after its end that look like another response.
struct Excess: Sendable, CustomTestStringConvertible {
    /// When a part of the excess is written.
    enum Moment: String, Sendable {
        case withTheResponse = "with the response"
        case betweenTheCalls = "between the calls"
        case afterTheNextRequest = "after the next request"
    }

    struct Framing: Sendable {
        let name: String
        let method: ServiceMethod
        let response: String

        init(_ name: String, method: ServiceMethod = .get, _ response: String) {
            self.name = name
            self.method = method
            self.response = "HTTP/1.1 \(response)"
        }

        static let all = [
            Framing("HEAD with a length", method: .head, "200 OK\r\nContent-Length: 1045\r\n\r\n"),
            Framing(
                "HEAD with chunks", method: .head, "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"),
            Framing("204", "204 No Content\r\n\r\n"),
            Framing("204 with a length", "204 No Content\r\nContent-Length: 1045\r\n\r\n"),
            Framing("304", "304 Not Modified\r\n\r\n"),
            Framing("304 with a length", "304 Not Modified\r\nContent-Length: 1045\r\n\r\n"),
            Framing("a length of 0", "200 OK\r\nContent-Length: 0\r\n\r\n"),
            Framing(
                "chunks", "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n"),
            Framing(
                "chunks with a trailer",
                "200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\nX: y\r\n\r\n"),
            Framing("a length of 5", "200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        ]
    }

    static let stolen = Data("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nSTOLEN".utf8)
    static let real = Data("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nREAL".utf8)

    let framing: Framing
    let moments: [Moment]

    var testDescription: String {
        "\(framing.name), \(moments.map(\.rawValue).joined(separator: " and "))"
    }

    /// The last part is the other response. The parts before it are filler.
    func part(_ moment: Moment) -> Data {
        if moment == moments.last { return Self.stolen }
        return moments.contains(moment) ? Data(repeating: 0x41, count: 1_000) : Data()
    }

    /// The request that gets the response.
    func service(_ baseURL: String) -> TestService {
        TestService(
            baseURL: baseURL, path: "/first", method: framing.method, timeout: 3_000,
            validStatusCodes: Set(200...599))
    }

    /// At least one part arrives before the next request. Otherwise it would look like the response to that
    /// request.
    static let all: [Excess] = Framing.all.flatMap { framing in
        let moments: [[Moment]] = [
            [.withTheResponse], [.betweenTheCalls],
            [.withTheResponse, .betweenTheCalls], [.withTheResponse, .afterTheNextRequest],
            [.betweenTheCalls, .afterTheNextRequest],
            [.withTheResponse, .betweenTheCalls, .afterTheNextRequest],
        ]
        return moments.map { Excess(framing: framing, moments: $0) }
    }
}
#endif
