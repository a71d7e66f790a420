// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// The cases of web-platform-tests/eventsource, by the names of its files, except for those about objects,
/// workers and origins of a browser.
@Suite(.serialized, .opensFiles, .timeLimit) struct PublicEventTests {
    struct Case: CustomTestStringConvertible {
        let name: String
        let text: String
        var type = "text/event-stream"
        /// The data of the events; nil if the stream is refused.
        let data: [String]?
        var names: [String] = []
        /// The identifier that the next connection sends.
        var lastID: String?
        /// The shortest wait in seconds before the next connection.
        var wait: TimeInterval = 3

        var testDescription: String { name }
    }

    private static let long = String(repeating: "x", count: 2_048)

    static let formats: [Case] = [
        .init(
            name: "event-data",
            text: "data:msg\ndata:msg\n\n:\n\nfalsefield:msg\n\nfalsefield:msg\nData:data\n\n"
                + "data\n\ndata:end\n\n",
            data: ["msg\nmsg", "", "end"]),
        .init(
            name: "format-bom", text: "\u{FEFF}data:1\n\n\u{FEFF}data:2\n\ndata:3\n\n",
            data: ["1", "3"]),
        .init(
            name: "format-bom-2", text: "\u{FEFF}\u{FEFF}data:1\n\ndata:2\n\ndata:3\n\n",
            data: ["2", "3"]),
        .init(
            name: "format-comments",
            text: "data:1\r:\u{0}\n:\r\ndata:2\n:\(long)\rdata:3\n:data:fail\r:\(long)\ndata:4\n\n",
            data: ["1\n2\n3\n4"]),
        .init(
            name: "format-data-before-final-empty-line",
            text: "retry:1000\ndata:test1\n\nid:test\ndata:test2", data: ["test1"], wait: 1),
        .init(
            name: "format-field-data", text: "data:\n\ndata\ndata\n\ndata:test\n\n",
            data: ["", "\n", "test"]),
        .init(name: "format-field-event-empty", text: "event: \ndata:data\n\n", data: ["data"]),
        .init(
            name: "format-field-event", text: "event:test\ndata:x\n\ndata:y\n\n",
            data: ["x", "y"], names: ["test", "message"]),
        .init(
            name: "format-field-parsing",
            text:
                "data:\u{0}\ndata:  2\rData:1\ndata\u{0}:2\ndata:1\r\u{0}data:4\nda-ta:3\rdata_5\n"
                + "data:3\rdata:\r\n data:32\ndata:4\n\n",
            data: ["\u{0}\n 2\n1\n3\n\n4"]),
        .init(
            name: "format-field-unknown",
            text: "data:test\n data\ndata\nfoobar:xxx\njustsometext\n:thisisacommentyay\n"
                + "data:test\n\n",
            data: ["test\n\ntest"]),
        .init(
            name: "format-leading-space", text: "data:\ttest\rdata: \ndata:test\n\n",
            data: ["\ttest\n\ntest"]),
        .init(
            name: "format-newlines", text: "data:test\r\ndata\ndata:test\r\n\r",
            data: ["test\n\ntest"]),
        .init(name: "format-null-character", text: "data:\u{0}\n\n\n\n", data: ["\u{0}"]),
    ]

    static let fields: [Case] = [
        .init(
            name: "format-field-id", text: "data:hello\nid:\u{2026}\n\n", data: ["hello"],
            lastID: "\u{2026}"),
        .init(
            name: "format-field-id-2", text: "id\nid:1\ndata:a\n\ndata:b\n\n", data: ["a", "b"],
            lastID: "1"),
        .init(
            name: "format-field-id-3", text: "id:1\ndata:a\n\nid:2\ndata:b\n\nid:\ndata:c\n\n",
            data: ["a", "b", "c"]),
        .init(name: "format-field-id-null", text: "id:a\u{0}b\ndata:x\n\n", data: ["x"]),
        .init(name: "format-field-retry", text: "retry:03000\ndata:x\n\n", data: ["x"]),
        .init(
            name: "format-field-retry-bogus", text: "retry:2000\nretry:1000x\ndata:x\n\n",
            data: ["x"], wait: 2),
        .init(name: "format-field-retry-empty", text: "retry\ndata:test\n\n", data: ["test"]),
    ]

    static let types: [Case] = [
        .init(
            name: "format-mime-bogus", text: "data:x\n\n", type: "x bogus", data: nil),
        .init(
            name: "format-mime-valid-bogus", text: "data:x\n\n", type: "text/x-bogus", data: nil),
        .init(
            name: "format-mime-trailing-semicolon", text: "data:data\n\n",
            type: "text/event-stream;", data: ["data"]),
        .init(
            name: "format-utf-8", text: "data:ok\u{2026}\n\n",
            type: "text/event-stream;charset=windows-1252", data: ["ok\u{2026}"]),
    ]

    @Test(arguments: formats + fields + types)
    func streamsAreReadAsThePublicSuiteWants(_ row: Case) async throws {
        let server = try LoopbackServer(responses: [
            .events(row.text, type: row.type), .statusCode(204),
        ])
        let waits = Waits()
        let provider = TransportUnderTest.ownSession.provider()
        let (events, error) = await
            (try provider.events(
                service: server.service(), reconnecting: waits.reconnection)).collected()
        #expect((error == nil) == (row.data != nil))
        #expect(events.map(\.data) == row.data ?? [])
        if let data = row.data {
            let names = row.names.isEmpty ? data.map { _ in "message" } : row.names
            #expect(events.map(\.name) == names)
            #expect(server.requests.last?.header("Last-Event-ID") == row.lastID)
            #expect(waits.seconds.count == 1)
            #expect(waits.seconds.allSatisfy { $0 >= row.wait && $0 <= row.wait * 1.5 })
        }
    }

    /// request-redirect.
    @Test(arguments: [301, 302, 303, 307])
    func redirectsAreFollowed(status: Int) async throws {
        let server = try LoopbackServer { request in
            guard request.target == "/events" else {
                return .redirect(to: "/events", statusCode: status)
            }
            return .events("data:data\n\n")
        }
        let provider = TransportUnderTest.ownSession.provider()
        let (events, error) = await (try provider.events(service: server.service())).collected()
        #expect(events.map(\.data) == ["data"] && error == nil)
    }
}
