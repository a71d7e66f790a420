// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct ParameterOrderTests {
    private static let letters = ["a": 1, "b": 2, "c": 3, "d": 4]

    @Test(arguments: [
        ([], "a=1&b=2&c=3&d=4"), (["c"], "c=3&a=1&b=2&d=4"), (["d", "b"], "d=4&b=2&a=1&c=3"),
        (["d", "c", "b", "a"], "d=4&c=3&b=2&a=1"), (["x", "d", "", "y"], "d=4&a=1&b=2&c=3"),
        (["d", "b", "d", "d"], "d=4&b=2&a=1&c=3"), (["A"], "a=1&b=2&c=3&d=4"),
    ])
    func orderedKeysComeFirstAndTheRestIsSorted(_ order: [String], _ expected: String) throws {
        let encoding = ServiceParameterEncoding(order: order)
        #expect(try ParameterText.query(Self.letters, encoding) == expected)
        #expect(try ParameterText.form(Self.letters, encoding) == expected)
        let pairs = expected.split(separator: "&").map { pair in
            "\"" + pair.replacingOccurrences(of: "=", with: "\":")
        }
        let json = try ParameterText.json(Self.letters, encoding)
        #expect(json == "{" + pairs.joined(separator: ",") + "}")
    }

    @Test func nestedKeysAreSorted() throws {
        let parameters: [String: Any] = [
            "a": 1, "z": ["b": 2, "a": 3, "z": 4], "l": [["b": 5, "a": 6]],
        ]
        let encoding = ServiceParameterEncoding(order: ["z", "b"])
        #expect(
            try ParameterText.query(parameters, encoding)
                == "z%5Ba%5D=3&z%5Bb%5D=2&z%5Bz%5D=4&a=1&l%5B%5D%5Ba%5D=6&l%5B%5D%5Bb%5D=5")
        #expect(
            try ParameterText.json(parameters, encoding)
                == #"{"z":{"a":3,"b":2,"z":4},"a":1,"l":[{"a":6,"b":5}]}"#)
    }

    @Test func nilIsDroppedFromOrderedKeys() throws {
        let parameters: [String: Any] = ["a": 1, "b": Int?.none as Any, "c": 3]
        let encoding = ServiceParameterEncoding(order: ["b", "c"])
        #expect(try ParameterText.query(parameters, encoding) == "c=3&a=1")
        #expect(try ParameterText.json(parameters, encoding) == #"{"c":3,"a":1}"#)
    }

    @Test(.row("Z18")) func aLongOrderTakesLinearTime() throws {
        let names = (0..<300_000).map { "n\($0)" }
        let parameters = Dictionary(uniqueKeysWithValues: names.map { ($0, 1) })
        let order = ["missing"] + names.dropFirst().reversed() + names.suffix(9)
        let text = try ParameterText.query(parameters, ServiceParameterEncoding(order: order))
        #expect(text.hasPrefix("n299999=1&n299998=1&"))
        #expect(text.hasSuffix("&n2=1&n1=1&n0=1"))
    }
}
