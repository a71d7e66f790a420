// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Cancels thousands of calls at random moments. Serialized, so that the storms don't slow each
/// other down.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct CancelStormTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            request.path == "/never" ? .never : .text("storm")
        }
    }

    /// When each call is cancelled, in microseconds after its start. Nil means never.
    private static func moments(of round: Int) -> [Int?] {
        var random = SeededGenerator(state: UInt64(round))
        return (0..<20).map { index in
            index % 4 == 0 ? nil : Int.random(in: 0...8_000, using: &random)
        }
    }

    private static func after(_ microseconds: Int, _ cancel: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(
            deadline: .now() + .microseconds(microseconds), execute: cancel)
    }

    @Test(.row("P10", "P11", "U1"), arguments: TransportUnderTest.allCases)
    func asyncCallsAreCancelledAtAnyMoment(_ transport: TransportUnderTest) async throws {
        let provider = transport.provider()
        let service = server.service("/storm")
        let counts = try await within(seconds: 300) {
            var counts = (succeeded: 0, cancelled: 0)
            for round in 0..<300 {
                let moments = Self.moments(of: round)
                let tasks = moments.map { moment in
                    let task = Task { await provider.outcome(of: service) }
                    if let moment { Self.after(moment) { task.cancel() } }
                    return task
                }
                for (task, moment) in zip(tasks, moments) {
                    let outcome = await task.value
                    if outcome.isCancelled, moment != nil {
                        counts.cancelled += 1
                    } else if try outcome.get().data == Data("storm".utf8) {
                        counts.succeeded += 1
                    }
                }
            }
            return counts
        }
        #expect(counts.succeeded + counts.cancelled == 6_000)
        #expect(counts.succeeded >= 1_500)
        #expect(counts.cancelled > 0)
    }

    /// The server never responds. Each call is cancelled while it starts.
    @Test(.row("P11", "U8"), arguments: TransportUnderTest.allCases)
    func callsWithoutAResponseAreCancelledAtAnyMoment(_ transport: TransportUnderTest) async throws
    {
        let provider = transport.provider()
        let service = server.service("/never")
        let others = try await within(seconds: 300) {
            var others: [String] = []
            for round in 0..<50 {
                var random = SeededGenerator(state: UInt64(round))
                let tasks = (0..<20).map { _ in
                    let task = Task { await provider.outcome(of: service) }
                    Self.after(Int.random(in: 0...1_000, using: &random)) { task.cancel() }
                    return task
                }
                for task in tasks {
                    let outcome = await task.value
                    if !outcome.isCancelled { others.append("\(outcome)") }
                }
            }
            return others
        }
        #expect(others == [])
    }

    @Test(.row("P10", "U1"), arguments: TransportUnderTest.allCases)
    func tenThousandConcurrentCallsSucceed(_ transport: TransportUnderTest) async throws {
        let provider = transport.provider()
        var service = server.service("/burst")
        // The timeout also runs while a call waits for one of the few connections to a host.
        service.timeout = 600
        let endings = Locked([Int](repeating: 0, count: 5_000))
        let count = try await within(seconds: 600) { [service] in
            let tasks = (0..<5_000).map { _ in Task { await provider.outcome(of: service) } }
            let results = (0..<5_000).map { index in
                Task {
                    await withCheckedContinuation { continuation in
                        provider.load(service: service) { result in
                            endings { $0[index] += 1 }
                            continuation.resume(returning: result.value)
                        }
                    }
                }
            }
            var count = 0
            for task in tasks { count += await task.value.isSuccess ? 1 : 0 }
            for result in results { count += await result.value == Data("storm".utf8) ? 1 : 0 }
            return count
        }
        #expect(count == 10_000)
        #expect(endings { $0.allSatisfy { $0 == 1 } })
        #expect(server.requests.count == 10_000)
    }
}
