// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct URLBaseTests {
    static let malformed = [
        "", " ", "/", "/api", "example.com", "example.com/api", "//example.com/api", "?a=1", "#a",
        "ftp://example.com", "data:text/plain,a", "file:///etc/passwd", "file://example.com/x",
        "ws://example.com", "javascript:alert(1)", "mailto:a@example.com", "urn:isbn:1",
        "https://", "https:///", "https:///api", "https://?a=1", "https://#a", "https://:443/",
        "https:", "https:example.com", "https:/example.com", "://example.com", "https//example.com",
        " https://example.com", "https://example.com ", "https://exam ple.com", "ht tps://a.com",
        "https://example.com/a b", "https://example.com/?a b", "https://example.com/\"",
        "https://ex\u{E4}mple.com", "https://example.com/caf\u{E9}", "https://example.com/?\u{E9}",
        "https://example.com/%", "https://example.com/%zz", "https://example.com/?a=%2",
        "https://exa%zzmple.com", "https://example.com\\evil", "https://example.com/\r\nX: y",
        "https://example.com/\u{0}", "https://example.com:0", "https://example.com:65536",
        "https://example.com:99999", "https://example.com:1e3",
        "https://example.com:99999999999999999999", "https://[::1]:99999999999999999999",
        "https://u@example.com:99999999999999999999",
        "https://example.com:text", "https://example.com:-1", "https://example.com:8 0",
        "https://[::1", "https://::1]/", "https://a/b|c",
        "https://exam%BEple.com", "HTTP://xn--bcher-kva.exam%BEple/a/#b",
    ]

    @Test(.row("I4", "Z15"), arguments: malformed)
    func malformedBaseURLsAreRefused(_ base: String) throws {
        for path in ["", "x", "/x", "//evil.com/x"] {
            let refusal = try #require(TestService(baseURL: base, path: path).refusal())
            #expect(refusal.part == .baseURL)
            #expect(refusal.text.hasPrefix("Invalid baseURL: "))
        }
    }

    /// Setting the scheme of URLComponents drops a host that it can't decode.
    @Test func undecodableHostsAreKept() throws {
        let host = "xn--bcher-+kva.example:80"
        #expect(try TestService(baseURL: "https://" + host).url() == "https://" + host)
        let service = TestService(baseURL: "https://" + host + "/a/?b=1", path: "x")
        #expect(try service.url() == "https://" + host + "/a/x?b=1")
    }

    /// Base URLs that contain a password and are invalid because of their host or the text after
    /// it.
    static let secretive = [
        "https://joe:hunter2@", "https://joe:hunter2@/x", "https://joe:hunter2@exam ple.com",
        "https://joe:hunter2@ex\u{E4}mple.com", "https://joe:hunter2@example.com:99999",
        "https://joe:hunter2@example.com:0/x", "https://joe:hunter2@example.com:text",
        "https://joe:hunter2@example.com/%zz", "https://joe:hunter2@example.com/a b",
        "https://example.com/a b?key=hunter2", "https://example.com/a b#hunter2",
        "https://joe:hun ter2@example.com", "https://joe:hunter2%@example.com",
        "https://joe@hunter2@exam ple.com", "https://joe:hunter2@a@exam ple.com",
        "ftp://joe:hunter2@example.com", "//joe:hunter2@example.com/api",
        "file://joe:hunter2@example.com/x", "ht tps://joe:hunter2@example.com",
        "https:///joe:hunter2@example.com", "https:/joe:hunter2@example.com",
        "joe:hunter2@example.com", "joe:hunter2@example.com/api", "https:joe:hunter2@example.com",
        "https:\\\\joe:hunter2@example.com", "https://joe:hunter2/x@example.com",
        "https://joe:hunter2?x@example.com", "https://joe:hunter2#x@example.com",
        "https://joe:x/hunter2@example.com",
    ]

    @Test(.row("I9"), arguments: secretive) func refusalsContainNoPassword(_ base: String) throws {
        for path in ["", "x"] {
            let refusal = try #require(TestService(baseURL: base, path: path).refusal())
            #expect(refusal.part == .baseURL)
            #expect(!refusal.text.contains("hunter2"))
            #expect(!refusal.text.contains("ter2"))
        }
    }

    @Test func refusalsAreOneShortLine() throws {
        let base = "https://example.com/" + String(repeating: "long\n\u{1B}[31m ", count: 10_000)
        let refusal = try #require(TestService(baseURL: base).refusal())
        #expect(refusal.text.count < 1_000)
        #expect(!refusal.text.unicodeScalars.contains { $0.value < 32 })
    }
}
