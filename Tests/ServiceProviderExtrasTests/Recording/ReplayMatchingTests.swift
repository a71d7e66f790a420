// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Which entry of an archive a request gets.
@Suite struct ReplayMatchingTests {
    /// Whether a text matches a pattern, in which `***` stands for any text.
    private static func matches(_ text: Substring, _ pattern: Substring) -> Bool {
        if pattern.hasPrefix("***") {
            let isMatch = matches(text, pattern.dropFirst(3))
            return isMatch || !text.isEmpty && matches(text.dropFirst(), pattern)
        }
        guard let first = pattern.first else { return text.isEmpty }
        return text.first == first && matches(text.dropFirst(), pattern.dropFirst())
    }

    /// Each entry is used once, in order, and then the last one again. Compared with a search of the
    /// whole archive.
    @Test(arguments: 0..<50)
    func randomArchivesAreReplayedInOrder(_ seed: Int) async throws {
        var random = SeededGenerator(state: UInt64(seed))
        let (queries, bodies) = (["1", "2", "***", "1***"], [nil, "", "ab", "a***", "***a***b"])
        let entries = (0..<12).map { number in
            let body = bodies[Int.random(in: 0..<bodies.count, using: &random)]
            return (queries[Int.random(in: 0..<queries.count, using: &random)], body, "\(number)")
        }
        let har = try ReplayTests.archive(entries.map { ("https://h/?q=\($0.0)", $0.1, $0.2) })
        let provider = try ReplayTests.provider(har)
        let folder = try TemporaryFolder()
        try Data("body".utf8).write(to: folder.file("body"))
        var used: Set<Int> = []
        for _ in 0..<40 {
            let query = ["1", "2", "12"][Int.random(in: 0..<3, using: &random)]
            // Nil for a body in a file, which matches any body.
            let body = [nil, "", "ab", "aab", "b"][Int.random(in: 0..<5, using: &random)]
            let matching = entries.indices.filter { index in
                let recorded = entries[index].1 ?? "***"
                return Self.matches(query[...], entries[index].0[...])
                    && (body.map { Self.matches($0[...], recorded[...]) } ?? true)
            }
            let expected = matching.first { !used.contains($0) } ?? matching.last
            if let expected { used.insert(expected) }
            var service = TestService(baseURL: "https://h/?q=\(query)")
            service.method = .post
            service.body = .file(folder.file("body"))
            if let body { service.body = .data(Data(body.utf8), contentType: "text/plain") }
            let answer = await provider.outcome(of: service)
            let text = try? answer.get().text
            #expect(text == expected.map(String.init))
        }
    }

    /// In linear time.
    @Test(arguments: [
        ("https://h/", "https://h/", false), ("https://h/?token=***", "https://h/?token=x", false),
        ("https://h/", "https://h/", true),
    ])
    func manyEntriesOfTheSameRequestAreReplayed(
        _ recorded: String, _ sent: String, _ isInFile: Bool
    ) async throws {
        let count = sanitized(10_000)
        let har = try ReplayTests.archive((0..<count).map { (recorded, nil, "\($0)") })
        let provider = try ReplayTests.provider(har)
        var service = TestService(baseURL: sent)
        service.method = .post
        let folder = try TemporaryFolder()
        try Data("body".utf8).write(to: folder.file("body"))
        if isInFile { service.body = .file(folder.file("body")) }
        try await within(seconds: 60) { [service] in
            for number in Array(0..<count) + [count - 1] {
                let text = try await provider.response(for: service).text
                #expect(text == "\(number)")
            }
        }
    }

    /// Only the text around the `***` differs. In the order of the archive, a call compares one entry.
    @Test(arguments: [false, true])
    func manyEntriesOfSimilarRequestsAreReplayed(_ isInFile: Bool) async throws {
        let count = sanitized(3_000)
        let har = try ReplayTests.archive(
            (0..<count).map { ("https://h/", #"{"id":\#($0),"token":"***"}"#, "\($0)") })
        let provider = try ReplayTests.provider(har)
        let folder = try TemporaryFolder()
        try Data("body".utf8).write(to: folder.file("body"))
        try await within(seconds: 60) {
            for number in 0..<count {
                var service = TestService(baseURL: "https://h/")
                service.method = .post
                service.body = .file(folder.file("body"))
                let json = #"{"id":\#(number),"token":"abcdefgh"}"#
                if !isInFile { service.body = .data(Data(json.utf8), contentType: "text/json") }
                let text = try await provider.response(for: service).text
                #expect(text == "\(number)")
            }
        }
    }

    /// "é" as one character and as two.
    @Test func textsThatLookTheSameAreDifferent() async throws {
        let texts = ["caf%C3%A9", "cafe%CC%81"]
        let har = try ReplayTests.archive(
            texts.flatMap { [("https://h/?q=\($0)***", "", $0), ("https://h/?p=\($0)", "", $0)] })
        let provider = try ReplayTests.provider(har)
        for text in texts.reversed() {
            for query in ["q=\(text)x", "p=\(text)", "q=\(text)y", "p=\(text)"] {
                var service = TestService(baseURL: "https://h/?\(query)")
                service.method = .post
                #expect(try await provider.response(for: service).text == text)
            }
        }
    }

    private static let bodies: [(recorded: String, sent: String, isMatch: Bool)] = {
        func many(_ text: String, _ factor: Int = 1) -> String {
            String(repeating: text, count: factor * sanitized(100_000))
        }
        return [
            (many("a***"), many("ab"), true), (many("a***"), many("ab") + "c", true),
            (many("a***") + "c", many("ab"), false),
            ("***" + many("a") + "b***", many("a", 2), false),
            ("***" + many("a") + "b***", many("a", 2) + "bc", true),
        ]
    }()

    /// In linear time.
    @Test(arguments: bodies.indices)
    func longBodiesAreCompared(_ number: Int) async throws {
        let body = Self.bodies[number]
        let har = try ReplayTests.archive([("https://example.com/", body.recorded, "")])
        let provider = try ReplayTests.provider(har)
        var service = TestService(baseURL: "https://example.com/")
        service.method = .post
        service.body = .data(Data(body.sent.utf8), contentType: "text/plain")
        let outcome = try await within(seconds: 60) { [service] in
            await provider.outcome(of: service)
        }
        #expect(outcome.isSuccess == body.isMatch)
    }
}
