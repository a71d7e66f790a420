// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import ServiceProvider
import Testing

/// A way in which the server of `.ci/check-http2` responds to a GET, and the outcomes that are right.
struct HTTP2Case: Sendable, CustomTestStringConvertible {
    enum Outcome: Sendable, Equatable {
        case text(String)
        case code(URLError.Code?)
        case status(Int)
    }

    let name: String
    let outcomes: [Outcome]
    /// The server's listener.
    var listener = "h2"
    /// How many requests with HTTP/2 the server sees.
    var requests = 1

    var testDescription: String { name }

    private static func cases(
        _ outcomes: Outcome..., on listener: String = "h2", requests: Int = 1, names: [String]
    ) -> [HTTP2Case] {
        names.map {
            HTTP2Case(name: $0, outcomes: outcomes, listener: listener, requests: requests)
        }
    }

    static let all: [HTTP2Case] =
        unusual + incomplete + malformed + silent
        + cases(.status(421), names: ["misdirected"])
        + cases(.status(999), names: ["status-large"])

    /// Responses that are correct, but unusual.
    private static let unusual =
        cases(
            .text("hello"),
            names: [
                "ok", "reset-after-end-no-error", "reset-after-end-internal", "reset-after-length",
                "goaway-and-finish", "goaway-in-two-steps", "goaway-with-text", "goaway-flood",
                "trailers", "data-after-trailers", "data-after-end", "early-hints", "empty-data",
                "padded", "settings-storm", "unknown-settings", "no-header-table", "pings",
                "continuations", "unknown-frames", "own-dependency", "field-blanks", "field-latin",
                // libcurl drops fields with control characters, and with names that aren't tokens.
                "field-null", "field-line-feed", "field-carriage-return", "field-empty-name",
                "field-space-in-name", "field-colon-in-name",
            ])
        + cases(.text(""), names: ["only-end"])
        + cases(.text(String(repeating: "x", count: 5_000)), names: ["single-bytes"])
        // The server hasn't processed the first request, and says so.
        + cases(.text("0"), requests: 2, names: ["refused-once", "goaway-once"])
        + cases(.text("hello"), on: "silent", names: ["pings-without-an-answer"])
        + cases(.text("one"), on: "http1", requests: 0, names: ["ok"])
        + cases(.text("one"), on: "no_protocol", requests: 0, names: ["ok"])
        + cases(.text("one"), names: ["needs-http1"])

    private static let incomplete =
        cases(
            .code(.networkConnectionLost),
            names: [
                "reset-first-no-error", "reset-first-internal", "reset-first-cancel",
                "reset-first-protocol", "reset-first-unknown", "refused-calm",
                "reset-in-body-internal", "reset-in-body-cancel", "reset-in-body-refused",
                "reset-in-known-body", "goaway-in-body", "goaway-and-close", "goaway-calm",
                "close-first", "close-after-head", "close-in-body", "cut-in-frame", "cut-in-head",
            ])
        + cases(
            .code(.networkConnectionLost), requests: 2,
            names: ["refused-always", "goaway-unprocessed"])
        + cases(.code(.cannotDecodeRawData), names: ["zipped-and-cut"])

    /// Responses that break a rule of RFC 9113. libcurl reports most of them as a lost connection.
    private static let malformed =
        cases(
            .code(.networkConnectionLost),
            names: [
                "trailers-with-length", "trailers-without-end", "trailers-with-status",
                "switching-protocols", "informational-with-end", "endless-empty-data",
                "too-much-padding", "data-before-head", "window-overflow", "window-of-zero",
                "window-too-large", "long-settings", "settings-of-odd-length",
                "settings-on-a-stream", "frame-size-small", "frame-size-large",
                "unrequested-acknowledgement", "short-ping", "empty-continuations",
                "interrupted-headers", "bad-block-index", "bad-block-cut", "bad-block-table",
                "field-upper", "field-connection", "field-keep-alive", "field-chunked",
                "field-upgrade", "field-second-status", "field-unknown-pseudo",
                "field-late-pseudo", "status-missing", "status-text", "status-short",
                "status-long", "status-empty", "status-zero", "status-signed",
                "content-length-short", "content-length-long", "content-length-text",
                "content-length-signed", "content-length-huge", "content-length-two",
                "content-length-same", "two-lengths", "length-without-data", "body-of-no-content",
                "body-of-not-modified", "push", "oversized-frame", "idle-stream",
            ])
        + cases(.code(.networkConnectionLost), on: "silent", names: ["ok"])
        + cases(
            .code(.badServerResponse), .code(.networkConnectionLost),
            names: [
                "trailers-flood", "informational-flood", "endless-informational",
                "endless-continuations", "long-headers", "many-headers", "header-bomb",
            ])

    /// The response never ends, or libcurl may wait for more bytes after an invalid frame. A timeout or
    /// the largest size of a body ends the call.
    private static let silent =
        cases(.code(.timedOut), names: ["silence", "silence-in-body", "drip"])
        + cases(
            .code(.timedOut), .code(.networkConnectionLost),
            names: [
                "endless-settings", "endless-pings", "continuation-alone",
                "long-header", "bad-block-zero", "bad-block-huffman", "bad-block-integer",
                "even-stream", "reset-of-everything", "short-reset", "garbage", "http1-text",
            ])
        // libcurl takes 1,000 pings for an attack. On a busy machine, it ends the call later.
        + cases(
            .text("hello"), .code(.timedOut), .code(.networkConnectionLost), names: ["ping-flood"])
        + cases(
            .code(.dataLengthExceedsMaximum), .code(.networkConnectionLost), .code(.timedOut),
            names: ["beyond-the-window", "endless-body"])
}
#endif
