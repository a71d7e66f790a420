// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// How keys, members of dictionaries and nils are written.
@Suite(.serialized, .opensFiles, .timeLimit) struct ParameterKeyTests {
    static let words = [
        ("page", "page", "page"), ("sortBy", "sort_by", "sort-by"),
        ("SortBy", "sort_by", "sort-by"),
        ("pageURLOrPath", "page_url_or_path", "page-url-or-path"), ("myURL", "my_url", "my-url"),
        ("sort_by", "sort_by", "sort-by"), ("a1B2", "a1_b2", "a1-b2"), ("", "", ""),
        ("X", "x", "x"),
        ("ÄpfelÖl", "äpfel_öl", "äpfel-öl"), ("_private", "_private", "_private"),
    ]

    @Test(.row("C5"), arguments: words.filter { !$0.0.contains("_") })
    func keysAreSplitIntoWords(_ key: String, _ snake: String, _ kebab: String) throws {
        let snakeText = try ParameterText.json([key: 1], .init(keys: .snakeCase))
        #expect(snakeText == "{\"\(snake)\":1}")
        let kebabText = try ParameterText.json([key: 1], .init(keys: .kebabCase))
        #expect(kebabText == "{\"\(kebab)\":1}")
    }

    @Test(.row("C5")) func keysOfAllLevelsAreRenamed() throws {
        let parameters: [String: Any] = ["outerKey": ["innerKey": [["leafKey": 1]]], "theEnd": 2]
        let encoding = ServiceParameterEncoding(order: ["the_end"], keys: .snakeCase)
        let json = #"{"the_end":2,"outer_key":{"inner_key":[{"leaf_key":1}]}}"#
        #expect(try ParameterText.json(parameters, encoding) == json)
        let query = "the_end=2&outer_key%5Binner_key%5D%5B%5D%5Bleaf_key%5D=1"
        #expect(try ParameterText.query(parameters, encoding) == query)
    }

    @Test func keysCanBeRenamedByAClosure() throws {
        let encoding = ServiceParameterEncoding(keys: .custom { $0.uppercased() })
        #expect(try ParameterText.query(["a": ["b": 1]], encoding) == "A%5BB%5D=1")
    }

    @Test func keysOfEncodableValuesAreRenamed() throws {
        struct Search: Encodable { var sortBy = "name", pageSize = 5 }
        let encoding = ServiceParameterEncoding(keys: .kebabCase)
        #expect(
            try ParameterText.query(.encoding(Search()), encoding) == "page-size=5&sort-by=name")
    }

    @Test(arguments: [["sortBy": 1, "sort_by": 2] as [String: Int], ["a": 1, "A": 2]])
    func keysThatBecomeTheSameAreRefused(_ parameters: [String: Int]) throws {
        for nested in [false, true] {
            let service = TestService(
                parameters: nested ? ["x": parameters] : parameters,
                parameterEncoding: .init(keys: .snakeCase))
            let refusal = try #require(service.refusal())
            #expect(refusal.part == .parameter)
            #expect(refusal.text.contains("several keys are written as '"))
        }
    }

    @Test(.row("C4")) func membersCanBeJoinedByDots() throws {
        let parameters: [String: Any] = ["a": ["b": ["c": 1], "d": [2, 3]]]
        let dots = ServiceParameterEncoding(arrays: .repeated, nesting: .dots)
        #expect(try ParameterText.query(parameters, dots) == "a.b.c=1&a.d=2&a.d=3")
        let custom = ServiceParameterEncoding(arrays: .repeated, nesting: .custom { $0 + "/" + $1 })
        #expect(try ParameterText.form(parameters, custom) == "a%2Fb%2Fc=1&a%2Fd=2&a%2Fd=3")
    }

    static let nils: [(ServiceParameterEncoding.Nils, String, String)] = [
        (.dropped, "z=1", #"{"z":1,"n":null}"#),
        (.empty, "a=&m%5Bb%5D=&n=&z=1", #"{"a":null,"m":{"b":null},"n":null,"z":1}"#),
        (.null, "a=null&m%5Bb%5D=null&n=null&z=1", #"{"a":null,"m":{"b":null},"n":null,"z":1}"#),
    ]

    @Test(arguments: nils)
    func nilsAreWrittenInTheChosenStyle(
        _ nils: ServiceParameterEncoding.Nils, _ query: String, _ json: String
    ) throws {
        let parameters: [String: Any] = [
            "a": Int?.none as Any, "m": ["b": Int??.some(nil) as Any], "n": NSNull(),
            "z": Int?(1) as Any,
        ]
        let encoding = ServiceParameterEncoding(nils: nils)
        #expect(
            try ParameterText.query(parameters, encoding).replacing("m%5B%5D=&", with: "") == query)
        let expected = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? NSDictionary
        let written = try ParameterText.json(parameters, encoding)
        var object = try JSONSerialization.jsonObject(with: Data(written.utf8)) as? [String: Any]
        if case .dropped = nils { object?["m"] = nil }
        #expect(object.map { $0 as NSDictionary } == expected)
    }

    @Test(.slow, .row("Z18", "Q15")) func manyAndLongKeysTakeLinearTime() throws {
        let encoding = ServiceParameterEncoding(keys: .snakeCase)
        let many = Dictionary(uniqueKeysWithValues: (0..<300_000).map { ("aKey\($0)", 1) })
        #expect(try ParameterText.query(many, encoding).contains("a_key299999=1"))
        let long = String(repeating: "aB", count: 1 << 19)
        let text = try ParameterText.query([long: 1], encoding)
        #expect(text.hasPrefix("a_ba_ba_b"))
        let marks = String(repeating: "\u{5C1}\u{5B0}", count: 100_000)
        #expect(try ParameterText.query([marks: marks], encoding).utf8.count == 2_400_001)
    }

    @Test func dictionariesMayHave64Levels() throws {
        var parameters: [String: Any] = ["key": 1]
        for _ in 1..<64 { parameters = ["key": parameters] }
        #expect(TestService(parameters: parameters).refusal() == nil)
        let service = TestService(parameters: ["key": parameters])
        #expect(service.refusal()?.text.contains("exceeds 64 levels") == true)
    }

    @Test(.row("Z18")) func deepDictionariesAreRefused() throws {
        var parameters: [String: Any] = ["aKey": 1]
        for _ in 0..<10_000 { parameters = ["aKey": parameters] }
        let service = TestService(
            parameters: parameters, parameterEncoding: .init(keys: .snakeCase))
        #expect(service.refusal()?.text.contains("exceeds 64 levels") == true)
        // Releasing 10,000 levels in one step would exhaust the stack.
        while let inner = parameters["aKey"] as? [String: Any] { parameters = inner }
    }
}
