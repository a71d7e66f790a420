// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

@testable import MarvelClient

/// `search`, and bold text.
@Suite(.serialized, .opensFiles, .timeLimit) struct SearchTests {
    private let console = Console(hasStyles: true, write: { _ in })

    @Test func searchListsNamesAndPictures() async throws {
        let text = try await output(of: ["search", "spider-g"])
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        try #require(lines.count == 10)
        #expect(lines[0] == "1009157  Spider-Girl (Anya Corazon)")
        #expect(lines[1].hasPrefix("  http://127.0.0.1:"))
        #expect(lines[1].hasSuffix("/u/prod/marvel/i/mg/b/40/image_not_available.png"))
        #expect(lines[2] == "1009609  Spider-Girl (May Parker)")
        #expect(lines[4...6] == ["", "1 to 2 of 2 characters", ""])
        #expect(!text.contains("\u{1B}"))
    }

    @Test func searchMarksTheStartOfEachName() async throws {
        let text = try await output(of: ["search", "sPIDER-g"], hasStyles: true)
        #expect(text.contains("1009157  \u{1B}[1mSpider-G\u{1B}[0mirl (Anya Corazon)\n"))
        #expect(text.contains("1009609  \u{1B}[1mSpider-G\u{1B}[0mirl (May Parker)\n"))
        #expect(text.count { $0 == "\u{1B}" } == 4)
    }

    @Test(arguments: [
        (["search", "nobody"], "No characters.\n"), (["search", "thor"], "\n1 character\n"),
        (["search", "Spider", "--limit", "2", "--offset=1"], "\n2 to 3 of 9 characters\n"),
        (["search", "Spider", "--limit", "2", "--all"], "\n1 to 9 of 9 characters\n"),
        (["search", "Thor", "--json"], #""name" : "Thor""#),
    ])
    func searchTakesTheOptionsOfLists(arguments: [String], part: String) async throws {
        #expect(try await output(of: arguments, hasStyles: true).contains(part))
    }

    /// A name with an escape sequence, and no picture.
    @Test func searchRemovesControlCharacters() async throws {
        let list = #"{"available": 0, "items": []}"#
        let server = try LoopbackServer { _ in
            .json(
                #"""
                {"attributionText": "", "data": {"offset": 0, "limit": 20, "total": 1, "count": 1,
                 "results": [{"id": 7, "name": "A\u001b[31mB", "modified": "", "urls": [],
                 "comics": \#(list), "series": \#(list), "stories": \#(list), "events": \#(list)}]}}
                """#)
        }
        let text = try await output(
            of: ["search", "a", "--base-url", server.baseURL],
            environment: gatewayKeys, hasStyles: true)
        #expect(text.hasPrefix("7  \u{1B}[1mA\u{1B}[0m [31mB\n  no picture\n"))
    }

    @Test func titlesAreBoldInATerminal() async throws {
        let text = try await output(of: ["--limit", "1"], hasStyles: true)
        #expect(text.hasPrefix("\u{1B}[1m     ID  NAME     COMICS  DESCRIPTION\u{1B}[0m\n1011334"))
        #expect(try await !output(of: ["--limit", "1"]).contains("\u{1B}"))
    }

    @Test(arguments: [
        ("sp", "Spider", "\u{1B}[1mSp\u{1B}[0mider"),
        ("SPIDER", "Spider", "\u{1B}[1mSpider\u{1B}[0m"),
        ("pi", "Spider", "Spider"), ("", "Spider", "Spider"), ("Spiders", "Spider", "Spider"),
        ("ÉC", "éclair", "\u{1B}[1méc\u{1B}[0mlair"), ("a", "", ""),
    ])
    func matchingStartIsBold(prefix: String, text: String, bold: String) {
        #expect(console.bold(prefix: prefix, of: text) == bold)
        let plain = Console(write: { _ in })
        #expect(plain.bold(prefix: prefix, of: text) == text)
    }

    @Test(
        arguments: [
            ([:], true), (["NO_COLOR": ""], true), (["NO_COLOR": "1"], false),
            (["NO_COLOR": "0"], false), (["TERM": "dumb"], false), (["TERM": "xterm"], true),
            (["TERM": "xterm", "NO_COLOR": " "], false),
        ] as [([String: String], Bool)])
    func environmentCanForbidStyles(environment: [String: String], isAllowed: Bool) {
        #expect(Terminal.allowsStyles(environment) == isAllowed)
    }
}
