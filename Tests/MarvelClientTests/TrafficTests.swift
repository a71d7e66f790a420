// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

@testable import MarvelClient

/// What is told of the traffic, and what becomes of it.
@Suite struct TrafficTests {
    private let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("TrafficTests-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// What a command says on standard output, and what beside that.
    private func run(
        _ arguments: String..., environment: [String: String] = [:]
    ) async throws -> (text: String, told: [String]) {
        let told = Told()
        var program = Program(environment: environment, width: 80) { told.append($0) }
        // No time passes, also where a busy machine takes minutes.
        program.clock.now = { Date(timeIntervalSince1970: 0) }
        program.clock.sleep = { _ in }
        let text = try await program.output(of: try Command(arguments))
        return (text, told.all)
    }

    private final class Told: @unchecked Sendable {
        // Unchecked, because the compiler cannot see that `lines` is used under `lock` only.
        private let lock = NSLock()
        private var lines: [String] = []

        var all: [String] { lock.withLock { lines } }

        func append(_ line: String) { lock.withLock { lines.append(line) } }
    }

    @Test func nothingIsToldUnlessAskedFor() async throws {
        #expect(try await run("--limit", "1").told == [])
    }

    @Test func aLogHasOneEntryForACall() async throws {
        let (text, told) = try await run("--limit", "1", "--verbose")
        #expect(text.contains("1 to 1 of 87"))
        let entry = try #require(told.first)
        #expect(told.count == 1)
        #expect(entry.contains("apikey=***&hash=***&limit=1&ts=***"))
        #expect(entry.contains("→ 200 in "))
        #expect(!entry.contains("sample-"))
    }

    @Test func aCURLLineForEachRequest() async throws {
        let told = try await run("--all", "--limit", "50", "--curl").told
        #expect(told.count == 2)
        #expect(told.allSatisfy { $0.hasPrefix("curl --url 'http://127.0.0.1:") })
        #expect(told.allSatisfy { $0.contains("apikey=***") && !$0.contains("sample-") })
    }

    @Test func whatIsRecordedIsReplayed() async throws {
        let file = folder.appendingPathComponent("a.har").path
        defer { try? FileManager.default.removeItem(at: folder) }
        let recorded = try await run("--all", "--limit", "50", "--record", file).text
        #expect(try await run("--all", "--limit", "50", "--replay", file).text == recorded)
        #expect(try String(contentsOfFile: file, encoding: .utf8).contains("sample-") == false)
        let error = await #expect(throws: (any Error).self) {
            try await run("--limit", "3", "--replay", file)
        }
        #expect("\(try #require(error))".contains("differs in: 'limit'"))
    }

    /// By then, the gateway has let up.
    @Test func whatIsTooOftenIsAskedAgain() async throws {
        let gateway = MarvelGateway(publicKey: "one", privateKey: "two")
        let refusal = gateway.refusal
        let server = try LoopbackServer { request in
            let answer = gateway.answer(method: request.method, target: request.target)
            return .data(answer.body, status: answer.status)
        }
        server.enqueue(.data(refusal.body, status: refusal.status))
        let keys = ["MARVEL_PUBLIC_KEY": "one", "MARVEL_PRIVATE_KEY": "two"]
        let (text, told) = try await run(
            "--limit", "1", "--verbose", "--base-url", server.baseURL, environment: keys)
        #expect(text.contains("1 to 1 of 87"))
        #expect(server.requests.count == 2)
        #expect(told.count == 1)
    }
}
