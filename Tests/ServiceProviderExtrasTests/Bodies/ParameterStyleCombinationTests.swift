// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// The options of an encoding, combined.
@Suite(.serialized, .opensFiles, .timeLimit) struct ParameterStyleCombinationTests {
    static func parameters() -> [String: Any] {
        [
            "d": [Date(timeIntervalSince1970: 1.5), nil, Date(timeIntervalSince1970: -2)],
            "m": ["f": [true, Data([0xFB, 0xFF])] as [Any], "g": [["h": [false, []] as [Any]]]],
        ]
    }

    @Test(arguments: [
        (
            ServiceParameterEncoding.Arrays.brackets,
            "d[]=1.5&d[]=-2&m[f][]=1&m[f][]=+/8=&m[g][][h][]=0"
        ),
        (.repeated, "d=1.5&d=-2&m[f]=1&m[f]=+/8=&m[g][h]=0"),
        (.indexed, "d[0]=1.5&d[1]=-2&m[f][0]=1&m[f][1]=+/8=&m[g][0][h][0]=0"),
        (.commaSeparated, "d=1.5,-2&m[f]=1,+/8=&m[g][][h][]=0"),
    ])
    func optionsApplyToNestedValues(
        _ arrays: ServiceParameterEncoding.Arrays, _ expected: String
    ) throws {
        let encoding = ServiceParameterEncoding(
            arrays: arrays, booleans: .numeric, dates: .secondsSince1970)
        let query = try ParameterText.query(Self.parameters(), encoding)
        // One parameter's value ends with an equals sign.
        let decoded = query.replacingOccurrences(of: "%3D", with: "=").removingPercentEncoding
        #expect(decoded == expected)
        #expect(!query.contains { "[]/+,".contains($0) })
        #expect(try ParameterText.form(Self.parameters(), encoding) == query)
        #expect(
            try ParameterText.json(Self.parameters(), encoding)
                == #"{"d":[1.5,-2],"m":{"f":[true,"+/8="],"g":[{"h":[false,[]]}]}}"#)
    }

    @Test func parametersAndFormsHaveSeparateEncodings() throws {
        var service = TestService(method: .post, parameters: ["p": [true, false]])
        service.parameterEncoding = .init(arrays: .repeated, booleans: .numeric)
        service.body = .form(["f": [true, false]], encoding: .init(arrays: .commaSeparated))
        #expect(try service.url() == "https://example.com/api?p=1&p=0")
        #expect(try service.bodyText() == "f=true%2Cfalse")
        // The destination of a form is always the body, whatever its encoding says.
        service.body = .form(["f": [true]], encoding: .init(destination: .json))
        #expect(try service.bodyText() == "f%5B%5D=true")
    }

    @Test(arguments: [",", "a,b", "", " ", "%2C", "\u{0}", "[]", "é"])
    func aCustomDateMayBeAnyText(_ text: String) throws {
        let encoding = ServiceParameterEncoding(
            arrays: .commaSeparated, dates: .custom { _ in text })
        let dates: [String: Any] = ["d": [Date(), Date()], "e": ["f": Date()]]
        let query = try ParameterText.query(dates, encoding)
        let values = query.split(separator: "&").map { $0.drop { $0 != "=" }.dropFirst() }
        #expect(values.map(\.removingPercentEncoding) == [text + "," + text, text])
        let json = try ParameterText.json(dates, encoding)
        let parsed = try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any]
        #expect(parsed?["d"] as? [String] == [text, text])
        #expect(parsed?["e"] as? [String: String] == ["f": text])
    }

    /// The closure gets each key once.
    @Test func keysOfListsAreRenamed() throws {
        let encoding = ServiceParameterEncoding(
            arrays: .commaSeparated, keys: .custom { "p_" + $0 })
        let parameters: [String: Any] = ["ids": [1, 2], "x": 3, "none": [Any]()]
        #expect(try ParameterText.query(parameters, encoding) == "p_ids=1%2C2&p_x=3")
    }
}
