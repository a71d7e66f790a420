// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

struct JoiningCase: Sendable, CustomTestStringConvertible {
    let base: String
    let path: String
    let url: String
    var testDescription: String { "'\(base)' + '\(path)'" }

    init(_ base: String, _ path: String, _ url: String) {
        (self.base, self.path, self.url) = (base, path, url)
    }
}

@Suite(.serialized, .opensFiles, .timeLimit) struct URLJoiningTests {
    @Test(arguments: [
        JoiningCase("https://example.com", "", "https://example.com"),
        JoiningCase("https://example.com", "/", "https://example.com/"),
        JoiningCase("https://example.com", "foo", "https://example.com/foo"),
        JoiningCase("https://example.com", "/foo", "https://example.com/foo"),
        JoiningCase("https://example.com", "foo/bar", "https://example.com/foo/bar"),
        JoiningCase("https://example.com", "/foo/bar/", "https://example.com/foo/bar/"),
        JoiningCase("https://example.com/", "", "https://example.com/"),
        JoiningCase("https://example.com/", "/", "https://example.com/"),
        JoiningCase("https://example.com/", "foo/bar", "https://example.com/foo/bar"),
        JoiningCase("https://example.com/", "/foo/bar/", "https://example.com/foo/bar/"),
        JoiningCase("https://example.com/api", "", "https://example.com/api"),
        JoiningCase("https://example.com/api", "/", "https://example.com/api/"),
        JoiningCase("https://example.com/api", "foo", "https://example.com/api/foo"),
        JoiningCase("https://example.com/api/", "", "https://example.com/api/"),
        JoiningCase("https://example.com/api/", "/foo", "https://example.com/api/foo"),
        JoiningCase("https://example.com/api/", "/foo/", "https://example.com/api/foo/"),
        JoiningCase("https://example.com/api", "x/", "https://example.com/api/x/"),
        JoiningCase("https://example.com/api/", "x/", "https://example.com/api/x/"),
        JoiningCase("https://api.github.com", "/user", "https://api.github.com/user"),
    ])
    func baseURLAndPathAreJoinedWithOneSlash(_ join: JoiningCase) throws {
        #expect(try TestService(baseURL: join.base, path: join.path).url() == join.url)
    }

    @Test(arguments: [
        JoiningCase("https://example.com///", "", "https://example.com///"),
        JoiningCase("https://example.com///", "/", "https://example.com///"),
        JoiningCase("https://example.com///", "foo", "https://example.com///foo"),
        JoiningCase("https://example.com///", "foo//bar//", "https://example.com///foo//bar//"),
        JoiningCase("https://example.com/a//b", "c", "https://example.com/a//b/c"),
        JoiningCase("https://example.com", "//", "https://example.com//"),
        JoiningCase("https://example.com/", "///x", "https://example.com///x"),
    ])
    func otherSlashesAreKept(_ join: JoiningCase) throws {
        #expect(try TestService(baseURL: join.base, path: join.path).url() == join.url)
    }

    @Test(arguments: [
        JoiningCase("https://[::1]:8080/api", "x", "https://[::1]:8080/api/x"),
        JoiningCase("https://[2001:db8::7]", "/x", "https://[2001:db8::7]/x"),
        JoiningCase("http://127.0.0.1:1", "x", "http://127.0.0.1:1/x"),
        JoiningCase("http://localhost:65535/", "x", "http://localhost:65535/x"),
        JoiningCase("https://user@example.com", "x", "https://user@example.com/x"),
        JoiningCase(
            "https://us%40er:p%3Aw@example.com", "x", "https://us%40er:p%3Aw@example.com/x"),
        JoiningCase("https://example.com/a%20b/", "c", "https://example.com/a%20b/c"),
        JoiningCase("https://example.com/a%2Fb", "c", "https://example.com/a%2Fb/c"),
        JoiningCase("https://xn--exmple-cua.com", "x", "https://xn--exmple-cua.com/x"),
        JoiningCase("https://example.com./", "x", "https://example.com./x"),
        JoiningCase("https://under_score.example.com", "x", "https://under_score.example.com/x"),
    ])
    func allPartsOfTheBaseURLAreKept(_ join: JoiningCase) throws {
        #expect(try TestService(baseURL: join.base, path: join.path).url() == join.url)
    }

    @Test(arguments: ["HTTP", "HTTPS", "HtTpS", "Http"])
    func theSchemeMayHaveAnyCase(_ scheme: String) throws {
        let url = try TestService(baseURL: scheme + "://Example.COM/API", path: "x").url()
        // Platforms may write scheme and host in lower case.
        #expect(url.lowercased() == scheme.lowercased() + "://example.com/api/x")
        #expect(url.hasSuffix("/API/x"))
    }

    @Test(arguments: [
        JoiningCase("a=1", "", "?a=1"),
        JoiningCase("", "p=1", "?p=1"),
        JoiningCase("a=1", "p=1", "?a=1&p=1"),
        JoiningCase("a=%5B1%5D&b", "p=1", "?a=%5B1%5D&b&p=1"),
        JoiningCase("a=x+y/z?", "p=1", "?a=x+y/z?&p=1"),
        JoiningCase("p=0", "p=1", "?p=0&p=1"),
        JoiningCase("", "", ""),
    ])
    func theQueryOfTheBaseURLComesFirst(_ join: JoiningCase) throws {
        var service = TestService(baseURL: "https://example.com/a?\(join.base)", path: "b")
        if !join.path.isEmpty { service.parameters = ["p": 1] }
        #expect(try service.url() == "https://example.com/a/b\(join.url)")
        service.path = ""
        #expect(try service.url() == "https://example.com/a\(join.url)")
    }

    @Test func anEmptyPathLeavesTheBaseURLUnchanged() throws {
        let base = "http://example.com/123/somepath?X-ABC-Asd=123"
        #expect(try TestService(baseURL: base).url() == base)
        let service = TestService(baseURL: "https://example.com", parameters: ["p": 1])
        #expect(try service.url() == "https://example.com?p=1")
    }

    @Test(arguments: ["", "/"]) func parametersFollowTheLastSlash(_ slash: String) throws {
        let service = TestService(
            baseURL: "https://example.com///", path: slash, parameters: ["p": 1])
        #expect(try service.url() == "https://example.com///?p=1")
    }

    @Test func emptyParametersLeaveNoQuestionMark() throws {
        let empty: [[String: Any]] = [[:], ["a": [Int]()], ["a": [String: Int]()], ["a": NSNull()]]
        for parameters in empty {
            let service = TestService(path: "x", parameters: parameters)
            #expect(try service.url() == "https://example.com/api/x")
        }
    }

    @Test(arguments: [
        JoiningCase("https://example.com/a#", "x", "https://example.com/a/x"),
        JoiningCase("https://example.com/a?b=c#part?d", "x", "https://example.com/a/x?b=c"),
    ])
    func theFragmentIsDropped(_ join: JoiningCase) throws {
        #expect(try TestService(baseURL: join.base, path: join.path).url() == join.url)
    }

    @Test(arguments: [
        JoiningCase("https://example.com/a#part", "x", "https://example.com/a/x"),
        JoiningCase("https://example.com/a#part?d", "", "https://example.com/a"),
        JoiningCase("https://example.com#part", "", "https://example.com"),
    ])
    func theFragmentIsDroppedWithoutAQuery(_ join: JoiningCase) throws {
        let url = try TestService(baseURL: join.base, path: join.path).url()
        #expect(url == join.url)
    }

    @Test(arguments: [
        JoiningCase("", "a\"b", "a%22b"),
        JoiningCase("", "100%", "100%25"),
        JoiningCase("", "a%2Fb", "a%252Fb"),
        JoiningCase("", "login.do?key=1", "login.do%3Fkey=1"),
        JoiningCase("", "?a=1", "%3Fa=1"),
        JoiningCase("", "a#b", "a%23b"),
        JoiningCase("", "a b", "a%20b"),
        JoiningCase("", "a\\b", "a%5Cb"),
        JoiningCase("", "[1]{2}|^`<3>", "%5B1%5D%7B2%7D%7C%5E%60%3C3%3E"),
        JoiningCase("", "-._~!$&'()*+,;=:@", "-._~!$&'()*+,;=:@"),
        JoiningCase("", "caf\u{E9}", "caf%C3%A9"),
        JoiningCase("", "cafe\u{301}", "cafe%CC%81"),
        JoiningCase("", "日本", "%E6%97%A5%E6%9C%AC"),
        JoiningCase("", "😃", "%F0%9F%98%83"),
        JoiningCase("", "a\r\nb", "a%0D%0Ab"),
        JoiningCase("", "\u{0}\u{1F}\u{7F}\u{85}", "%00%1F%7F%C2%85"),
        JoiningCase("", "\u{202E}\u{2028}\u{FEFF}", "%E2%80%AE%E2%80%A8%EF%BB%BF"),
    ])
    func pathsArePercentEncoded(_ join: JoiningCase) throws {
        let service = TestService(path: join.path)
        #expect(try service.url() == "https://example.com/api/" + join.url)
    }

    @Test func everyScalarOfAPathRoundTrips() throws {
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
