// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Key paths into a body must find their value. A missing value must give an error or nil.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct KeyPathFuzz {
    @Test func randomKeyPathsAreFound() async throws {
        try await Fuzz.run("KeyPathFuzz", count: 1_500) { _, random in
            let text = random.text()
            var (value, path): (Any, [String]) = (text, [])
            for _ in 0..<random.number(6) {
                if random.oneIn(2) {
                    let index = random.number(4)
                    var list: [Any] = (0..<(index + random.number(3))).map { _ in random.text() }
                    list.insert(value, at: index)
                    (value, path) = (list, ["\(index)"] + path)
                } else {
                    let key = random.text().unicodeScalars.filter {
                        $0 != "."
                    }
                    let name = key.isEmpty ? "k" : String(String.UnicodeScalarView(key))
                    var members: [String: Any] = ["": 1, "other": random.text()]
                    members[name] = value
                    (value, path) = (members, [name] + path)
                }
            }
            let data = try JSONEncoder().encode(FuzzJSON(value))
            let provider = ServiceProvider<TestService>(transport: FuzzStub(data: data))
            let dots = path.joined(separator: random.pick([".", ".", ".."]))
            let input = "\(dots.debugDescription) in \(String(decoding: data, as: UTF8.self))"
            let found = try? await provider.decoding(at: dots)
                .load(service: TestService(), decodeType: String.self)
            let isSame = found.map { Array($0.utf8) == Array(text.utf8) } == true
            try require(isSame, "found \(found.debugDescription)", input)
            // A random key path.
            do {
                _ = try await provider.decoding(at: random.text())
                    .load(service: TestService(), decodeType: String?.self)
            } catch let error as ServiceError {
                guard case .decoding = error else { throw error }
            }
        }
    }
}
