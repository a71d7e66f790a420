// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

private struct Unspeakable: LocalizedError { var errorDescription: String? { "It burned." } }

private struct Filter: Encodable { var secret = "hunter2" }

/// A value that contains itself, once for each kind of container.
private final class Endless: Encodable, Sendable {
    enum Kind: CaseIterable { case keyed, unkeyed, single, nested, itself, swallowing }
    let kind: Kind
    init(_ kind: Kind) { self.kind = kind }

    func encode(to encoder: any Encoder) throws {
        var keyed = encoder.container(keyedBy: Key.self)
        switch kind {
        case .keyed: try keyed.encode(self, forKey: .loop)
        case .unkeyed: try keyed.encode([self], forKey: .loop)
        case .single:
            var single = keyed.superEncoder(forKey: .loop).singleValueContainer()
            try single.encode(self)
        case .nested:
            var nested = keyed.nestedContainer(keyedBy: Key.self, forKey: .loop)
            try nested.encode(self, forKey: .loop)
        case .itself:
            var single = encoder.singleValueContainer()
            try single.encode(self)
        case .swallowing: try? keyed.encode(self, forKey: .loop)
        }
    }
    enum Key: String, CodingKey { case loop }
}

/// Containers nested 100,000 deep that don't throw an error on their own.
private struct Chain: Encodable {
    let isKeyed: Bool
    func encode(to encoder: any Encoder) throws {
        var top = encoder.container(keyedBy: Endless.Key.self)
        var keyed = top.nestedContainer(keyedBy: Endless.Key.self, forKey: .loop)
        var list = top.nestedUnkeyedContainer(forKey: .loop)
        for _ in 0..<100_000 {
            if isKeyed {
                keyed = keyed.nestedContainer(keyedBy: Endless.Key.self, forKey: .loop)
            } else {
                list = list.nestedUnkeyedContainer()
            }
        }
        try keyed.encode(1, forKey: .loop)
        try list.encode(1)
    }
}

@Suite(.serialized, .opensFiles(0), .timeLimit) struct EncodableRefusalTests {
    private func refusal(_ value: some Encodable) throws -> String {
        let texts = try [ServiceParameterEncoding.Destination.query, .form, .json].map {
            let refusal = try #require(ParameterText.refusal(.encoding(value), $0))
            #expect(refusal.part == .parameter)
            return refusal.text
        }
        #expect(Set(texts).count == 1)
        return texts[0]
    }

    @Test func aValueWithoutKeysIsRefused() throws {
        #expect(try refusal(7) == "Invalid parameter: a 'Int' has no keys.")
        #expect(try refusal("hunter2") == "Invalid parameter: a 'String' has no keys.")
        #expect(try refusal([1]) == "Invalid parameter: a 'Array<Int>' has no keys.")
        #expect(try refusal(Date()) == "Invalid parameter: a 'Date' has no keys.")
        #expect(try refusal(0..<3) == "Invalid parameter: a 'Range<Int>' has no keys.")
    }

    @Test func theReasonOfARefusalIsTheThrownError() throws {
        struct Failing: Encodable {
            let error: any Error
            func encode(to encoder: any Encoder) throws { throw error }
        }
        let context = EncodingError.Context(
            codingPath: [Endless.Key.loop, Endless.Key.loop], debugDescription: "No such hero")
        let invalid = EncodingError.invalidValue("hunter2", context)
        #expect(
            try refusal(["a": Failing(error: invalid)])
                == "Invalid parameter: a value at 'loop.loop': No such hero.")
        #expect(try refusal(["a": Failing(error: Unspeakable())]).contains("It burned."))
        let own = ServiceError.invalidRequest(.parameter, reason: "'a' is not nice")
        #expect(try refusal(["a": Failing(error: own)]) == "Invalid parameter: 'a' is not nice.")
    }

    @Test func numbersAndDatesOutOfRangeAreRefused() throws {
        #expect(
            try refusal(["a": ["b": Double.nan]])
                == "Invalid parameter: 'a[b]' is a 'Double' that isn't finite.")
        let date = Date(timeIntervalSince1970: .infinity)
        #expect(
            try refusal(["when": date])
                == "Invalid parameter: 'when' is a 'Date' that can't be sent.")
        #expect(try refusal(["v": Decimal.nan]).hasSuffix("that can't be sent."))
    }

    @Test(arguments: Endless.Kind.allCases) private func aValueThatContainsItselfIsRefused(
        _ kind: Endless.Kind
    ) async throws {
        // Runs on a thread with a stack as small as the platform's threads have.
        let text: String? = await withCheckedContinuation { continuation in
            let thread = Thread {
                continuation.resume(returning: try? self.refusal(Endless(kind)))
            }
            thread.stackSize = (isUnderAddressSanitizer ? 4 : 1) * 512 << 10
            thread.start()
        }
        let expected = kind == .itself ? "''" : "'loop"
        let isNamed = try #require(text).hasPrefix("Invalid parameter: \(expected)")
        #expect(isNamed)
        // A long message is cut, so its end may be missing.
        #expect(kind == .swallowing || text?.hasSuffix("is nested too deep.") == true)
    }

    @Test(arguments: [true, false]) func endlesslyNestedContainersAreRefused(_ isKeyed: Bool) throws
    {
        let text = try refusal(Chain(isKeyed: isKeyed))
        #expect(text.hasPrefix("Invalid parameter: 'loop"))
        #expect(text.hasSuffix("is nested too deep."))
    }

    @Test func nestingThatAPIsUseIsSent() throws {
        final class Comment: Encodable {
            let reply: Comment?
            init(_ reply: Comment?) { self.reply = reply }
        }
        let comments = (0..<60).reduce(nil) { reply, _ in Comment(reply) }
        let json =
            String(repeating: #"{"reply":"#, count: 59) + "{}" + String(repeating: "}", count: 59)
        #expect(try ParameterText.json(.encoding(comments)) == json)
    }

    @Test func encodableValuesInADictionaryAreRefused() throws {
        let parameters: [String: Any] = ["filter": Filter()]
        for destination: ServiceParameterEncoding.Destination in [.query, .form, .json] {
            let refusal = try #require(ParameterText.refusal(parameters, destination))
            #expect(refusal.text == "Invalid parameter: 'filter' is a 'Filter' that can't be sent.")
        }
        let nested: [String: Any] = ["filter": [String: Any].encoding(7)]
        #expect(
            ParameterText.refusal(nested, .query)?.text
                == "Invalid parameter: a 'Int' has no keys.")
    }
}
