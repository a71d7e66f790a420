// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

private struct Plain: CustomStringConvertible { let description = "hunter2" }
private struct Boxed: RawRepresentable { let rawValue: Plain }
private enum Shape { case square(String) }
private final class Node {}

/// A raw value that contains itself without end.
private struct Endless: RawRepresentable {
    init() {}
    init(rawValue: Endless) {}
    var rawValue: Endless { self }
}

/// A value that can't be sent, and the type name in its error.
struct RefusedValue: Sendable, CustomTestStringConvertible {
    let type: String
    let value: @Sendable () -> Any
    var testDescription: String { type }

    init(_ type: String, _ value: @escaping @Sendable () -> Any) {
        (self.type, self.value) = (type, value)
    }
}

@Suite struct ParameterRefusalTests {
    static let values = [
        RefusedValue("Double") { Double.nan }, RefusedValue("Double") { Double.infinity },
        RefusedValue("Double") { -Double.infinity }, RefusedValue("Double") { Double.signalingNaN },
        RefusedValue("Float") { Float.nan }, RefusedValue("Float") { Float.infinity },
        RefusedValue("CGFloat") { CGFloat.nan }, RefusedValue("NSDecimal") { Decimal.nan },
        RefusedValue("Plain") { Plain() }, RefusedValue("Shape") { Shape.square("hunter2") },
        RefusedValue("Plain") { Boxed(rawValue: Plain()) }, RefusedValue("Node") { Node() },
        RefusedValue("(Int) -> String") { { (_: Int) in "hunter2" } },
        RefusedValue("(Int, String)") { (1, "hunter2") },
        RefusedValue("String.Type") { String.self },
        RefusedValue("Range<Int>") { 0..<3 },
        RefusedValue("Dictionary<Int, String>") {
            [1: "hunter2"]
        },
        RefusedValue("URLComponents") { URLComponents(string: "http://hunter2") as Any },
    ]

    @Test func aValueThatContainsItselfIsRefused() throws {
        for destination: ServiceParameterEncoding.Destination in [.query, .form, .json] {
            let refusal = try #require(ParameterText.refusal(["my key": Endless()], destination))
            #expect(refusal.text == "Invalid parameter: 'my key…' exceeds 64 levels.")
        }
    }

    @Test(arguments: values) func errorsNameKeyAndTypeOfUnsupportedValues(_ test: RefusedValue)
        throws
    {
        for destination: ServiceParameterEncoding.Destination in [.query, .form, .json] {
            let refusal = try #require(
                ParameterText.refusal(["a": 1, "my key": test.value(), "z": 2], destination))
            #expect(refusal.part == .parameter)
            #expect(refusal.text.hasPrefix("Invalid parameter: "))
            #expect(refusal.text.contains("'my key'"))
            let type = test.type == "NSDecimal" ? "\(Decimal.self)" : test.type
            #expect(refusal.text.contains("'\(type)'"))
            #expect(!refusal.text.contains("hunter2"))
        }
    }

    @Test(arguments: values) func unsupportedValuesAreFoundInNestedParameters(_ test: RefusedValue)
        throws
    {
        let parameters: [String: Any] = [
            "filter": ["list": [1, ["x": Optional(test.value()) as Any]] as [Any]]
        ]
        let query = try #require(ParameterText.refusal(parameters, .query))
        #expect(query.text.contains("'filter[list][][x]'"))
        let json = try #require(ParameterText.refusal(parameters, .json))
        #expect(json.text.contains("filter[list]"))
    }

    @Test(arguments: [Double.nan, .infinity, -.infinity])
    func boxedNaNAndInfinityAreRefused(_ number: Double) {
        for destination: ServiceParameterEncoding.Destination in [.query, .json] {
            for boxed in [NSNumber(value: number), NSDecimalNumber.notANumber] {
                #expect(ParameterText.refusal(["v": boxed], destination)?.part == .parameter)
            }
        }
    }

    #if arch(x86_64) && os(Linux)
    @Test func float80IsSentUnlessInfinite() throws {
        #expect(try ParameterText.query(["v": Float80(1.5)]) == "v=1.5")
        #expect(ParameterText.refusal(["v": Float80.infinity], .query)?.part == .parameter)
    }
    #endif
}
