// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite struct ParameterStyleTests {
    static let arrays = [
        ParameterCase("foo=a&foo=1&foo=true", .init(arrays: .repeated)) {
            ["foo": ["a", 1, true] as [Any]]
        },
        ParameterCase("foo=1&foo=2&foo=3", .init(arrays: .repeated)) { ["foo": [[1, 2], [3]]] },
        ParameterCase("foo%5Ba%5D=1&foo%5Bb%5D=2", .init(arrays: .repeated)) {
            ["foo": [["a": 1], ["b": 2]]]
        },
        ParameterCase(
            "foo%5B0%5D%5Bbar%5D=2&foo%5B1%5D%5Bqux%5D=3&foo%5B2%5D%5Bquy%5D=4",
            .init(arrays: .indexed)
        ) { ["foo": [["bar": 2], ["qux": 3], ["quy": 4]]] },
        ParameterCase(
            "foo%5B0%5D%5Bbar%5D=1&foo%5B1%5D%5Bqux%5D=0",
            .init(arrays: .indexed, booleans: .numeric)
        ) { ["foo": [["bar": true], ["qux": false]]] },
        ParameterCase("a%5B0%5D%5B0%5D=x&a%5B1%5D%5B0%5D=y", .init(arrays: .indexed)) {
            ["a": [["x"], ["y"]]]
        },
        ParameterCase("a%5B0%5D=x&a%5B1%5D=y", .init(arrays: .indexed)) {
            ["a": ["x", nil, "y"] as [String?]]
        },
        ParameterCase("a%5B0%5D=x&a%5B1%5D=y", .init(arrays: .indexed)) {
            ["a": ["x", NSNull(), "y"] as [Any]]
        },
        ParameterCase("a=1&b=0&c=1&d=1", .init(booleans: .numeric)) {
            let number = NSNumber(value: true)
            return [
                "a": number, "b": Optional(NSNumber(value: false)) as Any,
                "c": AnyHashable(number), "d": NSNumber(value: 1),
            ]
        },
        ParameterCase(
            (0..<12).map { "a%5B\($0)%5D=\($0)" }.joined(separator: "&"), .init(arrays: .indexed)
        ) { ["a": Array(0..<12)] },
        ParameterCase("a=x,1,true", .init(arrays: .commaSeparated)) {
            ["a": ["x", 1, true] as [Any]]
        },
        ParameterCase("a=x%2Cy,z", .init(arrays: .commaSeparated)) { ["a": ["x,y", "z"]] },
        ParameterCase("a=x,y%2Cz", .init(arrays: .commaSeparated)) { ["a": ["x", "y,z"]] },
        ParameterCase("a=x%7C1%2Cy%7Ctrue&b=%7C", .init(arrays: .pipeSeparated)) {
            ["a": ["x", "1,y", true] as [Any], "b": "|"]
        },
        ParameterCase("a=x%201%7Cy&b=%20", .init(arrays: .spaceSeparated)) {
            ["a": ["x", "1|y"], "b": " "]
        },
        ParameterCase("a%5B%5D=1%7C2&a%5B%5D=3", .init(arrays: .pipeSeparated)) {
            ["a": [[1, 2], [3]]]
        },
        ParameterCase("a=x+y", .init(arrays: .spaceSeparated, writesSpaceAsPlus: true)) {
            ["a": ["x", "y"]]
        },
        ParameterCase("a=x", .init(arrays: .commaSeparated)) { ["a": ["x"]] },
        ParameterCase("a=", .init(arrays: .commaSeparated)) { ["a": [""]] },
        ParameterCase("a=%EF%BB%BFx,%EF%BB%BF", .init(arrays: .commaSeparated)) {
            ["a": ["\u{FEFF}x", "\u{FEFF}"]]
        },
        ParameterCase("", .init(arrays: .commaSeparated)) { ["a": [String]()] },
        ParameterCase("a=1,3", .init(arrays: .commaSeparated)) { ["a": [1, nil, 3]] },
        ParameterCase("a%5Bb%5D=1,2", .init(arrays: .commaSeparated)) { ["a": ["b": [1, 2]]] },
        ParameterCase("a%5B%5D=1,2&a%5B%5D=3", .init(arrays: .commaSeparated)) {
            ["a": [[1, 2], [3]]]
        },
    ]

    @Test(arguments: arrays) func arraysAreWrittenInTheChosenStyle(_ test: ParameterCase) throws {
        #expect(try ParameterText.query(test.parameters(), test.encoding) == test.expected)
        #expect(try ParameterText.form(test.parameters(), test.encoding) == test.expected)
    }

    @Test(arguments: [
        ServiceParameterEncoding.Arrays.brackets, .repeated, .indexed, .commaSeparated,
        .pipeSeparated, .spaceSeparated,
    ])
    func arraysAreArraysInJSON(_ arrays: ServiceParameterEncoding.Arrays) throws {
        let text = try ParameterText.json(["a": [[1, 2], [], [3]]], .init(arrays: arrays))
        #expect(text == #"{"a":[[1,2],[],[3]]}"#)
    }

    @Test func booleansAreWrittenInTheChosenStyle() throws {
        let flags = ["no": false, "yes": true]
        #expect(try ParameterText.query(flags) == "no=false&yes=true")
        let numeric = ServiceParameterEncoding(booleans: .numeric)
        #expect(try ParameterText.query(flags, numeric) == "no=0&yes=1")
        #expect(try ParameterText.query(["a": [true, false]], numeric) == "a%5B%5D=1&a%5B%5D=0")
        #expect(try ParameterText.json(flags, numeric) == #"{"no":false,"yes":true}"#)
    }

    /// Seconds since 1970, in ISO 8601, as seconds, and as milliseconds.
    static let dates: [(TimeInterval, String, String, String)] = [
        (0, "1970-01-01T00:00:00Z", "0", "0"),
        (1_795_250_000, "2026-11-21T08:33:20Z", "1795250000", "1795250000000"),
        (1.5, "1970-01-01T00:00:01Z", "1.5", "1500"),
        (951_782_400, "2000-02-29T00:00:00Z", "951782400", "951782400000"),
        (-1, "1969-12-31T23:59:59Z", "-1", "-1000"),
        (253_402_300_799, "9999-12-31T23:59:59Z", "253402300799", "253402300799000"),
    ]

    @Test(arguments: dates)
    func datesAreWrittenInTheChosenStyle(
        _ time: TimeInterval, _ iso8601: String, _ inSeconds: String, _ inMilliseconds: String
    ) throws {
        let date: [String: Any] = ["d": Date(timeIntervalSince1970: time)]
        let colons = iso8601.replacingOccurrences(of: ":", with: "%3A")
        #expect(try ParameterText.query(date) == "d=" + colons)
        #expect(try ParameterText.json(date) == #"{"d":"\#(iso8601)"}"#)
        let seconds = ServiceParameterEncoding(dates: .secondsSince1970)
        #expect(try ParameterText.query(date, seconds) == "d=" + inSeconds)
        #expect(try ParameterText.json(date, seconds) == #"{"d":\#(inSeconds)}"#)
        let milliseconds = ServiceParameterEncoding(dates: .millisecondsSince1970)
        #expect(try ParameterText.query(date, milliseconds) == "d=" + inMilliseconds)
        #expect(try ParameterText.json(date, milliseconds) == #"{"d":\#(inMilliseconds)}"#)
    }

    @Test func aClosureCanFormatDates() throws {
        let custom = ServiceParameterEncoding(
            dates: .custom { "<\"\(Int($0.timeIntervalSince1970))\">" })
        let date: [String: Any] = ["d": [Date(timeIntervalSince1970: 7)]]
        #expect(try ParameterText.query(date, custom) == "d%5B%5D=%3C%227%22%3E")
        #expect(try ParameterText.json(date, custom) == #"{"d":["<\"7\">"]}"#)
    }

    @Test func theDistantPastIsAccepted() throws {
        let past: [String: Any] = ["d": Date.distantPast]
        let query = try ParameterText.query(past)
        #expect(query == "d=0001-01-01T00%3A00%3A00Z")
    }

    @Test(arguments: [
        TimeInterval.nan, .infinity, -.infinity, .greatestFiniteMagnitude,
        -.greatestFiniteMagnitude, 1e12, -1e12, 9.3e18, 253_402_300_800,
    ])
    func datesBeyondTheYear9999AreRefused(_ seconds: TimeInterval) throws {
        let date: [String: Any] = ["when": Date(timeIntervalSince1970: seconds)]
        let never: @Sendable (Date) -> String = { _ in "a text" }
        for dates: ServiceParameterEncoding.Dates in [
            .iso8601, .secondsSince1970, .millisecondsSince1970, .custom(never),
        ] {
            let service = TestService(
                parameters: date, parameterEncoding: .init(dates: dates))
            let refusal = try #require(service.refusal())
            #expect(refusal.part == .parameter)
            #expect(refusal.text.contains("'when'"))
            #expect(refusal.text.contains("'Date'"))
        }
    }

    @Test func parametersAndFormsHaveSeparateEncodings() throws {
        var service = TestService(method: .post, parameters: ["p": [true, false]])
        service.parameterEncoding = .init(arrays: .repeated, booleans: .numeric)
        service.body = .form(["f": [true, false]], encoding: .init(arrays: .commaSeparated))
        #expect(try service.url() == "https://example.com/api?p=1&p=0")
        #expect(try service.bodyText() == "f=true,false")
        // The destination of a form is always the body, whatever its encoding says.
        service.body = .form(["f": [true]], encoding: .init(destination: .json))
        #expect(try service.bodyText() == "f%5B%5D=true")
    }

    /// The closure gets each key once.
    @Test func keysOfListsAreRenamed() throws {
        let encoding = ServiceParameterEncoding(
            arrays: .commaSeparated, keys: .custom { "p_" + $0 })
        let parameters: [String: Any] = ["ids": [1, 2], "x": 3, "none": [Any]()]
        #expect(try ParameterText.query(parameters, encoding) == "p_ids=1,2&p_x=3")
    }

    @Test func parsedJSONIsWrittenInAStyle() throws {
        let text = #"{"b":{"c":{"d":"\u00e9"}},"e":[9],"a":[true,0,2.5,"x",null]}"#
        let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let parameters = try #require(parsed as? [String: Any])
        let query = try ParameterText.query(parameters, .init(arrays: .commaSeparated))
        #expect(query == "a=true,0,2.5,x&b%5Bc%5D%5Bd%5D=%C3%A9&e=9")
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func unsupportedValuesInListsAreRefused(_ value: Double) {
        let service = TestService(
            parameters: ["a": ["x", value] as [Any]],
            parameterEncoding: .init(arrays: .commaSeparated))
        #expect(service.refusal()?.part == .parameter)
    }

    /// To the server, `["a|b"]` would look like `["a", "b"]`.
    @Test(arguments: [
        (ServiceParameterEncoding.Arrays.pipeSeparated, "x|y", "|"),
        (.pipeSeparated, "|\u{301}", "|"),
        (.spaceSeparated, "x y", " "),
    ])
    func elementsWithAnEscapedSeparatorAreRefused(
        _ arrays: ServiceParameterEncoding.Arrays, _ element: String, _ separator: String
    ) {
        let service = TestService(
            parameters: ["filter": ["a": [element]]], parameterEncoding: .init(arrays: arrays))
        let refusal = service.refusal()
        #expect(refusal?.part == .parameter)
        #expect(refusal?.text.contains("an element of 'filter[a]' has a '\(separator)'") == true)
    }
}
