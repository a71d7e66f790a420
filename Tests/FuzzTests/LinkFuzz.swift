// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Parses `Link` headers. Valid links must be found, and malformed ones must not lead to a bad URL.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct LinkFuzz {
    private static let pieces = [
        "<", ">", "\"", "\\", ",", ";", "=", " ", "\t", "rel", "rel=next", "next", "anchor",
        "=\"next\"",
        "http://h/2", "//", "/", "..", "?", "#", "%", "%zz", "é", "\u{301}", "[", "]", "@", ":",
        "javascript:", "\0", "<https://h/2>; rel=next", "ftp:", "u:p@h", ":99999",
    ]

    @Test func randomLinkHeadersAreParsed() async throws {
        try await Fuzz.run("LinkFuzz", count: 4_000) { number, random in
            if random.oneIn(2) {
                let field = random.hostile(Self.pieces, upTo: 14)
                try Self.checkHostile(String(decoding: field, as: UTF8.self))
            } else {
                try Self.checkGood(&random)
            }
        }
    }

    /// The link; nil if it's refused.
    private static func link(_ field: String) throws -> URL? {
        let response = try FuzzStub(headers: ["Link": field]).response()
        do {
            return try response.link(rel: "next")
        } catch ServiceError.decoding {
            return nil
        }
    }

    private static func checkHostile(_ field: String) throws {
        guard let url = try link(field) else { return }
        let isGood =
            url.scheme == "https" && url.host?.isEmpty == false
            && (url.host == "example.com" || url.user == nil)
        try require(isGood, "leads to \(url)", field.debugDescription)
    }

    /// Checks a header with several links. At most one of them has the requested relation.
    private static func checkGood(_ random: inout SeededGenerator) throws {
        func blank() -> String { random.pick(["", "", " ", "\t", "  "]) }
        let count = 1 + random.number(4)
        let asked = random.number(count + 1)
        var links: [String] = []
        for index in 0..<count {
            var parameters: [String] = []
            for _ in 0..<random.number(3) {
                let text = random.text().unicodeScalars.map { scalar in
                    scalar == "\"" || scalar == "\\" ? "\\" + String(scalar) : String(scalar)
                }.joined()
                parameters.append("title\(random.number(9))=\"\(text)\"")
            }
            let types =
                index == asked
                ? ["next", "NEXT", "\"next\"", "\"prev Next\""] : ["prev", "\"nexts\"", "x"]
            let rel =
                random.pick(["rel", "Rel", "REL"]) + blank() + "=" + blank() + random.pick(types)
            parameters.insert(rel, at: random.number(parameters.count + 1))
            let list = parameters.map { blank() + ";" + blank() + $0 }.joined()
            links.append(blank() + "</page/\(index)?a=b,c;d>" + list + blank())
        }
        let field = links.joined(separator: random.pick([",", ", ", ",,", " , ,"]))
        let url = try link(field)?.absoluteString
        let meant = asked < count ? "https://example.com/page/\(asked)?a=b,c;d" : nil
        try require(url == meant, "found \(url ?? "no link")", field.debugDescription)
    }
}
