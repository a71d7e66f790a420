// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// `Link` headers that only a hostile server would send.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct HostileLinkTests {
    private func link(_ text: String) throws -> URL? {
        try LinkTests.response(text).link(rel: "next")
    }

    @Test func randomLinkHeadersDoNotTrap() async throws {
        let pieces = [
            "<", ">", "\"", "\\", ",", ";", "=", " ", "\t", "rel", "rel=next", "next", "NEXT",
            "anchor",
            "=\"next\"", "http://h/2", "//", "/", "..", "?", "#", "%", "%zz", "é", "\u{301}", "🕷",
            "[",
            "]", "@", ":", "javascript:", "\u{0}", "<http://h/2>; rel=next",
        ]
        var random = SeededGenerator(state: 8288)
        var found = 0
        for round in 0..<20_000 {
            if round % 100 == 0 { await Task.yield() }
            let text = (0..<Int.random(in: 0..<12, using: &random))
                .map { _ in pieces.randomElement(using: &random) ?? "" }.joined()
            guard let url = try? link(text) else { continue }
            found += 1
            #expect(["http", "https"].contains(url.scheme ?? ""), "\(text.debugDescription)")
            #expect(url.host?.isEmpty == false, "\(text.debugDescription)")
        }
        #expect(found > 100)
    }

    @Test func unusualLinkHeadersAreParsedOverTheWire() async throws {
        let fields: [(Data, String?)] = [
            // No invalid UTF-8: on Linux, URLSession fails a call with such a header.
            (Data("Link: </2>; rel=next; title=\"\u{301}é\t\"".utf8), "/2"),
            (Data("Link: <é>; rel=prev, </2>; rel=next".utf8), "/2"),
            (Data("link: </1>; rel=prev\r\nlink: </2>; rel=next".utf8), "/2"),
            (Data("Link: </1>; rel=prev,\r\nLink: , </2>; rel=next,".utf8), "/2"),
            (Data("Link:".utf8), nil), (Data("Links: </2>; rel=next".utf8), nil),
        ]
        for (field, path) in fields {
            let end = Data("\r\nContent-Length: 0\r\n\r\n".utf8)
            let server = try LoopbackServer(
                responses: [.raw(Data("HTTP/1.1 200 OK\r\n".utf8) + field + end)])
            let service = server.service("/list?page=1")
            let response = try await ServiceProvider<TestService>().response(for: service)
            let expected = path.map { server.baseURL + $0 }
            #expect(try response.link(rel: "next")?.absoluteString == expected)
        }
    }
}
