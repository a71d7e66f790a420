// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// Settings of an encoding that change where and how parameters are written.
@Suite(.serialized, .opensFiles, .timeLimit) struct ParameterSeamTests {
    @Test(arguments: ["GET", "HEAD", "DELETE"])
    func queryOrFormIsAQueryForTheseMethods(_ method: String) throws {
        let service = TestService(
            method: ServiceMethod(rawValue: method), parameters: ["a": "b c"],
            parameterEncoding: .init(destination: .queryOrForm))
        #expect(try service.url() == "https://example.com/api?a=b%20c")
        #expect(try service.request().urlRequest.httpBody == nil)
    }

    @Test(arguments: ["POST", "PUT", "PATCH", "PURGE"])
    func queryOrFormIsAFormForOtherMethods(_ method: String) throws {
        let service = TestService(
            method: ServiceMethod(rawValue: method), parameters: ["a": "b c"],
            parameterEncoding: .init(destination: .queryOrForm))
        let request = try service.request().urlRequest
        #expect(request.url?.query == nil)
        #expect(request.httpBody == Data("a=b%20c".utf8))
        let type = request.value(forHTTPHeaderField: "Content-Type")
        #expect(type == "application/x-www-form-urlencoded")
    }

    @Test func queryOrFormIsAQueryNextToABody() throws {
        let service = TestService(
            method: .post, parameters: ["a": 1],
            parameterEncoding: .init(destination: .queryOrForm), body: .json([1]))
        #expect(try service.url().hasSuffix("?a=1"))
        #expect(try service.bodyText() == "[1]")
    }

    @Test func spacesCanBeWrittenAsPlus() throws {
        var encoding = ServiceParameterEncoding()
        encoding.writesSpaceAsPlus = true
        let parameters: [String: Any] = ["a b": "1 + 1%20", "c": ["d e": " "]]
        let text = "a+b=1+%2B+1%2520&c%5Bd+e%5D=+"
        #expect(try ParameterText.query(parameters, encoding) == text)
        #expect(try ParameterText.form(parameters, encoding) == text)
        #expect(try ParameterText.json(["a": "b c %20"], encoding) == #"{"a":"b c %20"}"#)
    }

    @Test func membersCanBeNamed() throws {
        var encoding = ServiceParameterEncoding()
        encoding.memberName = { "\($0).\($1)" }
        let parameters: [String: Any] = ["a": ["b": ["c": 1], "d": [2]]]
        #expect(try ParameterText.query(parameters, encoding) == "a.b.c=1&a.d%5B%5D=2")
        #expect(try ParameterText.json(parameters, encoding) == #"{"a":{"b":{"c":1},"d":[2]}}"#)
    }

    @Test func allParametersCanBeReplaced() throws {
        var encoding = ServiceParameterEncoding()
        encoding.replacement = { value, _ in
            guard var members = value as? [String: Any] else { return value }
            members["signature"] = "\(members.count)"
            return members
        }
        #expect(try ParameterText.query(["a": 1, "b": 2], encoding) == "a=1&b=2&signature=2")
    }
}
