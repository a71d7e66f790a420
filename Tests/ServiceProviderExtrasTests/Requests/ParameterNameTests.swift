// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct ParameterNameTests {
    @Test func spacesCanBeWrittenAsPlus() throws {
        let encoding = ServiceParameterEncoding(writesSpaceAsPlus: true)
        let parameters: [String: Any] = ["a b": "1 + 1%20", "c": ["d e": " "]]
        let text = "a+b=1+%2B+1%2520&c%5Bd+e%5D=+"
        #expect(try ParameterText.query(parameters, encoding) == text)
        #expect(try ParameterText.form(parameters, encoding) == text)
        #expect(try ParameterText.json(["a": "b c %20"], encoding) == #"{"a":"b c %20"}"#)
    }

    @Test func allParametersCanBeReplaced() throws {
        let style = ServiceParameterStyle { value, _ in
            guard var members = value as? [String: Any] else { return value }
            members["signature"] = "\(members.count)"
            return members
        }
        let encoding = ServiceParameterEncoding(style: style)
        #expect(try ParameterText.query(["a": 1, "b": 2], encoding) == "a=1&b=2&signature=2")
    }
}
