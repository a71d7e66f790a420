// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// References in a URL from a server, resolved by RFC 3986, section 5, whatever parser the platform has.
@Suite(.serialized, .opensFiles, .timeLimit) struct ReferenceTests {
    /// A reference, and the URL that it means at `http://h/b/c/d;p?q`. Nil isn't followed.
    static let references: [(String, String?)] = [
        // RFC 3986, section 5.4.1.
        ("g:h", nil), ("g", "http://h/b/c/g"), ("./g", "http://h/b/c/g"),
        ("g/", "http://h/b/c/g/"), ("/g", "http://h/g"), ("//g", "http://g"),
        ("?y", "http://h/b/c/d;p?y"), ("g?y", "http://h/b/c/g?y"),
        ("#s", "http://h/b/c/d;p?q#s"), ("g#s", "http://h/b/c/g#s"),
        ("g?y#s", "http://h/b/c/g?y#s"), (";x", "http://h/b/c/;x"), ("g;x", "http://h/b/c/g;x"),
        ("g;x?y#s", "http://h/b/c/g;x?y#s"), ("", "http://h/b/c/d;p?q"), (".", "http://h/b/c/"),
        ("./", "http://h/b/c/"), ("..", "http://h/b/"), ("../", "http://h/b/"),
        ("../g", "http://h/b/g"), ("../..", "http://h/"), ("../../", "http://h/"),
        ("../../g", "http://h/g"),
        // RFC 3986, section 5.4.2.
        ("../../../g", "http://h/g"), ("../../../../g", "http://h/g"), ("/./g", "http://h/g"),
        ("/../g", "http://h/g"), ("g.", "http://h/b/c/g."), (".g", "http://h/b/c/.g"),
        ("g..", "http://h/b/c/g.."), ("..g", "http://h/b/c/..g"), ("./../g", "http://h/b/g"),
        ("./g/.", "http://h/b/c/g/"), ("g/./h", "http://h/b/c/g/h"), ("g/../h", "http://h/b/c/h"),
        ("g;x=1/./y", "http://h/b/c/g;x=1/y"), ("g;x=1/../y", "http://h/b/c/y"),
        ("g?y/./x", "http://h/b/c/g?y/./x"), ("g?y/../x", "http://h/b/c/g?y/../x"),
        ("g#s/./x", "http://h/b/c/g#s/./x"), ("g#s/../x", "http://h/b/c/g#s/../x"),
        ("http:g", nil),
        // No host, or one that can't be.
        ("//", nil), ("///", nil), ("///x", nil), ("////x", nil), ("//?x", nil), ("//#x", nil),
        ("http:", nil), ("http:/x", nil), ("http://", nil), ("http:///x", nil), ("http://?x", nil),
        ("http://:80/x", nil), ("//:80/x", nil), ("//u@/x", nil), ("//u:p@:80/x", nil),
        ("//[::1", nil), ("//[::1/x", nil), ("//[x y]/", nil), ("//[caf\u{E9}]/", nil),
        ("//[<>]/", nil),
        // No scheme, or another one.
        (":", nil), (":80", nil), (":x/y", nil), ("1a:b", nil), ("a b:c", nil), ("-a:b", nil),
        ("a_b:c", nil), ("mailto:a@b.c", nil), ("javascript:x()", nil), ("data:,x", nil),
        ("file:///x", nil), ("ftp://h/x", nil), ("ws://h/x", nil), ("about:blank", nil),
        // Absolute URLs.
        ("http://g", "http://g"), ("http://g/", "http://g/"), ("HTTP://g/x", "http://g/x"),
        ("https://g/x", "https://g/x"), ("http://g?x", "http://g?x"), ("http://g#x", "http://g#x"),
        ("http://g/a/../b", "http://g/b"), ("http://g/../b", "http://g/b"),
        ("http://g/a/./b/.", "http://g/a/b/"), ("http://G.example/x", "http://G.example/x"),
        // Ports, addresses and user info.
        ("//g:8080/x", "http://g:8080/x"), ("//g:/x", "http://g/x"), ("//g:0/x", nil),
        ("//g:65535", "http://g:65535"), ("//g:65536", nil), ("//g:99999999999/x", nil),
        ("//g:4294967376/x", nil), ("//g:x/", nil), ("//g:-1/", nil), ("//g:8:0/", nil),
        ("//127.0.0.1/x", "http://127.0.0.1/x"), ("//[::1]/x", "http://[::1]/x"),
        ("//[::1]:80/x", "http://[::1]:80/x"), ("//u:p@g/x", "http://g/x"),
        ("//u@h/x", "http://h/x"), ("//u:@h:81/x", "http://h:81/x"),
        // Characters that a URL can't contain.
        ("a b", "http://h/b/c/a%20b"), ("/caf\u{E9}", "http://h/caf%C3%A9"),
        ("?caf\u{E9}", "http://h/b/c/d;p?caf%C3%A9"), ("[1]", "http://h/b/c/%5B1%5D"),
        ("/a[1]?b[]=|", "http://h/a%5B1%5D?b%5B%5D=%7C"), ("a|b", "http://h/b/c/a%7Cb"),
        ("a^b", "http://h/b/c/a%5Eb"), ("\\g", "http://h/b/c/%5Cg"),
        ("\\\\g\\x", "http://h/b/c/%5C%5Cg%5Cx"),
        ("/\\g", "http://h/%5Cg"), ("<g>", "http://h/b/c/%3Cg%3E"),
        ("\"g\"", "http://h/b/c/%22g%22"),
        ("{g}", "http://h/b/c/%7Bg%7D"), ("`g`", "http://h/b/c/%60g%60"),
        ("a\tb", "http://h/b/c/a%09b"),
        ("a#b#c", "http://h/b/c/a#b%23c"), ("?a?b", "http://h/b/c/d;p?a?b"),
        // Percent-encoding.
        ("%zz", "http://h/b/c/%25zz"), ("%", "http://h/b/c/%25"), ("%4", "http://h/b/c/%254"),
        ("%2e%2e/g", "http://h/b/c/%2e%2e/g"), ("%2Fg", "http://h/b/c/%2Fg"),
        ("%2F%2Fg", "http://h/b/c/%2F%2Fg"), ("%00", "http://h/b/c/%00"),
        ("%E9", "http://h/b/c/%E9"),
        ("a%20b c", "http://h/b/c/a%20b%20c"), ("?a=%26&b", "http://h/b/c/d;p?a=%26&b"),
        // Slashes and dots.
        ("/", "http://h/"), ("/a//b", "http://h/a//b"), ("/a//../b", "http://h/a/b"),
        ("g//", "http://h/b/c/g//"), ("/.", "http://h/"), ("/..", "http://h/"),
        ("...", "http://h/b/c/..."),
        ("/a/b/../../../..", "http://h/"), ("/.//g", "http://h//g"), ("?", "http://h/b/c/d;p?"),
        ("#", "http://h/b/c/d;p?q#"), ("g/h:i", "http://h/b/c/g/h:i"),
        ("./g:h", "http://h/b/c/g:h"),
        ("/g:h", "http://h/g:h"), ("@g", "http://h/b/c/@g"), ("*", "http://h/b/c/*"),
    ]

    private static func resolved(_ reference: String, in base: String) throws -> String? {
        let url = try #require(URL(string: base))
        return ServiceRequest(URLRequest(url: url)).resolve(reference)?.absoluteString
    }

    @Test(.row("R13"), arguments: references)
    func aReferenceMeansTheSameOnEachPlatform(_ reference: String, _ expected: String?) throws {
        #expect(try Self.resolved(reference, in: "http://h/b/c/d;p?q") == expected)
    }

    @Test(arguments: [
        ("http://h", "g", "http://h/g"), ("http://h", "?y", "http://h?y"),
        ("http://h", "", "http://h"), ("http://h", "..", "http://h/"),
        ("http://h?q", "g", "http://h/g"),
        ("http://h/?q#f", "", "http://h/?q"), ("http://h/a/../b/c", "d", "http://h/b/d"),
        ("http://u:p@h/a/", "b", "http://u:p@h/a/b"), ("http://u:p@h/a", "//h/b", "http://u:p@h/b"),
        ("http://[::1]:81/a", "b", "http://[::1]:81/b"), ("https://h/a", "//g/b", "https://g/b"),
        ("https://h/a", "http://h/b", nil),
    ])
    func referencesHaveTheirBase(_ base: String, _ reference: String, _ expected: String?) throws {
        #expect(try Self.resolved(reference, in: base) == expected)
    }

    @Test(
        .row("R12"), arguments: TransportUnderTest.allCases, ["//", "///x", "http://", "http:///x"])
    func aLocationWithoutAHostIsNoLoop(_ transport: TransportUnderTest, _ location: String)
        async throws
    {
        let server = try LoopbackServer { _ in .redirect(to: location) }
        let error = try await transport.provider().failure(of: server.service())
        #expect(error.unacceptableStatus == 302)
        #expect(server.requests.count == 1)
    }

    @Test(.slow, .row("Z6"), arguments: ["../", "a/", "./", "/", "//", "?", "#", ":", "a/../"])
    func longReferencesTakeLinearTime(_ piece: String) throws {
        let factor = growth(to: 1_000_000) { size in
            let text = String(repeating: piece, count: size / piece.count)
            for base in ["http://h/a", "http://h/" + text] {
                _ = URL(string: base).map { ServiceRequest(URLRequest(url: $0)).resolve(text) }
            }
        }
        #expect(factor < linearGrowth)
    }
}
