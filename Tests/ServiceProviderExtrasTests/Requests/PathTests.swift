// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Paths with inserted values.
@Suite(.serialized, .opensFiles, .timeLimit) struct PathTests {
    static let names = [
        ("a/b", "a%2Fb"), ("a b", "a%20b"), ("50%", "50%25"), ("a%2Fb", "a%252Fb"),
        ("?#", "%3F%23"),
        ("é", "%C3%A9"), ("a\\b", "a%5Cb"), ("a;b=c", "a%3Bb%3Dc"), ("...", "..."), ("7", "7"),
    ]

    @Test(.row("C3"), arguments: names)
    func aValueIsOneSegment(_ name: String, _ encoded: String) throws {
        let service = TestService(
            baseURL: "https://example.com/v1",
            change: { try $0.appendPath("/users/\(name)/repos") })
        #expect(try service.url() == "https://example.com/v1/users/\(encoded)/repos")
    }

    /// Servers may decode `%2F` and `%5C` before they resolve segments.
    @Test(
        .row("I8"),
        arguments: [
            ".", "..", "", "../admin/secret.txt", "a/../../b", "a\\..\\b", "x/.", "./x", "..\\x",
            "..;",
            "a/..;b/c",
        ])
    func aValueCannotChangeTheEndpoint(_ name: String) throws {
        let service = TestService(change: { try $0.appendPath("/users/\(name)") })
        #expect(service.refusal()?.part == .path)
    }

    @Test func anEmptyValueBesideTextIsRefused() throws {
        let (none, id) = ("", 7)
        let paths: [(ServicePath, String)] = [
            ("/reports/\(id)\(none)", "/reports/7/."), ("/files/\(none).json", "/files/./.json"),
            ("/a\(none)\(id)/b", "/a/./7/b"), ("\(none)a", "/./a"), ("/\(none)\(none)", "/./."),
            ("/a/\(none)/b", "/a/./b"),
        ]
        for (path, encoded) in paths {
            #expect(path.encoded == encoded)
            #expect(TestService(change: { try $0.appendPath(path) }).refusal()?.part == .path)
        }
    }

    @Test func textIsEncodedLikeAPath() throws {
        let path = ServicePath("/a b/100%/\(3)/x:y@z")
        #expect(path.encoded == "/a%20b/100%25/3/x:y@z")
        #expect(ServicePath("/heroes").encoded == "/heroes")
        let service = TestService(path: "/a b/100%/3/x:y@z")
        let same = TestService(change: { try $0.appendPath(path) })
        #expect(try service.url() == same.url())
    }

    @Test(.row("C3"), arguments: TransportUnderTest.allCases)
    func theSegmentArrivesAsItIs(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let service = TestService(
            baseURL: server.baseURL, path: "users",
            change: { try $0.appendPath("\("a/..b c")/x") })
        _ = try await transport.provider().load(service: service)
        #expect(server.requests.map(\.target) == ["/users/a%2F..b%20c/x"])
    }

    @Test(.row("Z18", "Q15")) func aLongValueTakesLinearTime() throws {
        let name = String(repeating: "a/", count: 1 << 19)
        let path = ServicePath("/\(name)").encoded
        #expect(path.utf8.count == 1 + (1 << 19) * 4)
        let marks = String(repeating: "\u{5C1}\u{5B0}", count: 100_000)
        #expect(ServicePath("/\(marks)").encoded.utf8.count == 1_200_001)
    }
}
