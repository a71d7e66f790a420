// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// All calls of a provider are cancelled together.
@Suite(.serialized, .opensFiles, .timeLimit) struct RunningCallsTests {
    private let calls = ServiceRunningCalls()

    @Test(.row("C51"), arguments: TransportUnderTest.allCases)
    func allRunningCallsAreCancelled(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { $0.path == "/silent" ? .never : .text("ok") }
        let sent = Milestones()
        let counting = Intercept { request, next in
            sent.pass()
            return try await next(request)
        }
        let provider = transport.provider(calls, counting)
        let silent = server.service("/silent").patient
        let waiting = (0..<3).map { _ in Task { await provider.end(of: silent) } }
        let handler = Task { await provider.result(of: silent) }
        await sent.reach(4)
        calls.cancelAll()
        try await within(seconds: 60) {
            for call in waiting {
                #expect(await call.value == "The request was cancelled.")
            }
            #expect(await handler.value.isCancelled)
        }
        #expect(await provider.end(of: server.service("/a")) == "200")
    }

    @Test func theWaitOfARetryEnds() async throws {
        let time = TestClock()
        let transport = StubTransport { try $0.respond(503) }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [calls, ServiceRetry(clock: time.clock)])
        let call = Task { await provider.end(of: TestService()) }
        await time.waits(reach: 1)
        calls.cancelAll()
        let end = try await within(seconds: 60) { await call.value }
        #expect(end == "The request was cancelled.")
    }

    /// After a logout, no one gets a response of the user before.
    @Test func aResponseThatArrivesLaterIsNotReturned() async throws {
        let gate = Gate()
        let transport = StubTransport { request in
            // It doesn't end when it is cancelled.
            await Task.detached { await gate.pass() }.value
            return try request.respond(200)
        }
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [calls])
        let call = Task { await provider.end(of: TestService()) }
        await gate.arrivals(reach: 1)
        calls.cancelAll()
        gate.open()
        #expect(await call.value == "The request was cancelled.")
    }

    @Test func cancellingACallCancelsItsRequest() async throws {
        let (gate, isCancelled) = (Gate(), Locked(false))
        let transport = StubTransport { request in
            await gate.pass()
            isCancelled { $0 = Task.isCancelled }
            return try request.respond(200)
        }
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [calls])
        let call = Task { await provider.end(of: TestService()) }
        await gate.arrivals(reach: 1)
        call.cancel()
        #expect(await call.value == "The request was cancelled.")
        #expect(isCancelled { $0 })
    }

    private final class Decoder: ServiceDecoder {
        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            try JSONDecoder().decode(type, from: data)
        }
    }

    @Test func callsThatHaveEndedAreForgotten() async throws {
        let transport = StubTransport { try $0.respond(200) }
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [calls])
        let isForgotten = await call(provider, Decoder())
        try await within(seconds: 60) {
            while !isForgotten() { try await Task.sleep(nanoseconds: 1_000_000) }
        }
    }

    /// Runs a call, and returns whether nothing has its decoder any more.
    private func call(
        _ provider: ServiceProvider<TestService>, _ decoder: Decoder
    ) async -> @Sendable () -> Bool {
        #expect(await provider.end(of: TestService(decoder: decoder)) == "200")
        return { [weak decoder] in decoder == nil }
    }
}
