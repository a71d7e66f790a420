// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// Parameters without their types. An array is a branch whose keys are its indices.
///
/// Stores bytes, because Swift treats canonically equivalent strings as equal.
private enum Tree: Equatable {
    case leaf([UInt8])
    case branch([[UInt8]: Tree])

    init(_ value: Any) {
        if let text = value as? String {
            self = .leaf(Array(text.utf8))
        } else if let list = value as? [Any] {
            let pairs = list.enumerated().map { (Array("\($0.offset)".utf8), Tree($0.element)) }
            self = .branch(Dictionary(uniqueKeysWithValues: pairs))
        } else {
            let pairs = (value as? [String: Any] ?? [:]).map {
                (Array($0.key.utf8), Tree($0.value))
            }
            self = .branch(Dictionary(uniqueKeysWithValues: pairs))
        }
    }

    /// The tree without empty branches, because a query can't represent them.
    var pruned: Tree? {
        guard case .branch(let branch) = self else { return self }
        let kept = branch.compactMapValues(\.pruned)
        return kept.isEmpty ? nil : .branch(kept)
    }

    mutating func insert(_ value: [UInt8], at path: ArraySlice<[UInt8]>) {
        guard let name = path.first else {
            self = .leaf(value)
            return
        }
        guard case .branch(var branch) = self else { return }
        var child = branch[name] ?? .branch([:])
        child.insert(value, at: path.dropFirst())
        branch[name] = child
        self = .branch(branch)
    }
}

@Suite(.serialized, .opensFiles, .timeLimit) struct ParameterRoundTripTests {
    private static func text(_ numbers: inout SeededGenerator, isKey: Bool) -> String {
        let length = Int.random(in: 0...6, using: &numbers)
        let limits: [UInt32] = [0x7F, 0x7F, 0xFF, 0xFFFF, 0x10FFFF]
        var scalars = String.UnicodeScalarView()
        while scalars.count < length {
            let limit = limits[Int.random(in: 0..<limits.count, using: &numbers)]
            guard let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &numbers)) else {
                continue
            }
            // Brackets in a key look like those that the encoder adds.
            if isKey, scalar == "[" || scalar == "]" { continue }
            scalars.append(scalar)
        }
        return String(scalars)
    }

    private static func tree(_ numbers: inout SeededGenerator, depth: Int) -> Any {
        let count = Int.random(in: 0...3, using: &numbers)
        switch depth == 0 ? 0 : Int.random(in: 0...3, using: &numbers) {
        case 2: return (0..<count).map { _ in tree(&numbers, depth: depth - 1) }
        case 3: return parameters(&numbers, count: count, depth: depth - 1)
        default: return text(&numbers, isKey: false)
        }
    }

    private static func parameters(
        _ numbers: inout SeededGenerator, count: Int, depth: Int
    ) -> [String: Any] {
        var parameters: [String: Any] = [:]
        for _ in 0..<count {
            parameters[text(&numbers, isKey: true)] = tree(&numbers, depth: depth)
        }
        return parameters
    }

    private static func samples(_ count: Int) -> [[String: Any]] {
        var numbers = SeededGenerator(state: 2_026)
        return (0..<count).map { _ in
            parameters(&numbers, count: Int.random(in: 0...4, using: &numbers), depth: 3)
        }
    }

    /// Decodes a percent-encoded text. Returns nil if it's malformed.
    private static func decoded(_ text: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                guard rest.count >= 2,
                    let value = UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16)
                else { return nil }
                bytes.append(value)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }

    /// Parses `a[b][0]=c&d=e` into a tree.
    private static func parse(_ query: String) -> Tree? {
        var tree = Tree.branch([:])
        for pair in query.split(separator: "&", omittingEmptySubsequences: false) {
            let sides = pair.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2, let name = decoded(sides[0]), let value = decoded(sides[1])
            else {
                return nil
            }
            let bracket = UInt8(ascii: "[")
            let parts = name.split(separator: bracket, omittingEmptySubsequences: false)
            guard let first = parts.first,
                parts.dropFirst().allSatisfy({ $0.last == UInt8(ascii: "]") })
            else { return nil }
            let path = [Array(first)] + parts.dropFirst().map { Array($0.dropLast()) }
            tree.insert(value, at: path[...])
        }
        return tree
    }

    @Test(.slow) func anyTreeOfStringsRoundTripsThroughAQuery() async throws {
        let unreserved = Set(
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~=&%".utf8)
        var sent = 0
        for (round, parameters) in Self.samples(5_000).enumerated() {
            // Swift's tasks share only a few threads, and other tests need them.
            if round % 100 == 0 { await Task.yield() }
            let query = try ParameterText.query(parameters, .init(arrays: .indexed))
            let expected = Tree(parameters).pruned
            guard let expected else {
                #expect(query.isEmpty)
                continue
            }
            sent += 1
            let isClean = query.utf8.allSatisfy(unreserved.contains)
            #expect(isClean)
            let parsed = Self.parse(query)
            #expect(parsed == expected, "\(query)")
        }
        // Most samples must produce a query, or the test would prove little.
        #expect(sent > 3_000)
    }

    @Test(.slow) func anyTreeOfStringsRoundTripsThroughJSON() throws {
        for parameters in Self.samples(2_000) {
            let body = try ParameterText.json(parameters)
            let parsed = try JSONSerialization.jsonObject(with: Data(body.utf8))
            #expect(Tree(parsed) == Tree(parameters), "\(body)")
        }
    }

    @Test func insertionOrderDoesNotChangeTheText() throws {
        for parameters in Self.samples(500) {
            // A different capacity changes the order of the keys.
            var copy = [String: Any](minimumCapacity: 1_000)
            for (key, value) in parameters.reversed() { copy[key] = value }
            #expect(try ParameterText.query(copy) == ParameterText.query(parameters))
            #expect(try ParameterText.json(copy) == ParameterText.json(parameters))
        }
    }
}
