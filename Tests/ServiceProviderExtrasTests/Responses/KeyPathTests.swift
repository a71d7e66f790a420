// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Values at a key path inside the body.
@Suite(.serialized, .opensFiles, .timeLimit) struct KeyPathTests {
    let server: LoopbackServer
    let provider = ServiceProvider<TestService>()

    init() throws { server = try LoopbackServer() }

    struct Case: CustomTestStringConvertible, Sendable {
        let path: String
        let body: String
        let id: Int?

        var testDescription: String { "\(path) in \(body)" }
    }

    static let found = [
        Case(path: "", body: #"{"id": 1}"#, id: 1),
        Case(path: "data", body: #"{"data": {"id": 1}}"#, id: 1),
        Case(path: "a.b.c", body: #"{"a": {"x": 0, "b": {"c": {"id": 1}}}}"#, id: 1),
        Case(path: "0", body: #"[{"id": 1}]"#, id: 1),
        Case(path: "1", body: #"[{"id": 1}, {"id": 2}]"#, id: 2),
        Case(path: "r.3", body: #"{"r": [null, 1, ["x", {}], {"id": 4}]}"#, id: 4),
        Case(path: "0.1.a", body: #"[[null, {"a": {"id": 5}}]]"#, id: 5),
        Case(path: "r.0", body: #"{"r": {"0": {"id": 6}}}"#, id: 6),
        Case(path: "r.+1", body: #"{"r": {"+1": {"id": 7}}}"#, id: 7),
        Case(path: "r.-1", body: #"{"r": {"-1": {"id": 8}}}"#, id: 8),
        Case(path: "größe.日", body: #"{"größe": {"日": {"id": 9}}}"#, id: 9),
        Case(path: "a.\u{301}b", body: "{\"a\": {\"\u{301}b\": {\"id\": 11}}}", id: 11),
        Case(path: "a.a.a", body: #"{"a": {"a": {"a": {"id": 10}}}}"#, id: 10),
    ]

    @Test(arguments: found) func valuesAreDecodedAtAKeyPath(_ test: Case) async throws {
        let service = server.responding(.json(test.body))
        let hero = try await provider.decoding(at: test.path).load(
            service: service, decodeType: Hero.self)
        #expect(hero.id == test.id)
    }

    static let optionals =
        found + [
            Case(path: "data", body: "{}", id: nil),
            Case(path: "data", body: #"{"data": null}"#, id: nil),
            Case(path: "data.hero", body: #"{"data": {}}"#, id: nil),
            Case(path: "r.0", body: #"{"r": []}"#, id: nil),
            Case(path: "r.2", body: #"{"r": [1, 2]}"#, id: nil),
            Case(path: "r.99999999999999999", body: #"{"r": [1, 2]}"#, id: nil),
            Case(path: "r.0", body: #"{"r": [null]}"#, id: nil),
            Case(path: "data", body: "", id: nil),
        ]

    @Test(arguments: optionals) func optionalsMayBeMissing(_ test: Case) async throws {
        let service = server.responding(.json(test.body))
        let hero = try await provider.decoding(at: test.path).load(
            service: service, decodeType: Hero?.self)
        #expect(hero?.id == test.id)
    }

    /// The path, the body, and the text after "Decoding 'Hero' failed". The path is the developer's, so it's shown.
    static let lost = [
        ("data.results", #"{"data": {}}"#, " at 'data.results': the value is missing."),
        ("data", "{}", " at 'data': the value is missing."),
        ("a.b.c", #"{"a": {"b": {}}}"#, " at 'a.b.c': the value is missing."),
        ("a.b.c", #"{"a": {}}"#, " at 'a.b': the value is missing."),
        ("r.2", #"{"r": [1, 2]}"#, " at 'r.2': the value is missing."),
        ("r.-1", #"{"r": [1, 2]}"#, " at 'r': expected an object but found an array."),
        ("r.+1", #"{"r": [1, 2]}"#, " at 'r': expected an object but found an array."),
        ("r.-0", #"{"r": [1, 2]}"#, " at 'r': expected an object but found an array."),
        ("r.x", #"{"r": [1, 2]}"#, " at 'r': expected an object but found an array."),
        ("a.b", #"{"a": 7}"#, " at 'a': expected an object but found a number."),
        ("a.0", #"{"a": 7}"#, " at 'a': expected an object but found a number."),
        ("a.b", #"{"a": null}"#, " at 'a': expected an object but found null."),
        ("a", #"{"a": null}"#, " at 'a': expected an object but found null."),
        (
            "r.1", #"{"r": [{"id": 1}, {"id": "x"}]}"#,
            " at 'r[1].id': expected 'Int' but found a string."
        ),
        ("a.b", #"{"a": {"b": {"name": "x"}}}"#, " at 'a.b.id': the value is missing."),
        ("a", "[", ": the body was cut off."),
        ("a", "<html>", ": the body isn't JSON, but HTML."),
    ]

    @Test(arguments: lost)
    func errorsNameTheKeyPathAndTheType(path: String, body: String, text: String) async throws {
        let service = server.responding(.json(body))
        let error = try await failure {
            _ = try await provider.decoding(at: path).load(service: service, decodeType: Hero.self)
        }
        #expect(error.description.contains("Decoding 'Hero' failed" + text), "\(error)")
        #expect(error.response?.data == Data(body.utf8))
    }

    /// Everything before the last key must exist.
    @Test(arguments: ["a.b.c", "x.b", "a.b"])
    func optionalsNeedAllKeysBeforeTheLast(path: String) async throws {
        let service = server.responding(.json(#"{"a": null}"#))
        let error = try await failure {
            _ = try await provider.decoding(at: path).load(service: service, decodeType: Hero?.self)
        }
        guard case .decoding(_, _, as: "Optional<Hero>") = error else {
            Issue.record(error)
            return
        }
    }

    @Test func keyPathsCanBeCombined() async throws {
        let service = server.responding(.json(#"{"a": {"b": {"c": [{"id": 3}]}}}"#))
        let inner = provider.decoding(at: "a").decoding(at: "b").decoding(at: "c.0")
        #expect(try await inner.load(service: service, decodeType: Hero.self).id == 3)
    }

    /// As deep as `JSONDecoder` allows.
    @Test func keyPathsCanBeLong() async throws {
        let depth = 500
        let body =
            String(repeating: #"{"a":"#, count: depth) + "7" + String(repeating: "}", count: depth)
        let provider = provider.decoding(
            at: Array(repeating: "a", count: depth).joined(separator: "."))
        let service = server.responding(.json(body))
        #expect(try await provider.load(service: service, decodeType: Int.self) == 7)
    }
}
