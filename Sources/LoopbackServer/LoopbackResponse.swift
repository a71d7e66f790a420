// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The response that the server sends to one request.
///
/// Create it with a static function and change it with methods that return a copy:
/// `.json("{}").header("ETag", "\"1\"").delayed(by: 0.2)`. Everything is sent as given, so a
/// response can be wrong on purpose.
///
/// The server adds only the framing: `Content-Length` or `Transfer-Encoding`, unless the headers
/// have it already, and `Connection: close` if the connection closes after the response. Responses to
/// HEAD, and responses of status 1xx, 204 and 304, have no body.
public struct LoopbackResponse: Sendable {
    /// Where the bytes of a body come from.
    public enum Body: Sendable {
        /// No body. The declared length is 0.
        case none
        /// These bytes.
        case data(Data)
        /// A pattern, streamed and repeated until `count` bytes in total have been sent.
        case repeating(Data, count: Int)
        /// The contents of a file, streamed. If it can't be read, the server responds with status
        /// 500 and closes the connection.
        case file(URL)
    }

    /// How the client learns where the body ends.
    public enum Framing: Sendable {
        /// By a `Content-Length`, or by the end of the connection.
        case contentLength, untilClose
        /// By chunks of at most `size` bytes, and at most 64 KB.
        case chunked(size: Int)
    }

    /// How a response is interrupted.
    ///
    /// `close` closes the connection (FIN). `reset` resets it (RST), which may lose bytes that are
    /// still on their way. `stall` sends nothing more, and keeps the connection open until the
    /// client closes it or the server stops.
    public enum Cut: Sendable {
        /// Close: a FIN. Reset: an RST. Stall: no more bytes, on an open connection.
        case close, reset, stall
    }

    /// The status code. It isn't checked.
    public var statusCode: Int
    /// The reason phrase. Default: nil, which sends the usual one if known, or "Status".
    public var reason: String?
    /// The headers in the order they are sent.
    public var headers: [(name: String, value: String)]
    /// Where the bytes of the body come from.
    public var body: Body
    /// How the client learns where the body ends.
    public var framing: Framing

    var raw: (bytes: Data, closes: Bool)?
    var trailers: [(name: String, value: String)] = []
    var headDelay: TimeInterval = 0
    var bodyDelay: TimeInterval = 0
    var drip: (bytes: Int, seconds: TimeInterval)?
    var cut: (how: Cut, headBytes: Int, bodyBytes: Int)?

    var hasBody: Bool { raw == nil && statusCode >= 200 && ![204, 304].contains(statusCode) }

    /// Creates a response from its parts.
    ///
    /// - Parameters:
    ///   - statusCode: The status code, 200 by default.
    ///   - headers: The headers in the order they are sent.
    ///   - body: Where the bytes of the body come from.
    ///   - framing: How the client learns where the body ends.
    public init(
        statusCode: Int = 200, headers: [(name: String, value: String)] = [], body: Body = .none,
        framing: Framing = .contentLength
    ) {
        self.statusCode = statusCode
        self.headers = headers
        self.body = body
        self.framing = framing
    }

    /// Text in UTF-8.
    public static func text(_ text: String, statusCode: Int = 200) -> Self {
        data(Data(text.utf8), contentType: "text/plain; charset=utf-8", statusCode: statusCode)
    }

    /// JSON text, which isn't checked.
    public static func json(_ text: String, statusCode: Int = 200) -> Self {
        data(Data(text.utf8), contentType: "application/json", statusCode: statusCode)
    }

    /// Bytes, with their media type.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream", statusCode: Int = 200
    ) -> Self {
        Self(statusCode: statusCode, headers: [("Content-Type", contentType)], body: .data(data))
    }

    /// A status without a body.
    public static func statusCode(_ code: Int) -> Self { Self(statusCode: code) }

    /// A redirect. The location is sent as given.
    public static func redirect(to location: String, statusCode: Int = 302) -> Self {
        Self(statusCode: statusCode, headers: [("Location", location)])
    }

    /// Exactly these bytes. The connection is closed after them.
    ///
    /// ``keepingAlive()`` keeps it open. The status, the headers, the body and the framing have no
    /// effect. A cut counts all bytes as head bytes.
    public static func raw(_ bytes: Data) -> Self { Self().with(\.raw, (bytes, true)) }

    /// Exactly this text in UTF-8. The connection is closed after it.
    public static func raw(_ text: String) -> Self { raw(Data(text.utf8)) }

    /// No response. The connection stays open until the client closes it or the server stops.
    public static var never: Self { Self().cut(.stall, afterHeaderBytes: 0) }

    /// Adds a header after those with the same name. A `Content-Type` or a `Connection` replaces the
    /// existing one.
    public func header(_ name: String, _ value: String) -> Self {
        let isSingle = ["content-type", "connection"].contains(name.lowercased())
        let others = headers.filter { !isSingle || $0.name.lowercased() != name.lowercased() }
        return with(\.headers, others + [(name, value)])
    }

    /// Sends the body in chunks of at most `size` bytes, 16 KB by default, and at most 64 KB.
    public func chunked(size: Int = 16_384) -> Self { with(\.framing, .chunked(size: size)) }

    /// Ends the body by closing the connection, and declares no length.
    public func untilClose() -> Self { with(\.framing, .untilClose) }

    /// Sends a wrong or odd `Content-Length` instead of the right one.
    ///
    /// The body doesn't change. If it is shorter than declared, the connection still stays open,
    /// unless the response closes it.
    public func declaringLength(_ text: String) -> Self { header("Content-Length", text) }

    /// Waits this many seconds before the first byte of the response.
    public func delayed(by seconds: TimeInterval) -> Self { with(\.headDelay, seconds) }

    /// Waits this many seconds between the headers and the body.
    public func delayingBody(by seconds: TimeInterval) -> Self { with(\.bodyDelay, seconds) }

    /// Sends the whole response, including its headers, in pieces with a wait between them.
    public func dripping(bytes: Int, every seconds: TimeInterval) -> Self {
        with(\.drip, (max(1, bytes), seconds))
    }

    /// Interrupts the response within its head (status line and headers), after this many bytes.
    ///
    /// 0 interrupts it before its first byte. If the head is shorter, the cut comes right after the
    /// headers.
    public func cut(_ how: Cut, afterHeaderBytes count: Int) -> Self {
        with(\.cut, (how, max(0, count), 0))
    }

    /// Interrupts the response within its body, after this many bytes.
    ///
    /// The bytes are counted as they are sent, including the lines around chunks. If the body is
    /// shorter, the cut comes right after it, without a `Connection: close` in the headers.
    public func cut(_ how: Cut, afterBodyBytes count: Int) -> Self {
        with(\.cut, (how, .max, max(0, min(count, .max / 2))))
    }

    /// Sends these fields after a chunked body. They have no effect on other bodies.
    public func trailers(_ trailers: [(name: String, value: String)]) -> Self {
        with(\.trailers, trailers)
    }

    /// Adds `Connection: close`, and closes the connection after the response.
    public func closing() -> Self { header("Connection", "close") }

    /// Keeps the connection open after a raw response.
    public func keepingAlive() -> Self { with(\.raw, raw.map { ($0.bytes, closes: false) }) }

    private func with<Value>(_ part: WritableKeyPath<Self, Value>, _ value: Value) -> Self {
        var copy = self
        copy[keyPath: part] = value
        return copy
    }
}
