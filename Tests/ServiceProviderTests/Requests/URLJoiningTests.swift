// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// Cases of joined URLs that `EndpointURLTests` leave out.
@Suite struct URLJoiningTests {
    @Test(
        .row("C1"),
        arguments: [
            ("https://[2001:db8::7]", "https://[2001:db8::7]/x"),
            ("http://localhost:65535/", "http://localhost:65535/x"),
            ("https://user@example.com", "https://user@example.com/x"),
            ("https://example.com./", "https://example.com./x"),
            ("https://under_score.example.com", "https://under_score.example.com/x"),
            // The fragment is dropped.
            ("https://example.com/a#", "https://example.com/a/x"),
            ("https://example.com/a#part?d", "https://example.com/a/x"),
            ("https://example.com/a?b=c#part?d", "https://example.com/a/x?b=c"),
        ])
    func allPartsOfTheBaseURLAreKept(_ base: String, _ url: String) throws {
        #expect(try TestService(baseURL: base, path: "x").url() == url)
    }

    @Test(arguments: ["", "/"]) func parametersFollowTheLastSlash(_ slash: String) throws {
        let service = TestService(
            baseURL: "https://example.com///", path: slash, parameters: ["p": 1])
        #expect(try service.url() == "https://example.com///?p=1")
    }

    @Test(.row("I4")) func everyScalarOfAPathRoundTrips() throws {
        let characters = (0..<0x250).compactMap(Unicode.Scalar.init).map { String($0) }
        for character in characters where character != "/" {
            let url = try TestService(path: "a" + character + "z").url()
            let segment = try #require(url.split(separator: "/").last)
            let isPlain = segment.utf8.allSatisfy { 0x20 < $0 && $0 < 0x7F && $0 != 0x3F }
            #expect(isPlain, "in '\(url)'")
            #expect(segment.removingPercentEncoding == "a" + character + "z")
        }
    }
}
