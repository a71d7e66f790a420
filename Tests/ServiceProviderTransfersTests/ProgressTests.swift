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

    private func recording(_ states: Locked<[ServiceProgress]>) -> Intercept {
        Intercept.changing { $0.reportProgress { state in states { $0.append(state) } } }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func progressGrowsInBothDirections(_ transport: TransportUnderTest) async throws {
        server.enqueue(.data(noise(1_000_000)))
        var service = server.service(method: .post)
        service.body = .data(noise(500_000), contentType: "text/plain")
        let states = Locked([ServiceProgress]())
        let provider = transport.provider(recording(states))
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
    func unknownTotalsAreNil(_ transport: TransportUnderTest) async throws {
        let gzip = try #require(Data(base64Encoded: "H4sIAAAAAAAAA8tIzcnJBwCGphA2BQAAAA=="))
        let cases: [(LoopbackResponse, Int64, Int64?)] = [
            (.text("hello"), 5, 5),
            (.text("hello").chunked(), 5, nil),
            (.text("hello").untilClose(), 5, nil),
            (.data(gzip).header("Content-Encoding", "gzip"), 5, nil),
            (.statusCode(204), 0, nil),
        ]
        for (response, received, total) in cases {
            server.enqueue(response)
            let states = Locked([ServiceProgress]())
            _ = try await transport.provider(recording(states)).load(service: server.service())
            let last = states { $0.last ?? ServiceProgress() }
            #expect(last.received == received)
            #expect(last.totalToReceive == total)
            #expect(last.totalToSend == nil)
        }
    }

    /// The last state is reported before the call ends, however it ends.
    @Test(arguments: TransportUnderTest.allCases)
    func theClosureGetsTheLastStateOnTheMainActor(_ transport: TransportUnderTest) async throws {
        let responses = [
            LoopbackResponse.data(noise(300_000)),
            .data(noise(300_000)).cut(.close, afterBodyBytes: 200_000),
        ]
        for (response, expected) in zip(responses, [300_000, 200_000]) {
            for _ in 0..<20 {
                server.enqueue(response)
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
    @Test(.row("D10"), arguments: TransportUnderTest.allCases)
    func bodiesOfFailuresDoNotCount(_ transport: TransportUnderTest) async throws {
        server.enqueue(
            .text("The token has expired.", statusCode: 401), .data(noise(100_000)),
            .data(noise(5_000), statusCode: 500))
        let states = Locked([ServiceProgress]())
        let authenticator = ServiceAuthenticator(token: "old") {
            ServiceAuthorization.bearer($0)
        } refresh: { _ in
            "new"
        }
        let provider = ServiceProvider<TestService>(
            transport: transport.make(),
            interceptors: [authenticator, recording(states)])
        _ = try await provider.load(service: server.service())
        #expect(states { Set($0.map(\.totalToReceive)) } == [100_000])
        #expect(states { $0.last?.received } == 100_000)
        states { $0 = [] }
        _ = try await provider.failure(of: server.service())
        #expect(states { $0.allSatisfy { $0.received == 0 && $0.totalToReceive == nil } })
    }

    @Test(
        arguments: [
            (0, nil, nil), (5, nil, nil), (0, 10, 0), (5, 10, 0.5), (10, 10, 1),
            // An empty body is complete.
            (0, 0, 1),
            // A server that sends another length than it says.
            (20, 10, 1), (5, -1, nil), (-5, 10, 0), (Int64.max, .max, 1), (1, .max, 1.0 / 0x1p63),
        ] as [(Int64, Int64?, Double?)])
    func fractionsAreFrom0To1(_ count: Int64, _ total: Int64?, _ fraction: Double?) {
        var progress = ServiceProgress()
        progress.sent = count
        progress.totalToSend = total
        #expect(progress.fractionSent == fraction)
        #expect(progress.fractionReceived == nil)
        progress.received = count
        progress.totalToReceive = total
        #expect(progress.fractionReceived == fraction)
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
