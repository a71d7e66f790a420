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
        /// The contents of a file, streamed; where there is none, an answer of status 500 instead,
        /// after which the connection is closed.
        case file(URL)
    }

    /// How the client learns where the body ends.
    public enum Framing: Sendable {
        /// By a `Content-Length`, or by the end of the connection.
        case contentLength, untilClose
        /// By chunks of at most `size` bytes, and at most 64 KB.
        case chunked(size: Int)
    }

    /// How a connection breaks off.
    ///
    /// `close` ends it in order (FIN). `reset` resets it (RST), so that bytes still on their way
    /// may be lost. `stall` sends no more, and keeps it open until the client or a stop ends it.
    public enum Cut: Sendable {
        /// Close: a FIN. Reset: an RST. Stall: no more bytes, on an open connection.
        case close, reset, stall
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

    var raw: (bytes: Data, closes: Bool)?
    var trailers: [(name: String, value: String)] = []
    var delays = (head: 0.0, body: 0.0)
    var drip: (bytes: Int, seconds: TimeInterval)?
    var cut: (how: Cut, headBytes: Int, bodyBytes: Int)?

    var hasBody: Bool { raw == nil && status >= 200 && ![204, 304].contains(status) }

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
        (self.status, self.headers, self.body, self.framing) = (status, headers, body, framing)
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
        Self(status: status, headers: [("Content-Type", contentType)], body: .data(data))
    }

    /// A status without a body.
    public static func status(_ code: Int) -> Self { Self(status: code) }

    /// A redirect, its location sent as it is given.
    public static func redirect(to location: String, status: Int = 302) -> Self {
        Self(status: status, headers: [("Location", location)])
    }

    /// Exactly these bytes, after which the connection is closed.
    ///
    /// ``keepingAlive()`` keeps it open. The status, the headers, the body and the framing have no
    /// effect. A cut counts all the bytes as head.
    public static func raw(_ bytes: Data) -> Self { Self().with { $0.raw = (bytes, true) } }

    /// Exactly this text in UTF-8, after which the connection is closed.
    public static func raw(_ text: String) -> Self { raw(Data(text.utf8)) }

    /// No answer at all: the connection stays open until the client or a stop ends it.
    public static var never: Self { Self().cut(.stall, afterHeadBytes: 0) }

    /// Adds a header, after those of the same name; a `Content-Type` takes the place of the one there is.
    public func header(_ name: String, _ value: String) -> Self {
        let isType = name.lowercased() == "content-type"
        return with {
            if isType { $0.headers.removeAll { $0.name.lowercased() == "content-type" } }
            $0.headers.append((name, value))
        }
    }

    /// Sends the body in chunks of at most `size` bytes, 16 KB by default, and at most 64 KB.
    public func chunked(size: Int = 16_384) -> Self { with { $0.framing = .chunked(size: size) } }

    /// Ends the body by closing the connection, without declaring a length.
    public func untilClose() -> Self { with { $0.framing = .untilClose } }

    /// Sends a wrong or odd `Content-Length` on purpose, in place of the right one.
    ///
    /// The body itself stays as it is; after one that is too short, the connection stays open
    /// unless the answer closes it.
    public func declaringLength(_ text: String) -> Self { header("Content-Length", text) }

    /// Waits this many seconds before the first byte of the head.
    public func delayed(by seconds: TimeInterval) -> Self { with { $0.delays.head = seconds } }

    /// Waits this many seconds between the head and the body.
    public func delayingBody(by seconds: TimeInterval) -> Self { with { $0.delays.body = seconds } }

    /// Sends the whole answer, head included, in pieces with a wait between them.
    public func dripping(bytes: Int, every seconds: TimeInterval) -> Self {
        with { $0.drip = (max(1, bytes), seconds) }
    }

    /// Breaks the connection off within the head, after this many bytes of it.
    ///
    /// 0 breaks it off before the answer; more than there are, right after the head.
    public func cut(_ how: Cut, afterHeadBytes count: Int) -> Self {
        with { $0.cut = (how, max(0, count), 0) }
    }

    /// Breaks the connection off within the body, after this many bytes of it.
    ///
    /// The bytes are counted as they are sent, the lines around chunks included. More than there
    /// are break it off right after the answer, which has then not announced it.
    public func cut(_ how: Cut, afterBodyBytes count: Int) -> Self {
        with { $0.cut = (how, .max, max(0, min(count, .max / 2))) }
    }

    /// Sends these fields after a chunked body; without chunks they have no effect.
    public func trailers(_ trailers: [(name: String, value: String)]) -> Self {
        with { $0.trailers = trailers }
    }

    /// Adds "Connection: close", and closes the connection after the answer.
    public func closing() -> Self { header("Connection", "close") }

    /// Keeps the connection open after a raw answer.
    public func keepingAlive() -> Self { with { $0.raw?.closes = false } }

    private func with(_ change: (inout LoopbackAnswer) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }
}
