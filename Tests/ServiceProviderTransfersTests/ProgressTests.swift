// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct ProgressTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer()
    }

    @Test(arguments: TransportUnderTest.allCases)
    func cancellingAPartlyReceivedBodyEndsTheCall(
        _ transport: TransportUnderTest
    ) async throws {
        server.enqueue(.text("0123456789").cut(.stall, afterBodyBytes: 4), .text("7"))
        let bytes = Milestones()
        let watching = Intercept.changing {
            $0.reportProgress { progress in if progress.received > 0 { bytes.pass() } }
        }
        let provider = transport.provider(watching)
        let service = server.service("/stall").patient
        let task = Task { await provider.outcome(of: service) }
        _ = try await server.arrival()
        try await within(seconds: 300) { await bytes.reach(1) }
        task.cancel()
        let outcome = try await within(seconds: 300) { await task.value }
        #expect(outcome.isCancelled)
        #expect(await provider.outcome(of: server.service("/next")).isSuccess)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func progressGrowsInBothDirections(_ transport: TransportUnderTest) async throws {
        server.enqueue(.data(noise(1_000_000)))
        var service = server.service(method: .post)
        service.body = .data(noise(500_000), contentType: "text/plain")
        let states = Locked([ServiceProgress]())
        let provider = transport.provider(
            Intercept.changing { $0.reportProgress { state in states { $0.append(state) } } })
        _ = try await provider.load(service: service)

        let seen = states { $0 }
        #expect(seen.last?.sent == 500_000)
        #expect(seen.last?.received == 1_000_000)
        #expect(seen.allSatisfy { $0.totalToSend == 500_000 })
        #expect(seen.last?.totalToReceive == 1_000_000)
        for (before, after) in zip(seen, seen.dropFirst()) {
            #expect(before.sent <= after.sent && before.received <= after.received)
        }
        #expect(seen.contains { $0.sent > 0 && $0.sent < 500_000 })
        #expect(seen.contains { $0.received > 0 && $0.received < 1_000_000 })
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aBodyOfOneByteIsReported(_ transport: TransportUnderTest) async throws {
        server.enqueue(.text("ok"))
        var service = server.service(method: .post)
        service.body = .data(Data([7]))
        let sent = Locked(Int64(0))
        let provider = transport.provider(
            Intercept.changing { $0.reportProgress { state in sent { $0 = state.sent } } })
        _ = try await provider.load(service: service)
        #expect(sent { $0 } == 1)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func unknownTotalsAreNil(_ transport: TransportUnderTest) async throws {
        let gzip = try #require(Data(base64Encoded: "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=="))
        let cases: [(LoopbackResponse, Int64, Int64?)] = [
            (.text("hello"), 5, 5),
            (.text("hello").chunked(), 5, nil),
            (.text("hello").untilClose(), 5, nil),
            (.data(gzip).header("Content-Encoding", "gzip"), 5, nil),
            (.status(204), 0, nil),
        ]
        for (answer, received, total) in cases {
            server.enqueue(answer)
            let last = Locked(ServiceProgress())
            let provider = transport.provider(
                Intercept.changing { $0.reportProgress { state in last { $0 = state } } })
            _ = try await provider.load(service: server.service())
            #expect(last { $0.received } == received)
            #expect(last { $0.totalToReceive } == total)
            #expect(last { $0.totalToSend } == nil)
        }
    }

    /// The last state is reported before the call ends, however it ends.
    @Test(arguments: TransportUnderTest.allCases)
    func theClosureGetsTheLastStateOnTheMainActor(_ transport: TransportUnderTest) async throws {
        let answers = [
            LoopbackResponse.data(noise(300_000)),
            .data(noise(300_000)).cut(.close, afterBodyBytes: 200_000),
        ]
        for (answer, expected) in zip(answers, [300_000, 200_000]) {
            for _ in 0..<20 {
                server.enqueue(answer)
                let states = Locked([Int64]())
                let provider = transport.provider().onProgress { state in
                    MainActor.assertIsolated()
                    states { $0.append(state.received) }
                }
                _ = try? await provider.load(service: server.service())
                let seen = states { $0 }
                #expect(seen == seen.sorted())
                #expect(seen.last.map { $0 <= expected } == true)
                if expected == 300_000 { #expect(seen.last == 300_000) }
            }
        }
    }

    /// Only the body that the call returns counts.
    @Test(arguments: TransportUnderTest.allCases)
    func bodiesOfFailuresDoNotCount(_ transport: TransportUnderTest) async throws {
        server.enqueue(
            .text("The token has expired.", status: 401), .data(noise(100_000)),
            .data(noise(5_000), status: 500))
        let states = Locked([ServiceProgress]())
        let authenticator = ServiceAuthenticator(token: "old") {
            ServiceAuthorization.bearer($0)
        } refresh: { _ in
            "new"
        }
        let provider = ServiceProvider<TestService>(
            transport: transport.make(),
            interceptors: [
                authenticator,
                Intercept.changing { $0.reportProgress { state in states { $0.append(state) } } },
            ])
        _ = try await provider.load(service: server.service())
        #expect(states { Set($0.map(\.totalToReceive)) } == [100_000])
        #expect(states { $0.last?.received } == 100_000)
        states { $0 = [] }
        _ = try await provider.failure(of: server.service())
        #expect(states { $0.allSatisfy { $0.received == 0 && $0.totalToReceive == nil } })
    }

    @Test(arguments: TransportUnderTest.allCases)
    func theLastStateIsReportedBeforeTheHandlerRuns(_ transport: TransportUnderTest) async throws {
        server.enqueue(.data(noise(300_000)))
        let seen = Locked([Int64]())
        let provider = transport.provider().onProgress { state in
            seen { $0.append(state.received) }
        }
        let last = await withCheckedContinuation { continuation in
            provider.load(service: server.service()) { _ in
                continuation.resume(returning: seen { $0.last })
            }
        }
        #expect(last == 300_000)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func progressUpdatesEndWithTheCall(_ transport: TransportUnderTest) async throws {
        for answer in [
            LoopbackResponse.data(noise(300_000)), .status(500),
            .text("").cut(.reset, afterHeaderBytes: 3),
        ] {
            server.enqueue(answer)
            let updates = ServiceProgressUpdates()
            let provider = transport.provider().reportingProgress(to: updates)
            let service = server.service()
            async let outcome = provider.outcome(of: service)
            var last: ServiceProgress?
            for await state in updates { last = state }
            if await outcome.isSuccess { #expect(last?.received == 300_000) }
        }
    }

    /// The call fails before anything is sent.
    @Test func progressUpdatesEndWithACallThatIsNotSent() async throws {
        var service = server.service()
        service.baseURL = "nowhere"
        let updates = ServiceProgressUpdates()
        async let outcome = TransportUnderTest.ownSession.provider().reportingProgress(to: updates)
            .outcome(of: service)
        for await _ in updates { Issue.record("progress of a request that wasn't sent") }
        #expect(await outcome.isSuccess == false)
    }

    /// Two closures and one more on the request all get the progress.
    @Test func listenersDoNotReplaceOneAnother() async throws {
        server.enqueue(.text("hello"))
        let counts = Locked([0, 0, 0])
        let provider = TransportUnderTest.ownSession.provider(
            Intercept.changing { request in
                request.reportProgress { state in
                    counts { $0[0] += 1 }
                }
            })
        _ = try await provider.onProgress { _ in counts { $0[1] += 1 } }
            .onProgress { _ in counts { $0[2] += 1 } }.load(service: server.service())
        #expect(counts { $0.allSatisfy { $0 > 0 } })
    }
}
