// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers
import Testing

/// A stream of server-sent events, and the events that it contains.
struct EventCase: CustomTestStringConvertible {
    let text: Data
    let events: [ServiceEvent]

    init(_ text: String, _ events: ServiceEvent...) {
        (self.text, self.events) = (Data(text.utf8), events)
    }

    init(bytes: [UInt8], _ events: ServiceEvent...) {
        (self.text, self.events) = (Data(bytes), events)
    }

    var testDescription: String { String(decoding: text, as: UTF8.self).debugDescription }

    static let corpus: [EventCase] = [
        // The examples of the standard.
        .init("data: YHOO\ndata: +2\ndata: 10\n\n", .init("YHOO\n+2\n10")),
        .init(
            ": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n",
            .init("first event", id: "1"), .init("second event"), .init(" third event")),
        .init("data\n\ndata\ndata\n\ndata:", .init(""), .init("\n")),
        .init("data:test\n\ndata: test\n\n", .init("test"), .init("test")),
        .init(
            "event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n",
            .init("73857293", name: "add"), .init("2153", name: "remove")),
        // Line endings.
        .init("data: a\r\rdata: b\r\r", .init("a"), .init("b")),
        .init("data: a\r\n\r\ndata: b\r\n\r\n", .init("a"), .init("b")),
        .init("data: a\n\r\ndata: b\r\n\n", .init("a"), .init("b")),
        .init("data: a\r\ndata: b\rdata: c\n\n", .init("a\nb\nc")),
        .init("data: a\n\n\n\n\r\r\n\ndata: b\n\n", .init("a"), .init("b")),
        .init("data: a\r\n\rdata: b\r\r\n", .init("a"), .init("b")),
        .init(
            "data: a\u{0085}b\u{2028}c\u{000B}d\u{000C}\n\n",
            .init("a\u{0085}b\u{2028}c\u{000B}d\u{000C}")),
        // The end of the stream.
        .init(""),
        .init("\n"),
        .init("\r\n\r\n"),
        .init("data: a\n"),
        .init("data: a"),
        .init("data: a\n\ndata: lost\n", .init("a")),
        .init("data: a\n\ndata: lost\nid: 7", .init("a")),
        .init("data: a\r\rdata: lost\r", .init("a")),
        // The byte order mark.
        .init("\u{FEFF}data: a\n\n", .init("a")),
        .init("\u{FEFF}\u{FEFF}data: a\n\n"),
        .init("data: a\n\n\u{FEFF}data: b\n\n", .init("a")),
        .init("\u{FEFF}"),
        .init("\u{FEFF}\n\u{FEFF}data: a\n\n"),
        .init("data: \u{FEFF}a\n\n", .init("\u{FEFF}a")),
        .init(
            bytes: [0xEF, 0xBB, 0x0A, 0x64, 0x61, 0x74, 0x61, 0x3A, 0x61, 0x0A, 0x0A], .init("a")),
        // Comments and other fields.
        .init(":\n:\n: x\n\n"),
        .init(":data: a\n\ndata: b\n:data: c\n\n", .init("b")),
        .init("datas: a\nDATA: b\n data: c\ndata : d\n\n"),
        .init("x\ny:z\n:\ndata: a\n\n", .init("a")),
        // The space after the colon.
        .init("data:  a\n\n", .init(" a")),
        .init("data:\ta\n\n", .init("\ta")),
        .init("data: \n\ndata:  \n\n", .init(""), .init(" ")),
        .init("data:a:b: c\n\n", .init("a:b: c")),
        .init("data:: a\n\n", .init(": a")),
        // Data with several lines.
        .init("data: a\nx\ndata: b\n\n", .init("a\nb")),
        .init("data\ndata: a\ndata\n\n", .init("\na\n")),
        // The event name.
        .init("event: a\n\ndata: b\n\n", .init("b")),
        .init("event: a\ndata: b\n\ndata: c\n\n", .init("b", name: "a"), .init("c")),
        .init("event: a\nevent: b\ndata\n\n", .init("", name: "b")),
        .init("event: a\nevent\ndata: c\n\n", .init("c")),
        .init("event:  a \ndata: c\n\n", .init("c", name: " a ")),
        // The identifier.
        .init("id: 1\n\ndata: a\n\n", .init("a", id: "1")),
        .init("id: 1\ndata: a\n\ndata: b\n\n", .init("a", id: "1"), .init("b", id: "1")),
        .init("id: 1\ndata: a\n\nid:\ndata: b\n\n", .init("a", id: "1"), .init("b")),
        .init("id: 1\nid: 2\u{0}\ndata: a\n\n", .init("a", id: "1")),
        .init("id: \u{0}\ndata: a\n\n", .init("a")),
        .init("id: é😀\ndata: a\n\n", .init("a", id: "é😀")),
        .init("data: a\nid: 3\n\n", .init("a", id: "3")),
        // The reconnection time.
        .init("retry: 1500\ndata: a\n\n", .init("a", retry: 1.5)),
        .init("retry: 10\n\ndata: a\n\n", .init("a", retry: 0.01)),
        .init("retry: 0\ndata: a\n\n", .init("a", retry: 0)),
        .init(
            "retry: -1\nretry: +1\nretry: 1.5\nretry: 1e3\nretry: x\nretry: 0x10\ndata: a\n\n",
            .init("a")),
        .init("retry: 5000\nretry\nretry:\nretry: 1 \ndata: a\n\n", .init("a", retry: 5)),
        .init("retry:  7\nretry: ٣\nretry: inf\nretry: nan\ndata: a\n\n", .init("a")),
        .init("data: a\n\nretry: 1\n\ndata: b\n\n", .init("a"), .init("b", retry: 0.001)),
        .init("retry: 00099\ndata: a\n\n", .init("a", retry: 0.099)),
        // Unicode and invalid UTF-8.
        .init("data: äöü 日本 😀👨‍👩‍👧\n\n", .init("äöü 日本 😀👨‍👩‍👧")),
        .init("data:\u{301}x\n\n", .init("\u{301}x")),
        .init("data: \u{301}x\n\n", .init("\u{301}x")),
        .init("data\u{301}: x\n\n"),
        .init("data: a\u{0}b\n\n", .init("a\u{0}b")),
        .init(
            bytes: [0x64, 0x61, 0x74, 0x61, 0x3A, 0xFF, 0xE2, 0x82, 0x0A, 0x0A],
            .init("\u{FFFD}\u{FFFD}")),
        .init(
            bytes: [0x64, 0x61, 0x74, 0x61, 0x3A, 0xE2, 0x0D, 0x0A, 0x82, 0x0A, 0x0A],
            .init("\u{FFFD}")),
    ]
}

extension ServiceEvent {
    init(
        _ data: String, name: String = "message", id: String = "", retry: TimeInterval? = nil
    ) {
        self.init(data: data, name: name, id: id, retry: retry)
    }
}
