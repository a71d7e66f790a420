// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests how requests share the places of a transport.
@Suite(.serialized, .opensFiles, .timeLimit) struct PlacesTests {
    /// One host alone can use all places.
    @Test(.row("L16"), arguments: [2, 8, 64]) func oneHostCanUseAllPlaces(_ places: Int)
        async throws
    {
        let server = try LoopbackServer { _ in .never }
        let provider = try provider { $0.maximumTransfers = places }
        let service = server.endpoint().patient
        let calls = (0..<places + 20).map { _ in Task { await provider.code(of: service) } }
        for _ in 0..<places { _ = try await server.arrival() }
        #expect(server.connectionCount == places)
        #expect(server.requests.count == places)
        for call in calls { call.cancel() }
        for call in calls { #expect(await call.value != nil) }
    }

    /// Each host has its share of the places, even if others use all of them.
    @Test(.row("L16")) func slowResponsesOfOneHostDoNotStopCallsToOthers() async throws {
        let slow = try (0..<2).map { _ in try LoopbackServer { _ in .never } }
        let server = try LoopbackServer { _ in .text("hello") }
        let provider = try provider { $0.maximumTransfers = 8 }
        var calls: [Task<URLError.Code?, Never>] = []
        // All places, and then half of them.
        for (slow, places) in zip(slow, [8, 4]) {
            let service = slow.endpoint().patient
            calls += (0..<20).map { _ in Task { await provider.code(of: service) } }
            for _ in 0..<places { _ = try await slow.arrival() }
        }
        for _ in 0..<20 {
            let text = try await within(seconds: 60) {
                try await provider.text(of: server.endpoint().patient)
            }
            #expect(text == "hello")
        }
        #expect(slow.map(\.requests.count) == [8, 4])
        for call in calls { call.cancel() }
        for call in calls { _ = await call.value }
    }

    @Test(.row("L16", "C35")) func aHostHasNoMoreThanItsLimit() async throws {
        let servers = try (0..<2).map { _ in try LoopbackServer { _ in .never } }
        let provider = try provider { configuration in
            configuration.maximumTransfers = 64
            configuration.maximumTransfersPerHost = 3
        }
        var calls: [Task<URLError.Code?, Never>] = []
        for server in servers {
            let service = server.endpoint().patient
            calls += (0..<20).map { _ in Task { await provider.code(of: service) } }
            for _ in 0..<3 { _ = try await server.arrival() }
        }
        #expect(servers.map(\.requests.count) == [3, 3])
        for call in calls { call.cancel() }
        for call in calls { _ = await call.value }
    }

    /// One host, however its URL is written.
    @Test(arguments: ["LOCALHOST", "joe@localhost", "joe:x@LocalHost"])
    func aHostIsTheSameInAnyForm(_ authority: String) async throws {
        var configuration = CurlTransport.Configuration.forTests
        configuration.proxy = .none
        configuration.maximumTransfersPerHost = 1
        let transport = try CurlTransport(configuration: configuration)
        let provider = ServiceProvider<TestService>(transport: transport)
        let server = try LoopbackServer { _ in .never }
        let calls = ["localhost", authority].map { host in
            let service = TestService(baseURL: "http://\(host):\(server.port)").patient
            return Task { await provider.code(of: service) }
        }
        _ = try await server.arrival()
        try await within(seconds: 60) {
            while transport.statistics.waitingTransfers == 0 { await Task.yield() }
        }
        #expect(server.requests.count == 1)
        for call in calls { call.cancel() }
        for call in calls { _ = await call.value }
    }

    /// Each call ends, and gives its place to one that waits.
    @Test func callsOfSeveralHostsAllGetTheirTurn() async throws {
        let servers = try (0..<3).map { _ in try LoopbackServer { .text($0.path) } }
        let provider = try provider { $0.maximumTransfers = 4 }
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for index in 0..<300 {
                let base = servers[index % 3].baseURL
                group.addTask {
                    let service = TestService(baseURL: base, path: "/\(index)").patient
                    if index % 5 == 0 {
                        let call = Task { await provider.code(of: service) }
                        call.cancel()
                        _ = await call.value
                        return true
                    }
                    return try await provider.text(of: service) == service.path
                }
            }
            for try await isRight in group { #expect(isRight) }
        }
    }

    @Test(.row("L16")) func theWaitForAPlaceCountsTowardsTheTimeout() async throws {
        let server = try LoopbackServer { _ in .never }
        let provider = try provider { $0.maximumTransfers = 1 }
        let service = server.endpoint().patient
        let first = Task { await provider.code(of: service) }
        _ = try await server.arrival()
        var second = service
        second.timeout = 0.05
        let error = try await within(seconds: 60) { [second] in
            try await provider.failure(of: second)
        }
        #expect(error.urlErrorCode == .timedOut)
        #expect(error.description.contains("while waiting for a place"), "\(error)")
        #expect(server.requests.count == 1)
        first.cancel()
        _ = await first.value
    }
}
#endif
