// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// A value, and its encoded text in a query and in JSON.
struct ValueCase: Sendable, CustomTestStringConvertible {
    let query: String
    let json: String
    let value: @Sendable () -> Any
    var testDescription: String { "\(type(of: value())) as '\(json.prefix(60))'" }

    init(_ query: String, _ json: String, _ value: @escaping @Sendable () -> Any) {
        (self.query, self.json, self.value) = (query, json, value)
    }
    init(_ both: String, _ value: @escaping @Sendable () -> Any) { self.init(both, both, value) }
}

private enum Color: String { case red = "#f00" }
private enum Level: Int { case low = -1 }
private struct Flags: OptionSet { let rawValue: UInt8 }
private struct Tag: RawRepresentable { let rawValue: String }
/// A raw value that has a raw value itself.
private struct Label: RawRepresentable { let rawValue: Tag }
private struct Codes: RawRepresentable { let rawValue: [String: [Int]] }
private struct Switch: RawRepresentable { let rawValue: Bool }

@Suite struct ParameterValueTests {
    static let integers = [
        ValueCase("-128") { Int8.min }, ValueCase("127") { Int8.max },
        ValueCase("-32768") { Int16.min }, ValueCase("32767") { Int16.max },
        ValueCase("-2147483648") { Int32.min }, ValueCase("2147483647") { Int32.max },
        ValueCase("-9223372036854775808") { Int64.min },
        ValueCase("9223372036854775807") { Int64.max },
        ValueCase("9223372036854775807") { Int.max }, ValueCase("0") { 0 },
        ValueCase("255") { UInt8.max }, ValueCase("65535") { UInt16.max },
        ValueCase("4294967295") { UInt32.max }, ValueCase("18446744073709551615") { UInt64.max },
        ValueCase("18446744073709551615") { UInt.max }, ValueCase("1") { UInt8(1) },
        ValueCase("1") { Int8(1) },
    ]

    static let fractions = [
        ValueCase("0.1") { 0.1 }, ValueCase("1.0") { 1.0 }, ValueCase("-0.0") { -0.0 },
        ValueCase("1e%2B16", "1e+16") { 1e16 }, ValueCase("1e-05") { 0.00001 },
        ValueCase("5e-324") { Double.leastNonzeroMagnitude },
        ValueCase("1.7976931348623157e%2B308", "1.7976931348623157e+308") {
            Double.greatestFiniteMagnitude
        },
        ValueCase("0.30000000000000004") { 0.1 + 0.2 },
        ValueCase("0.1") { Float(0.1) }, ValueCase("1.5") { CGFloat(1.5) },
        ValueCase("3.4028235e%2B38", "3.4028235e+38") { Float.greatestFiniteMagnitude },
        ValueCase("-0.00001") { Decimal(sign: .minus, exponent: -5, significand: 1) },
        ValueCase("12345678901234567890.123456789") {
            Decimal(string: "12345678901234567890.123456789") as Any
        },
        ValueCase("340282366920938463463374607431768211455" + String(repeating: "0", count: 127)) {
            Decimal.greatestFiniteMagnitude
        },
    ]

    static let texts = [
        ValueCase("a%20b", #""a b""#) { "a b" },
        ValueCase("", #""""#) { "" },
        ValueCase("true") { true }, ValueCase("false") { false },
        ValueCase("http%3A%2F%2Fa.b%2Fc%3Fd%3De", #""http://a.b/c?d=e""#) {
            URL(string: "http://a.b/c?d=e") as Any
        },
        ValueCase(
            "00112233-4455-6677-8899-AABBCCDDEEFF", #""00112233-4455-6677-8899-AABBCCDDEEFF""#
        ) { UUID(uuidString: "00112233-4455-6677-8899-aabbccddeeff") as Any },
        ValueCase("", #""""#) { Data() },
        ValueCase("%2B%2F%2B%2F", #""+/+/""#) { Data([0xFB, 0xFF, 0xBF]) },
        ValueCase("1970-01-01T00%3A00%3A00Z", #""1970-01-01T00:00:00Z""#) {
            Date(timeIntervalSince1970: 0)
        },
    ]

    static let wrapped = [
        ValueCase("%23f00", ##""#f00""##) { Color.red }, ValueCase("-1") { Level.low },
        ValueCase("5") { Flags(rawValue: 5) }, ValueCase("t", #""t""#) { Tag(rawValue: "t") },
        ValueCase("t", #""t""#) { Label(rawValue: Tag(rawValue: "t")) },
        ValueCase("true") { Switch(rawValue: true) },
        ValueCase("7") { Optional(7) as Any }, ValueCase("7") { Int??.some(.some(7)) as Any },
        ValueCase("7") { Optional(7 as Any) as Any },
        ValueCase("-1") { Optional(Level.low) as Any },
        ValueCase("s", #""s""#) { AnyHashable("s") }, ValueCase("7") { AnyHashable(7) },
        ValueCase("true") { AnyHashable(true) }, ValueCase("1.0") { AnyHashable(1.0) },
        ValueCase("-1") { AnyHashable(Level.low) },
        ValueCase("7") { Optional(AnyHashable(7)) as Any },
    ]

    static let numbers = [
        ValueCase("true") { NSNumber(value: true) }, ValueCase("false") { NSNumber(value: false) },
        ValueCase("1") { NSNumber(value: 1) }, ValueCase("0") { NSNumber(value: 0) },
        ValueCase("-7") { NSNumber(value: Int64(-7)) }, ValueCase("0.5") { NSNumber(value: 0.5) },
        ValueCase("18446744073709551615") { NSNumber(value: UInt64.max) },
        ValueCase("1.5") { NSDecimalNumber(string: "1.5") },
        ValueCase("200") { NSNumber(value: UInt8(200)) },
        // Foundation has the same type for them and for Booleans.
        ValueCase("0") { NSNumber(value: Int8(0)) }, ValueCase("1") { NSNumber(value: Int8(1)) },
        ValueCase("true") { NSNumber?.some(true) as Any },
        ValueCase("false") { Any??.some(NSNumber(value: false)) as Any },
        ValueCase("true") { AnyHashable(NSNumber(value: true)) },
        ValueCase("1") { AnyHashable?.some(AnyHashable(NSNumber(value: 1))) as Any },
        ValueCase("1") { Any?.some(NSNumber(value: 1)) as Any },
        ValueCase("2.0") { Any?.some(NSNumber(value: 2.0)) as Any },
    ]

    @Test(arguments: integers + fractions + texts + wrapped + numbers)
    func valuesAreWritten(_ test: ValueCase) throws {
        #expect(try ParameterText.query(["v": test.value()]) == "v=" + test.query)
        #expect(
            try ParameterText.query(["v": ["w": [test.value()]]]) == "v%5Bw%5D%5B%5D=" + test.query)
        #expect(try ParameterText.json(["v": test.value()]) == #"{"v":\#(test.json)}"#)
        #expect(
            try ParameterText.json(["v": ["w": [test.value()]]]) == #"{"v":{"w":[\#(test.json)]}}"#)
    }

    @Test func parsedJSONRoundTrips() throws {
        let text =
            #"{"a":[true,false,0,1,2.5,-3,"x",null,[],{}],"b":{"c":{"d":"\u00e9"}},"e":[9]}"#
        let parsed = try JSONSerialization.jsonObject(with: Data(text.utf8))
        let parameters = try #require(parsed as? [String: Any])
        #expect(
            try ParameterText.json(parameters)
                == #"{"a":[true,false,0,1,2.5,-3,"x",null,[],{}],"b":{"c":{"d":"é"}},"e":[9]}"#)
        #expect(
            try ParameterText.query(parameters)
                .hasSuffix("&b%5Bc%5D%5Bd%5D=%C3%A9&e%5B%5D=9"))
    }

    static let nilValues: [@Sendable () -> Any] = [
        { String?.none as Any }, { Int??.none as Any }, { Int??.some(nil) as Any },
        { Any?.none as Any }, { Any?.some(Int?.none as Any) as Any },
        { Any???.some(.some(nil)) as Any }, { Level?.none as Any }, { [Int]?.none as Any },
    ]

    @Test(arguments: nilValues.indices) func nilDropsItsKeyAtEachLevel(_ index: Int) throws {
        let none = Self.nilValues[index]()
        let parameters: [String: Any] = [
            "a": none, "b": ["c": none, "d": 1], "e": [none, 2, none], "f": ["g": ["h": [none]]],
        ]
        #expect(try ParameterText.query(parameters) == "b%5Bd%5D=1&e%5B%5D=2")
        #expect(try ParameterText.query(["a": none]).isEmpty)
        #expect(
            try ParameterText.json(parameters) == #"{"b":{"d":1},"e":[2],"f":{"g":{"h":[]}}}"#)
        #expect(try ParameterText.json(["a": none]) == "{}")
    }

    /// 64 levels are read. A type may contain itself without an end.
    @Test func deeplyWrappedValuesAreRefused() throws {
        struct Wrapper: RawRepresentable {
            let rawValue: Any
        }
        for wrap: (Any) -> Any in [{ Optional($0) as Any }, { Wrapper(rawValue: $0) }] {
            // Swift unwraps a number at any depth, but not a Boolean.
            let deep = (0..<63).reduce(true as Any) { value, _ in wrap(value) }
            #expect(try ParameterText.json(["a": deep]) == #"{"a":true}"#)
            #expect(throws: ServiceError.self) { try ParameterText.json(["a": wrap(deep)]) }
        }
    }

    @Test func collectionsOfOtherStaticTypesAreWritten() throws {
        #expect(try ParameterText.query(["a": Codes(rawValue: ["k": [1]])]) == "a%5Bk%5D%5B%5D=1")
        let hashable: [AnyHashable: Any] = ["k": AnyHashable([1, 2])]
        #expect(try ParameterText.json(["a": hashable]) == #"{"a":{"k":[1,2]}}"#)
        #expect(try ParameterText.json(["a": ["k": ["l": UInt8(1)]]]) == #"{"a":{"k":{"l":1}}}"#)
        #expect(try ParameterText.query(["a": AnyHashable(["k": 1])]) == "a%5Bk%5D=1")
    }
}
