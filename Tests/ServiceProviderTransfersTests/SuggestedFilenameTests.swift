// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite struct SuggestedFilenameTests {
    static func name(
        _ disposition: String?, url: String = "https://h/a/page"
    ) throws -> String {
        let request = ServiceRequest(URLRequest(url: try #require(URL(string: url))))
        let headers = disposition.map { ["content-disposition": $0] } ?? [:]
        return ServiceResponse(request: request, statusCode: 200, headers: headers)
            .suggestedFilename
    }

    @Test(arguments: [
        ("attachment; filename=a.txt", "a.txt"),
        ("ATTACHMENT;FileName = \"a b.txt\" ;x=y", "a b.txt"),
        ("inline; filename=\"a;b,c=d.txt\"", "a;b,c=d.txt"),
        ("attachment; filename=a,b.txt", "a,b.txt"),
        (#"attachment; filename="a\"b\\.t\xt""#, ".txt"),
        (#"attachment; filename="it\'s.txt""#, "it's.txt"),
        ("attachment; filename=\"open", "open"),
        ("attachment; filename=\"a.txt\"x; filename=b.txt", "a.txt"),
        ("attachment; x=\"filename=b.txt;filename=c\"; filename=a.txt", "a.txt"),
        ("filename=a.txt", "page"), ("", "page"), ("attachment", "page"), (";;;", "page"),
        ("attachment; filename", "page"), ("attachment; filename=", "page"),
        ("attachment; filename*=UTF-8''%e2%82%ac%20rates.txt; filename=b", "€ rates.txt"),
        ("attachment; filename=b; filename*=utf-8'en'%C3%A9.txt", "é.txt"),
        ("attachment; filename*=UTF-8''it's.txt", "it's.txt"),
        ("attachment; filename*=UTF-8''100%.txt", "100%.txt"),
        // Malformed ones count as missing.
        ("attachment; filename*=UTF-8''%ff.txt; filename=b.txt", "b.txt"),
        ("attachment; filename*=UTF-8'%41.txt; filename=b.txt", "b.txt"),
        ("attachment; filename*=iso-8859-15''%A3; filename=b.txt", "b.txt"),
        ("attachment; filename*=iso-8859-1''%82; filename=b.txt", "b.txt"),
        ("attachment; filename*=a.txt", "page"),
    ])
    func theHeaderIsParsed(disposition: String, expected: String) throws {
        #expect(try Self.name(disposition) == (expected == ".txt" ? "txt" : expected))
    }

    @Test(arguments: [
        ("https://h/files/a%20b.txt?x=/c", "a b.txt"), ("https://h/files/", "files"),
        ("https://h", "download"), ("https://h/", "download"), ("https://h/..%2f..%2fx", "x"),
        ("https://h/a/%2e%2e", "download"), ("https://h/%00", "download"),
        ("https://h/%ff.txt", "\u{FFFD}.txt"),
    ])
    func withoutTheHeaderTheNameIsInTheURL(url: String, expected: String) throws {
        #expect(try Self.name(nil, url: url) == expected)
        #expect(try Self.name("attachment; filename=\"../\"", url: url) == expected)
    }

    @Test(
        .row("D1", "D15"),
        arguments: [
            ("../../etc/passwd", "passwd"), ("/etc/x", "x"), (#"C:\\dir\\x.txt"#, "x.txt"),
            (#"a/b\\c"#, "c"), ("..%2fx", "%2fx"), (".bashrc", "bashrc"), ("...", "page"),
            ("..", "page"), (".", "page"), (" . . ", "page"), ("a/", "page"), ("x. . ", "x"),
            ("a\u{0}b\u{1B}[31m\r\nc\u{7F}\u{85}", "ab[31mc"), ("a\u{2028}b\u{2029}c", "abc"),
            ("gnp.\u{202E}fdp", "gnp.fdp"), ("\u{2066}\u{200F}a\u{FEFF}\u{61C}.txt", "a.txt"),
            ("👩\u{200D}🚀 日本.txt", "👩\u{200D}🚀 日本.txt"), ("\u{A0}\u{3000}a", "a"),
            // Invisible, without a character that they belong to.
            ("\u{200D}", "page"), ("\u{200C}\u{200D}", "page"), ("\u{FE0F}", "page"),
            ("\u{3164}", "page"), ("\u{115F}\u{1160}\u{FFA0}", "page"), ("\u{2800}", "page"),
            ("\u{34F}", "page"), ("\u{180B}\u{E0100}", "page"), ("\u{AD}\u{2060}", "page"),
            (". \u{200D}. \u{3164}.", "page"), ("\u{200D}.txt", "txt"), ("\u{200D}a", "a"),
            ("❤\u{FE0F}", "❤\u{FE0F}"), ("ന്\u{200D}", "ന്\u{200D}"),
        ])
    func hostileNamesAreMadeSafe(suggested: String, expected: String) throws {
        #expect(try Self.name("attachment; filename=\"\(suggested)\"") == expected)
    }

    /// Cut between characters, before the extension.
    @Test(arguments: [
        (String(repeating: "a", count: 300) + ".tar", String(repeating: "a", count: 251) + ".tar"),
        (String(repeating: "é", count: 300) + ".txt", String(repeating: "é", count: 125) + ".txt"),
        (String(repeating: "😀", count: 300), String(repeating: "😀", count: 63)),
        ("a." + String(repeating: "b", count: 300), "a." + String(repeating: "b", count: 253)),
    ])
    func longNamesAreCut(suggested: String, expected: String) throws {
        let name = try Self.name("attachment; filename=\"\(suggested)\"")
        #expect(name == expected)
        #expect(name.utf8.count <= 255)
    }
}
