// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What the server sends back for one request.
///
/// Made by one of the static functions, then changed by its methods, each of which returns a copy:
/// `.json("{}").header("ETag", "\"1\"").delayed(by: 0.2)`. Everything is sent as it is given, so
/// that an answer can be wrong on purpose.
///
/// Nothing but the framing is added: a `Content-Length` or a `Transfer-Encoding` where the headers
/// have none of their own, and `Connection: close` where the connection closes after the answer.
/// Answers to HEAD, and those of status 1xx, 204 and 304, carry no body.
public struct LoopbackAnswer: Sendable {
    /// Where the bytes of a body come from.
    public enum Body: Sendable {
        /// No body; its length is declared as 0.
        case none
        /// These bytes.
        case data(Data)
        /// A pattern over and over, streamed, until `count` bytes in total have been sent.
        case repeating(Data, count: Int)
        /// The contents of a file, streamed; an answer of status 500 where it cannot be read.
        case file(URL)
    }

    /// How the client learns where the body ends.
    public enum Framing: Sendable {
        /// By a `Content-Length`.
        case contentLength
        /// By chunks of at most `size` bytes.
        case chunked(size: Int)
        /// By the end of the connection.
        case untilClose
    }

    /// How a connection breaks off.
    public enum Cut: Sendable {
        /// The server closes it in order (FIN).
        case close
        /// The server resets it (RST); bytes that are still on their way may be lost.
        case reset
        /// The server sends no more, and keeps it open until the client or a stop ends it.
        case stall
    }

    /// The status code; not checked.
    public var status: Int
    /// The words after the status code; nil, the default, for the usual ones.
    public var reason: String?
    /// The headers in the order they are sent.
    public var headers: [(name: String, value: String)]
    /// Where the bytes of the body come from.
    public var body: Body
    /// How the client learns where the body ends.
    public var framing: Framing

    /// Where an answer breaks off, counted in the bytes that are sent.
    enum CutPlace {
        case head(Int)
        case body(Int)
    }

    var isRaw = false
    var closes = false
    var trailers: [(name: String, value: String)] = []
    var headDelay: TimeInterval = 0
    var bodyDelay: TimeInterval = 0
    var drip: (bytes: Int, seconds: TimeInterval)?
    var cut: (how: Cut, place: CutPlace)?

    /// An answer put together from its parts.
    ///
    /// - Parameters:
    ///   - status: The status code, 200 by default.
    ///   - headers: The headers in the order they are sent.
    ///   - body: Where the bytes of the body come from.
    ///   - framing: How the client learns where the body ends.
    public init(
        status: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .none,
        framing: Framing = .contentLength
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.framing = framing
    }

    /// A text in UTF-8.
    public static func text(_ text: String, status: Int = 200) -> Self {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", status: status)
    }

    /// A JSON text, which is not checked.
    public static func json(_ text: String, status: Int = 200) -> Self {
        data(Data(text.utf8), contentType: "application/json", status: status)
    }

    /// Bytes of a media type.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", status: Int = 200
    ) -> Self {
        LoopbackAnswer(
            status: status, headers: [("Content-Type", contentType)], body: .data(data))
    }

    /// A status without a body.
    public static func status(_ code: Int) -> Self { LoopbackAnswer(status: code) }

    /// A redirect, its location sent as it is given.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        LoopbackAnswer(status: status, headers: [("Location", location)])
    }

    /// Exactly these bytes, after which the connection is closed.
    ///
    /// ``keepingAlive()`` keeps it open. The status, the headers and the framing have no effect.
    public static func raw(_ bytes: Data) -> Self {
        var answer = LoopbackAnswer(body: .data(bytes))
        answer.isRaw = true
        answer.closes = true
        return answer
    }

    /// Exactly this text in UTF-8, after which the connection is closed.
    public static func raw(_ text: String) -> Self { raw(Data(text.utf8)) }

    /// No answer at all: the connection stays open until the client or a stop ends it.
    public static var never: Self { LoopbackAnswer().cut(.stall, afterHeadBytes: 0) }
}
