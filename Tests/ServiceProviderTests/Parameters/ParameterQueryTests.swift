// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// Parameters and their encoded text. Closures create the parameters, because `Any` isn't
/// `Sendable`.
@Suite struct ParameterQueryTests {
    static let plain = [
        ParameterCase("one=one&three=true&two=2") { ["one": "one", "two": 2, "three": true] },
        ParameterCase("=1&a=") { ["": 1, "a": ""] },
        ParameterCase("a=1") { ["a": Int16(1)] },
        ParameterCase("a=1") { ["a": Decimal(1)] },
        ParameterCase("a=1.0") { ["a": Float(1)] },
        ParameterCase("b=AQID%2Fw%3D%3D") { ["b": Data([1, 2, 3, 255])] },
    ]

    static let escaped = [
        ParameterCase("foo%26bar=baz%26qux&foobar=bazqux") {
            ["foo&bar": "baz&qux", "foobar": "bazqux"]
        },
        ParameterCase("arabic=%D8%A7%D9%84%D8%B9&emoji=%F0%9F%98%83&french=fran%C3%A7ais") {
            ["french": "fran\u{E7}ais", "arabic": "\u{627}\u{644}\u{639}", "emoji": "\u{1F603}"]
        },
        // Not normalised: é as one scalar and as two scalars is different data.
        ParameterCase("a=%C3%A9&b=e%CC%81") { ["a": "\u{E9}", "b": "e\u{301}"] },
        ParameterCase("c=" + String(repeating: "%E4%B8%80%E5%8D%81", count: 2_000)) {
            ["c": String(repeating: "\u{4E00}\u{5341}", count: 2_000)]
        },
    ]

    static let nested = [
        ParameterCase("foo%5Bbar%5D%5Bbaz%5D=1") { ["foo": ["bar": ["baz": 1]]] },
        ParameterCase("f%5Bb%5D%5B%5D=a&f%5Bb%5D%5B%5D=1&f%5Bb%5D%5B%5D=true") {
            ["f": ["b": ["a", 1, true] as [Any]]]
        },
        ParameterCase("f%5Bb%5D=1&f%5Bc%5D=2&f%5Bd%5D=3&g=4") {
            ["g": 4, "f": ["d": 3, "b": 1, "c": 2]]
        },
        // Elements of different types keep their order too.
        ParameterCase(
            "r%5B%5D%5B%5D=1&r%5B%5D%5B%5D=2&r%5B%5D%5Ba%5D%5Bs%5D=t&r%5B%5D%5B%5D%5B%5D=3"
        ) { ["r": [[1, 2], ["a": ["s": "t"]], [[3]]] as [Any]] },
        ParameterCase("a%5Bb%26c%5D=1&a%5Bd%5De%5D=2") { ["a": ["b&c": 1, "d]e": 2]] },
        ParameterCase("a%5B%5D=1") { ["a": ["": 1]] },
        ParameterCase("") { ["a": ["b": [[Int](), [Int]()]]] },
        ParameterCase("b=1") { ["a": [Any](), "b": 1, "c": [String: Any]()] },
    ]

    @Test(arguments: plain + escaped + nested)
    func queriesAndFormsAreWrittenAlike(_ test: ParameterCase) throws {
        #expect(try ParameterText.query(test.parameters()) == test.expected)
        #expect(try ParameterText.form(test.parameters()) == test.expected)
    }

    @Test func onlyUnreservedBytesAreUnescaped() throws {
        let unreserved = Set("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        for value in UInt8(0)..<128 {
            let character = Character(Unicode.Scalar(value))
            let escape = (value < 16 ? "%0" : "%") + String(value, radix: 16, uppercase: true)
            let text = unreserved.contains(character) ? String(character) : escape
            let query = try ParameterText.query([String(character): "a\(character)"])
            #expect(query == "\(text)=a\(text)")
        }
    }

    @Test func parametersAreAppendedToTheQueryOfTheBaseURL() throws {
        let service = TestService(
            baseURL: "https://example.com/?hd=%5B1%5D", parameters: ["+foo+": "+bar+"])
        #expect(try service.url() == "https://example.com/?hd=%5B1%5D&%2Bfoo%2B=%2Bbar%2B")
    }
}
