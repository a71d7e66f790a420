// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct URLPathTests {
    @Test(arguments: [
        ".", "..", "/.", "/..", "./", "../", "../x", "./x", "a/.", "a/..", "a/./b", "a/../b",
        "a/b/../../..", "//..//", "/a/./", "x/.././y", "a//../b", "..\\x", "a\\..\\b",
        "../\u{301}x", "\u{301}/../x",
        // Some servers ignore what follows a ";".
        ".;", "..;", "..;/x", "a/..;b=c/x", "..;x",
    ])
    func dotSegmentsAreRefused(_ path: String) throws {
        let raw = try #require(TestService(path: path).refusal())
        #expect(raw.part == .path)
        #expect(raw.text.hasPrefix("Invalid path: "))
    }

    @Test(arguments: [
        "%2e", "%2E", "%2e%2e", "%2E%2e", ".%2e", "%2E.", "a/%2e%2E/b", "/%2e/", "a/.%2E",
    ])
    func escapesInAPathAreData(_ path: String) throws {
        let url = try TestService(baseURL: "https://example.com", path: path).url()
        let seam = path.hasPrefix("/") ? "" : "/"
        let escaped = path.replacingOccurrences(of: "%", with: "%25")
        #expect(url == "https://example.com" + seam + escaped)
    }

    @Test(arguments: ["...", "....", ".a", "a.", "..a", "a..", "a/.b/..c/d..", "a;..b", ";x"])
    func dotsInLongerSegmentsAreKept(_ path: String) throws {
        #expect(try TestService(path: path).url() == "https://example.com/api/" + path)
    }

    @Test(arguments: [
        ("//evil/x", "https://example.com//evil/x"),
        ("///evil/x", "https://example.com///evil/x"),
        ("http://evil/", "https://example.com/http://evil/"),
        ("//user@evil:1/", "https://example.com//user@evil:1/"),
        ("@evil", "https://example.com/@evil"),
        (":80@evil", "https://example.com/:80@evil"),
        (".evil", "https://example.com/.evil"),
        ("\\\\evil", "https://example.com/%5C%5Cevil"),
        ("/\\evil", "https://example.com/%5Cevil"),
        ("\t//evil", "https://example.com/%09//evil"),
        ("\r\nHost: evil", "https://example.com/%0D%0AHost:%20evil"),
        ("?@evil", "https://example.com/%3F@evil"),
        ("#@evil", "https://example.com/%23@evil"),
        ("javascript:alert(1)", "https://example.com/javascript:alert(1)"),
    ])
    func aPathNeverChangesTheHost(_ path: String, _ expected: String) throws {
        for base in ["https://example.com", "https://example.com/"] where base.last != path.first {
            let request = try TestService(baseURL: base, path: path).request()
            let url = try #require(request.urlRequest.url)
            #expect(url.host == "example.com")
            #expect(url.user == nil)
            #expect(url.port == nil)
        }
        #expect(try TestService(baseURL: "https://example.com", path: path).url() == expected)
    }

    /// Searching or comparing them can take quadratic time: minutes for this size.
    @Test func manyCombiningMarksAreFast() throws {
        let marks = String(repeating: "\u{315}\u{301}\u{327}", count: 80_000)
        let start = threadTime()
        #expect(TestService(path: "." + marks).refusal() == nil)
        #expect(TestService(baseURL: "https://example.com/" + marks).refusal()?.part == .baseURL)
        let error = ServiceError.invalidRequest(.parameter, reason: marks)
        #expect(error.description.unicodeScalars.count == 400)
        #expect(threadTime() - start < 20)
    }
}
