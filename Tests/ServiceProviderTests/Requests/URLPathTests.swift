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
        "a/b/../../..", "//..//", "/a/./", "x/.././y", "a//../b",
    ])
    func dotSegmentsAreRefused(_ path: String) throws {
        let raw = try #require(TestService(path: path).refusal())
        #expect(raw.part == .path)
        let encoded = try #require(TestService(percentEncodedPath: path).refusal())
        #expect(encoded.part == .path)
        #expect(encoded.text.hasPrefix("Invalid path: "))
    }

    @Test(arguments: [
        "%2e", "%2E", "%2e%2e", "%2E%2e", ".%2e", "%2E.", "a/%2e%2E/b", "/%2e/", "a/.%2E",
    ])
    func escapedDotSegmentsAreRefusedInEncodedPaths(_ path: String) throws {
        let refusal = try #require(TestService(percentEncodedPath: path).refusal())
        #expect(refusal.part == .path)
        let url = try TestService(baseURL: "https://example.com", path: path).url()
        let seam = path.hasPrefix("/") ? "" : "/"
        let escaped = path.replacingOccurrences(of: "%", with: "%25")
        #expect(url == "https://example.com" + seam + escaped)
    }

    @Test(arguments: ["...", "....", ".a", "a.", "..a", "a..", "a/.b/..c/d..", ".;", "..;x"])
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

    @Test(arguments: [
        ("a%2Fb", "/a%2Fb"),
        ("a%2fb%3Fc%23d%25", "/a%2fb%3Fc%23d%25"),
        ("a/b;c=d,e:f@g", "/a/b;c=d,e:f@g"),
        ("a//b/", "/a//b/"),
        ("http://evil/", "/http://evil/"),
        ("..%2Fx", "/..%2Fx"),
        ("", ""),
    ])
    func encodedPathsAreKeptUnchanged(_ path: String, _ expected: String) throws {
        let service = TestService(path: "ignored", percentEncodedPath: path)
        #expect(try service.url() == "https://example.com/api" + expected)
    }

    @Test(arguments: ["/a%2Fb", "/a", "/", "/a/b", "/a:b/c"])
    func encodedPathsMayStartWithASlash(_ path: String) throws {
        for base in ["https://example.com/api", "https://example.com/api/"] {
            let service = TestService(baseURL: base, percentEncodedPath: path)
            let url = try service.url()
            #expect(url == "https://example.com/api" + path)
        }
    }

    @Test(arguments: ["//evil/x", "//user@evil:1", "///evil"])
    func anEncodedPathNeverChangesTheHost(_ path: String) {
        let service = TestService(baseURL: "https://example.com", percentEncodedPath: path)
        switch Result(catching: { try service.request() }) {
        case .success(let request):
            #expect(request.urlRequest.url?.absoluteString == "https://example.com" + path)
            #expect(request.urlRequest.url?.host == "example.com")
        case .failure:
            #expect(service.refusal()?.part == .path)
        }
    }

    @Test(arguments: [
        "a b", "a%", "a%2", "a%zz", "a%2Gb", "a?b", "a#b", "a?", "caf\u{E9}", "a\"b", "a\\b", "a|b",
        "a\u{0}b", "a\r\nb", "a\tb", "<a>", "{a}", "a^b", "a`b", "a[b]", "\u{202E}",
    ])
    func unencodedCharactersInEncodedPathsAreRefused(_ path: String) throws {
        let refusal = try #require(TestService(percentEncodedPath: path).refusal())
        #expect(refusal.part == .path)
    }
}
