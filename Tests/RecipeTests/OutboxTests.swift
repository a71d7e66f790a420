// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import TestTraits
import Testing

/// Writes that survive a lost network and the end of the process.
@Suite(.serialized, .opensFiles, .timeLimit) struct OutboxTests {
    private let folder: TemporaryFolder
    private let refused = Locked<[String]>([])

    init() throws { folder = try TemporaryFolder() }

    private func outbox() throws -> Outbox {
        try Outbox(folder: folder.url, provider: ServiceProvider()) { [refused] letter, error in
            refused {
                $0.append(
                    "\(String(decoding: letter.content, as: UTF8.self)) \(error.statusCode ?? 0)")
            }
        }
    }

    private func letter(_ text: String, to server: LoopbackServer, path: String = "/a") -> Letter {
        Letter(baseURL: server.baseURL, path: path, content: Data(text.utf8))
    }

    private func bodies(_ server: LoopbackServer) -> [String] {
        server.requests.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @Test func lettersAreSentInOrder() async throws {
        let server = try LoopbackServer { _ in .statusCode(204) }
        let outbox = try outbox()
        for number in 1...12 { try await outbox.add(letter("\(number)", to: server)) }
        try await outbox.send()
        #expect(bodies(server) == (1...12).map(String.init))
        let keys = Set(server.requests.compactMap { $0.header("Idempotency-Key") })
        #expect(keys.count == 12)
        #expect(server.requests.allSatisfy { $0.header("Content-Type") == "application/json" })
        try await outbox.send()
        #expect(server.requests.count == 12)
    }

    /// The second attempt has the same key, also in a new outbox of the same folder.
    @Test func aFailureKeepsTheLetterAndThoseBehindIt() async throws {
        let isDown = Locked(true)
        let server = try LoopbackServer { _ in .statusCode(isDown { $0 } ? 503 : 204) }
        let first = try outbox()
        for text in ["1", "2"] { try await first.add(letter(text, to: server)) }
        let error = await #expect(throws: ServiceError.self) { try await first.send() }
        #expect(error?.statusCode == 503)
        isDown { $0 = false }
        let second = try outbox()
        try await second.add(letter("3", to: server))
        try await second.send()
        #expect(bodies(server) == ["1", "1", "2", "3"])
        let keys = server.requests.map { $0.header("Idempotency-Key") }
        #expect(keys[0] == keys[1] && Set(keys).count == 3)
        #expect(refused { $0 }.isEmpty)
    }

    @Test(arguments: [
        (400, true), (404, true), (422, true), (401, false), (407, false), (409, false),
        (421, false), (423, false), (429, false), (500, false),
    ])
    func onlyALetterThatIsRefusedForEverIsRemoved(status: Int, isRemoved: Bool) async throws {
        let server = try LoopbackServer { .statusCode($0.path == "/bad" ? status : 204) }
        let outbox = try outbox()
        try await outbox.add(letter("1", to: server, path: "/bad"))
        try await outbox.add(letter("2", to: server))
        try? await outbox.send()
        #expect(refused { $0 } == (isRemoved ? ["1 \(status)"] : []))
        #expect(bodies(server) == (isRemoved ? ["1", "2"] : ["1"]))
    }

    @Test func aLetterThatCanNotBeSentIsRefused() async throws {
        let server = try LoopbackServer { _ in .statusCode(204) }
        let outbox = try outbox()
        try await outbox.add(letter("1", to: server, path: "/../b"))
        try await outbox.add(letter("2", to: server))
        try await outbox.send()
        #expect(refused { $0 } == ["1 0"])
        #expect(bodies(server) == ["2"])
    }

    /// The first request may still run at the server when it is repeated with the same key.
    @Test func aLetterWhoseFirstRequestStillRunsIsSentAgain() async throws {
        let server = try LoopbackServer(responses: [
            .text("lost").cut(.close, afterHeaderBytes: 0), .statusCode(409), .statusCode(204),
        ])
        let outbox = try outbox()
        try await outbox.add(letter("1", to: server))
        for _ in 0..<2 { await #expect(throws: ServiceError.self) { try await outbox.send() } }
        try await outbox.send()
        #expect(bodies(server) == ["1", "1", "1"])
        #expect(Set(server.requests.map { $0.header("Idempotency-Key") }).count == 1)
        #expect(refused { $0 }.isEmpty && folder.names.isEmpty)
    }

    /// For example to a login page, whose response would count as success.
    @Test(arguments: [301, 302, 303])
    func aLetterThatBecomesAGetStays(status: Int) async throws {
        let isLoggedIn = Locked(false)
        let server = try LoopbackServer { request in
            guard request.path == "/a", !isLoggedIn({ $0 }) else { return .text("Log in") }
            return .redirect(to: "/login", statusCode: status)
        }
        let outbox = try outbox()
        try await outbox.add(letter("1", to: server))
        let error = await #expect(throws: ServiceError.self) { try await outbox.send() }
        #expect(error?.statusCode == status)
        isLoggedIn { $0 = true }
        try await outbox.send()
        #expect(server.requests.map(\.method) == ["POST", "POST"])
        #expect(bodies(server) == ["1", "1"])
    }

    @Test func aLetterFollowsARedirectWithItsBody() async throws {
        let server = try LoopbackServer {
            $0.path == "/a" ? .redirect(to: "/b", statusCode: 307) : .statusCode(204)
        }
        let outbox = try outbox()
        try await outbox.add(letter("1", to: server))
        try await outbox.send()
        #expect(server.requests.map(\.path) == ["/a", "/b"])
        #expect(bodies(server) == ["1", "1"] && folder.names.isEmpty)
    }

    /// The network is back, but the call that runs hasn't noticed it yet.
    @Test func aCallAfterAFailingOneSendsAgain() async throws {
        let gate = Gate()
        let sent = Locked(0)
        let transport = StubTransport { request in
            let number = sent { number in
                number += 1
                return number
            }
            guard number > 1 else {
                await gate.pass()
                throw URLError(.networkConnectionLost)
            }
            return try request.respond(204)
        }
        let outbox = try Outbox(folder: folder.url, provider: ServiceProvider(transport: transport))
        {
            Issue.record($1)
        }
        try await outbox.add(Letter(baseURL: "https://example.com", path: "/a", content: Data()))
        let old = Task { try await outbox.send() }
        await gate.arrivals(reach: 1)
        let calls = (0..<20).map { _ in Task { try await outbox.send() } }
        // They reach the outbox before the old call ends, or start a new one: both must succeed.
        for _ in 0..<100 { await Task.yield() }
        gate.open()
        await #expect(throws: ServiceError.self) { try await old.value }
        for call in calls { try await call.value }
        #expect(sent { $0 } == 2)
    }

    /// A call returns when its own letter was sent, also if it comes when another call ends.
    @Test func eachCallSendsItsLetterOnce() async throws {
        let sent = Locked<[String]>([])
        let transport = StubTransport { request in
            sent {
                $0.append(String(decoding: request.urlRequest.httpBody ?? Data(), as: UTF8.self))
            }
            return try request.respond(204)
        }
        let outbox = try Outbox(folder: folder.url, provider: ServiceProvider(transport: transport))
        {
            Issue.record($1)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for caller in 0..<4 {
                group.addTask {
                    for number in 0..<300 {
                        let text = "\(caller)-\(number)"
                        let letter = Letter(
                            baseURL: "https://example.com", path: "/a", content: Data(text.utf8))
                        try await outbox.add(letter)
                        try await outbox.send()
                        #expect(sent { $0.contains(text) })
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(sent { $0.count } == 1_200)
    }
}

#if os(Linux) || os(macOS)
/// Processes that are killed while they fill and empty an outbox.
@Suite(.serialized, .opensFiles, .timeLimit) struct OutboxKillTests {
    private struct Received {
        /// The number of the next letter.
        var next = 0
        /// The numbers of letters that were added.
        var added: Set<Int> = []
        /// The numbers of letters, without those whose key has come before.
        var numbers: [Int] = []
        var keys: Set<String> = []
    }

    private let folder: TemporaryFolder
    private let received = Locked(Received())

    init() throws { folder = try TemporaryFolder() }

    @Test func aFewKilledProcessesLoseNoLetter() async throws { try await kill(times: 5) }

    @Test(.slow) func killedProcessesLoseNoLetter() async throws { try await kill(times: 500) }

    /// Gives out numbers at `/next/<the number before>`, and takes letters at `/letters`.
    private func server() throws -> LoopbackServer {
        try LoopbackServer { [received] request in
            guard request.path == "/letters" else {
                return received { received in
                    _ = Int(request.path.dropFirst(6)).map { received.added.insert($0) }
                    received.next += 1
                    return .text("\(received.next)")
                }
            }
            let number = Int(String(decoding: request.body, as: UTF8.self)) ?? 0
            let key = request.header("Idempotency-Key") ?? ""
            received { received in
                if received.keys.insert(key).inserted { received.numbers.append(number) }
            }
            return .statusCode(204)
        }
    }

    private static func outbox(_ folder: URL) throws -> Outbox {
        try Outbox(folder: folder, provider: ServiceProvider()) { letter, error in
            Issue.record(error, "refused")
        }
    }

    /// Adds letters with the server's numbers, one after the other, and sends them.
    private static func run(_ baseURL: String, _ folder: URL) async throws {
        let outbox = try outbox(folder)
        let provider = ServiceProvider<TestService>()
        var last = ""
        while true {
            let service = TestService(baseURL: baseURL, path: "/next/\(last)")
            last = try await provider.text(of: service)
            let content = Data(last.utf8)
            try await outbox.add(Letter(baseURL: baseURL, path: "/letters", content: content))
            Task { try await outbox.send() }
        }
    }

    private func kill(times: Int) async throws {
        let server = try server()
        let hasEnough = { received { $0.added.count } > times / 5 }
        await runKillRounds(times, until: hasEnough) { round, latest in
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [
                    url = server.baseURL as String, path = folder.url.path as String,
                    round = round as Int, latest = latest as useconds_t
                ] in
                var random = SeededGenerator(state: UInt64(round))
                killOwnProcess(withinMicroseconds: latest, using: &random)
                try await Self.run(url, URL(fileURLWithPath: path))
            }
        }
        try await Self.outbox(folder.url).send()
        let (numbers, added) = received { ($0.numbers, $0.added) }
        #expect(numbers == numbers.sorted())
        #expect(Set(numbers).count == numbers.count)
        #expect(added.isSubset(of: numbers))
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: folder.url.path).count {
                $0.hasSuffix(".json")
            } == 0)
        #expect(added.count > times / 5)
    }
}
#endif
