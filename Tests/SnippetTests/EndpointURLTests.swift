// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

@Suite(.timeLimit(.minutes(3))) struct EndpointURLTests {
    private func expect(_ base: String, _ path: String, _ url: String) async throws {
        #expect(try await Endpoint(baseURL: base, path: path).url() == url)
    }

    @Test func baseURLAndPathAreJoinedWithOneSlash() async throws {
        for base in ["https://example.com", "https://example.com/"] {
            try await expect(base, "/", "https://example.com/")
            try await expect(base, "foo", "https://example.com/foo")
            try await expect(base, "/foo/bar/", "https://example.com/foo/bar/")
        }
        for base in ["https://example.com/api", "https://example.com/api/"] {
            try await expect(base, "/", "https://example.com/api/")
            try await expect(base, "foo", "https://example.com/api/foo")
            try await expect(base, "/foo/", "https://example.com/api/foo/")
        }
    }

    @Test func anEmptyPathLeavesTheBaseURL() async throws {
        for base in ["https://example.com", "https://example.com/", "https://example.com/a/?b=1"] {
            try await expect(base, "", base)
        }
    }

    @Test func otherSlashesAreKept() async throws {
        try await expect("https://example.com///", "foo", "https://example.com///foo")
        try await expect("https://example.com///", "a//b//", "https://example.com///a//b//")
        try await expect("https://example.com/a//b", "c", "https://example.com/a//b/c")
        try await expect("https://example.com", "//", "https://example.com//")
        try await expect("https://example.com/", "///x", "https://example.com///x")
    }

    @Test func allPartsOfTheBaseURLAreKept() async throws {
        try await expect("https://[::1]:8080/api", "x", "https://[::1]:8080/api/x")
        try await expect("http://127.0.0.1:1", "x", "http://127.0.0.1:1/x")
        try await expect("https://us%40er:p%3Aw@a.com", "x", "https://us%40er:p%3Aw@a.com/x")
        try await expect("https://example.com/a%20b/", "c", "https://example.com/a%20b/c")
        try await expect("https://example.com/a%2Fb", "c", "https://example.com/a%2Fb/c")
        try await expect("https://xn--exmple-cua.com", "x", "https://xn--exmple-cua.com/x")
    }

    @Test func theQueryOfTheBaseURLComesFirst() async throws {
        var endpoint = Endpoint(baseURL: "https://example.com/a?k=x+y/z?", path: "b")
        #expect(try await endpoint.url() == "https://example.com/a/b?k=x+y/z?")
        endpoint.parameters = ["p": 1]
        #expect(try await endpoint.url() == "https://example.com/a/b?k=x+y/z?&p=1")
        endpoint.baseURL = "https://example.com/a?"
        #expect(try await endpoint.url() == "https://example.com/a/b?p=1")
    }

    @Test func charactersThatAURLCannotContainAreEncoded() async throws {
        let cases: KeyValuePairs = [
            "a\"b": "a%22b", "100%": "100%25", "a%2Fb": "a%252Fb", "a b": "a%20b", "a\\b": "a%5Cb",
            "login.do?key=1": "login.do%3Fkey=1", "a#b": "a%23b", "caf\u{E9}": "caf%C3%A9",
            "cafe\u{301}": "cafe%CC%81", "日本": "%E6%97%A5%E6%9C%AC", "a\r\nb": "a%0D%0Ab",
            "[1]{2}|^`<3>": "%5B1%5D%7B2%7D%7C%5E%60%3C3%3E", "\u{0}\u{7F}": "%00%7F",
            "-._~!$&'()*+,;=:@": "-._~!$&'()*+,;=:@",
        ]
        for (path, encoded) in cases {
            try await expect("https://example.com", path, "https://example.com/" + encoded)
        }
    }

    @Test(.row("I8")) func dotSegmentsAreRefused() async {
        let paths = [
            ".", "..", "/..", "../x", "a/.", "a/../b", "//..//", "..\\x", "a\\..\\b", "..;",
            "..;/x",
            "a/..;b=c/x", "../\u{301}x",
        ]
        for path in paths {
            #expect(await Endpoint(path: path).invalidPart() == .path, "\(path)")
        }
    }

    @Test func dotsInLongerSegmentsAreKept() async throws {
        for path in ["...", ".a", "a.", "..a", "a..", "a/.b/..c/d..", "a;..b", ";x"] {
            try await expect("https://example.com", path, "https://example.com/" + path)
        }
    }

    @Test(.row("I8")) func escapesInAPathAreData() async throws {
        for path in ["%2e", "%2e%2E/b", "a/.%2E"] {
            let encoded = path.replacingOccurrences(of: "%", with: "%25")
            try await expect("https://example.com", path, "https://example.com/" + encoded)
        }
    }

    @Test(.row("I8")) func aPathNeverChangesTheHost() async throws {
        let paths = [
            "//evil/x", "///evil", "http://evil/", "@evil", ":80@evil", ".evil", "\\\\evil",
            "/\\evil",
            "\t//evil", "\r\nHost: evil", "?@evil", "#@evil", "javascript:alert(1)",
        ]
        for path in paths {
            for base in ["https://example.com", "https://example.com/"] {
                let url = try #require(try await Endpoint(baseURL: base, path: path).request().url)
                #expect(url.host == "example.com")
                #expect(url.user == nil)
                #expect(url.port == nil)
            }
        }
    }

    @Test func otherBaseURLsAreRefused() async {
        let bases = [
            "", " ", "/api", "example.com", "//example.com", "?a=1", "ftp://example.com",
            "https://",
            "data:text/plain,a", "file:///etc/passwd", "mailto:a@example.com", "https:///api",
            "https://?a=1", "https://:443/", "https:example.com", "https://exam ple.com",
            "https://example.com/a b", "https://ex\u{E4}mple.com", "https://example.com/%zz",
            "https://example.com/\r\nX: y", "https://example.com:text", "https://[::1",
        ]
        for base in bases {
            for path in ["", "x", "//evil.com/x"] {
                let part = await Endpoint(baseURL: base, path: path).invalidPart()
                #expect(part == .baseURL, "\(base)")
            }
        }
    }

    @Test func errorsShowNoPasswordOfABaseURL() async throws {
        for base in ["https://joe:hunter2@", "ftp://joe:hunter2@a.com", "https://a b?key=hunter2"] {
            let error = try #require(await Endpoint(baseURL: base).failure())
            #expect(!"\(error) \(error.localizedDescription)".contains("hunter2"))
        }
    }

    /// Searching or comparing them can take quadratic time: minutes for this size.
    @Test(.row("Q17")) func manyCombiningMarksAreFast() async throws {
        let marks = String(repeating: "\u{315}\u{301}\u{327}", count: 80_000)
        let start = ContinuousClock.now
        #expect(try await Endpoint(path: "." + marks).url().count > 400_000)
        #expect(await Endpoint(baseURL: "https://a.com/" + marks).invalidPart() == .baseURL)
        #expect(try await Endpoint(parameters: ["a": marks]).query().count > 400_000)
        #expect(ContinuousClock.now - start < .seconds(60))
    }
}
