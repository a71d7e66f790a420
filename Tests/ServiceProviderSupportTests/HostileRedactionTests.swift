// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProviderSupport
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Redaction of texts controlled by a server, in extreme sizes, counts and depths: 1 MB, 300,000
/// items, 10,000 levels. Four times the text may take about four times the time.
///
/// Serialized, because these tests occupy a thread that other tests need.
@Suite(.slow, .serialized, .opensFiles(0), .timeLimit) struct HostileRedactionTests {
    /// A form, a JSON text or a URL.
    struct Text: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let shape: HostileText.Shape

        init(_ name: String, _ shape: @escaping HostileText.Shape) {
            testDescription = name
            self.shape = shape
        }

        /// A text that repeats a unit.
        init(_ name: String, of unit: String, after start: String = "") {
            self.init(name, HostileText.repeating(unit, after: start))
        }
    }

    private let request: ServiceRequest

    init() throws {
        let url = try #require(URL(string: "https://h/"))
        var request = URLRequest(url: url)
        request.setValue("Bearer a-token-of-the-call", forHTTPHeaderField: "Authorization")
        self.request = ServiceRequest(request)
    }

    private static func repeated(_ unit: String, to size: Int) -> String {
        HostileText.repeating(unit)(size)
    }

    static let json = [
        Text("backslashes") { size in "[\"" + HostileText.ramp(size) },
        Text("quotes", of: "\""),
        Text("members") { size in
            "{" + repeated(#""token":"x","a":"b=\n","#, to: size) + #""key":1}"#
        },
        Text("elements") { size in "[" + repeated(#"{"token":"x"},"#, to: size) + "1]" },
        Text("lists in lists") { size in
            repeated("[", to: size / 2) + repeated("]", to: size / 2)
        },
        Text("secret objects") { size in
            repeated(#"{"token":"#, to: size - size / 10) + "1" + repeated("}", to: size / 10)
        },
        Text("a long string") { size in "\"" + repeated("a=1&", to: size) + "\"" },
        Text("escapes") { size in "\"" + repeated(#"\u0026="#, to: size) + "\"" },
        Text("blanks", of: " \t\r\n"),
        Text("a name of marks") { size in "{\"" + repeated(HostileText.marks, to: size) + "\":1}" },
        Text("short names of marks") { size in
            let name = repeated(HostileText.marks, to: 240)
            let members = (0..<size / 240).map { "\"\($0)\(name)\":1," }
            return "{" + members.joined() + #""key":1}"#
        },
    ]

    static let urlsAndForms = [
        Text("parameters", of: "token=a&b=c;"),
        Text("a parameter of marks", of: HostileText.marks, after: "?a="),
        Text("parameters with a name of marks") { size in
            "a" + repeated(HostileText.marks, to: size) + "=1"
        },
        Text("URLs", of: "//a@b"),
        Text("URLs in URLs", of: "?a=//b@c/"),
        Text("escaped URLs", of: "?a=b%3Ftoken%3Dc"),
        Text("equals signs", of: "="),
        Text("escaped percent signs", of: "25", after: "?a=%"),
        Text("slashes", of: "/;"),
        Text("colons", of: ":", after: "?a="),
        Text("arguments", of: "a:1,", after: "?a="),
        Text("blanks before a colon", of: "b          :", after: "?a="),
        Text("blanks after a colon", of: " ", after: "?a=token:"),
        Text("JSON in JSON") { size in
            "?a={\"b\":\"" + repeated(#"{\"c\":\"d:1\"},"#, to: size) + "\"}"
        },
    ]

    @Test(.row("Z1", "Z24", "Q1", "Q2"), arguments: json + urlsAndForms)
    func redactionTakesLinearTime(_ text: Text) {
        let growth = growth(to: megabyte / 8) { size in
            let text = text.shape(size)
            _ = request.redacting(url: text)
            _ = request.redacting(text, ofHeader: "Link")
            for type in ["application/json", "application/x-www-form-urlencoded"] {
                _ = request.redacting(Data(text.utf8), ofType: type)
            }
        }
        #expect(growth < linearGrowth)
    }

    private func redactedJSON(_ text: String) -> String? {
        request.redacting(Data(text.utf8), ofType: "application/json")
    }

    @Test(.row("Z1", "Z24")) func manySecretsAreRedacted() throws {
        let count = sanitized(300_000)
        let members = String(repeating: #"{"token":"canary"},"#, count: count)
        let shown = try #require(redactedJSON("[\(members)1]"))
        // Each member is `{"token":"***"},`.
        #expect(shown.utf8.count == 16 * count + 3)
        #expect(!shown.contains("canary"))
        let url = request.redacting(url: "?" + String(repeating: "token=canary&", count: count))
        // Each parameter is `token=***&`.
        #expect(url.utf8.count == 10 * count + 1)
        #expect(!url.contains("canary"))
    }

    @Test(.row("Z1", "Z24")) func deepSecretsAreRedacted() {
        func nested(_ start: String, _ inner: String, _ end: String) -> String {
            let depth = 10_000
            return String(repeating: start, count: depth) + inner
                + String(repeating: end, count: depth)
        }
        let inLists = nested("[", #"{"token":"canary"}"#, "]")
        #expect(redactedJSON(inLists) == nested("[", #"{"token":"***"}"#, "]"))
        let inSecrets = nested(#"{"token":["#, "\"canary\"", "]}")
        #expect(redactedJSON(inSecrets) == #"{"token":"***"}"#)
        let inURLs = nested("?to=http://h/", "?token=canary", "")
        #expect(!request.redacting(url: inURLs).contains("canary"))
    }

    @Test(
        .row("Z24", "Q2"),
        arguments: [
            "a[", "%5B", "%", "\u{301}", "\u{301}\u{323}", "-", "a.", "d", HostileText.marks,
        ])
    func namesTakeLinearTime(_ unit: String) {
        var request = request
        request.secretNames = ["tenant pin", "a[b"]
        let growth = growth(to: megabyte) { size in
            _ = request.isSecret(Self.repeated(unit, to: size))
        }
        #expect(growth < linearGrowth)
    }

    @Test(.row("Z1")) func veryLongNamesAreSecret() {
        let longest = String(repeating: "a", count: 254)
        let tooLong = String(repeating: "a", count: 257)
        let shown = redactedJSON(#"{"\#(tooLong)":"canary","\#(longest)":1}"#)
        #expect(shown == #"{"\#(tooLong)":"***","\#(longest)":1}"#)
    }
}
