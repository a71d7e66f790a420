// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// URLs from a server keep their percent-encoding. Foundation encodes each `%` again as soon as one character is illegal.
@Suite(.serialized, .opensFiles, .timeLimit) struct EscapeTests {
    /// A text from a server, and the URL's path and query that are requested.
    static let texts = [
        ("/t?q=a%20b&filter[x]=1", "/t?q=a%20b&filter%5Bx%5D=1"),
        ("/t?q=a%2Fb|c", "/t?q=a%2Fb%7Cc"), ("/a%20b?c=\"d\"", "/a%20b?c=%22d%22"),
        ("/%E4 %zz%", "/%E4%20%25zz%25"), ("/a^b%5E", "/a%5Eb%5E"), ("/a\\b%5C", "/a%5Cb%5C"),
        ("/caf\u{E9}%C3%A9", "/caf%C3%A9%C3%A9"),
        ("/t?sig=a%2Bb%3D&x={1}", "/t?sig=a%2Bb%3D&x=%7B1%7D"),
        ("/t?a=%20", "/t?a=%20"), ("t[1]?x=%20", "/t%5B1%5D?x=%20"),
    ]

    @Test(arguments: TransportUnderTest.allCases, texts)
    func redirectsKeepEscapes(
        _ transport: TransportUnderTest, _ text: (location: String, target: String)
    ) async throws {
        let server = try LoopbackServer { request in
            request.path == "/start" ? .redirect(to: text.location) : .text("there")
        }
        #expect(try await transport.provider().text(of: server.service("/start")) == "there")
        #expect(server.requests.last?.target == text.target)
    }

    @Test(arguments: texts) func linksInABodyKeepEscapes(text: String, target: String) throws {
        let url = try #require(URL(string: "https://example.com/start"))
        let resolved = ServiceRequest(URLRequest(url: url)).resolve(text)
        #expect(resolved?.absoluteString == "https://example.com" + target)
        guard text.hasPrefix("/") else { return }
        let whole = try #require(ServiceRequest.url("https://example.com" + text))
        #expect(whole.absoluteString == "https://example.com" + target)
        // The URL is requested as it is.
        #expect(try TestService(baseURL: whole.absoluteString).url() == whole.absoluteString)
    }

    @Test(arguments: [
        ("http://[::1]:8080/a?b=%20", "http://[::1]:8080/a?b=%20"),
        ("HTTPS://[::1]/a%20?f[x]=%20", "HTTPS://[::1]/a%20?f%5Bx%5D=%20"),
        ("//[::1]/t?q=a%20b&f[x]=1", "https://[::1]/t?q=a%20b&f%5Bx%5D=1"),
        ("/go?q=a%20b&u=//[::1]/", "https://example.com/go?q=a%20b&u=//%5B::1%5D/"),
        ("/go?q=a%20b&u=http://[::1]/", "https://example.com/go?q=a%20b&u=http://%5B::1%5D/"),
    ])
    func onlyTheAddressOfAHostHasBrackets(_ text: String, _ expected: String) throws {
        let base = try #require(URL(string: "https://example.com/start"))
        #expect(ServiceRequest.url(text, relativeTo: base)?.absoluteString == expected)
    }

    @Test func longTextsTakeLinearTime() throws {
        let factor = growth(to: 200_000) { size in
            let text = "/" + String(repeating: "%20[\u{315}\u{301}", count: size / 8)
            #expect(ServiceRequest.url("https://example.com" + text) != nil)
        }
        #expect(factor < linearGrowth)
    }

    /// One character that has many combining marks, in front of a bracket or after it.
    @Test(.row("Z6"), arguments: ["a", "https://[a", "https://[::1", "https://[::1]"])
    func aLongCharacterTakesLinearTime(start: String) {
        let factor = growth(to: 200_000) { size in
            let marks = String(repeating: "\u{315}\u{301}", count: size / 4)
            _ = ServiceRequest.url("\(start)\(marks)//[::1]/")
        }
        #expect(factor < linearGrowth)
    }
}
