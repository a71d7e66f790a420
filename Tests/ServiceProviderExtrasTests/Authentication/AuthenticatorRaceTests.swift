// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct AuthenticatorRaceTests {
    /// Tokens are numbers: 0 is refused, all others are accepted.
    private func scene(
        refresh: @escaping @Sendable (Int?) async -> Int
    ) -> (ServiceAuthenticator<Int>, ServiceProvider<TestService>) {
        let authenticator = ServiceAuthenticator(
            token: 0, authorization: { ServiceAuthorization.bearer("\($0)") },
            refresh: { await refresh($0) })
        let transport = StubTransport { request in
            let token = request.header("Authorization") ?? "Bearer 0"
            return try request.answer(token == "Bearer 0" ? 401 : 200)
        }
        return (
            authenticator, ServiceProvider(transport: transport, interceptors: [authenticator])
        )
    }

    private func yield(upTo count: Int, _ random: inout SeededGenerator) async {
        for _ in 0..<Int.random(in: 0...count, using: &random) { await Task.yield() }
    }

    @Test func aThousandRefusalsCauseOneRefresh() async throws {
        let refreshes = Locked(0)
        let (_, provider) = scene { token in
            refreshes { $0 += 1 }
            for _ in 0..<100 { await Task.yield() }
            return (token ?? 0) + 1
        }
        let ends = await withTaskGroup(of: String.self) { group in
            for _ in 0..<1_000 { group.addTask { await provider.end(of: TestService()) } }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(ends == ["200": 1_000])
        #expect(refreshes { $0 } == 1)
    }

    /// Each call is refused after the refresh of the one before has failed.
    @Test func aFailedRefreshIsNotRepeatedByCallsThatStartedBefore() async throws {
        let refreshes = Locked(0)
        let authenticator = ServiceAuthenticator<Int>(
            token: 0, authorization: { ServiceAuthorization.bearer("\($0)") },
            refresh: { _ in
                refreshes { $0 += 1 }
                throw URLError(.userAuthenticationRequired)
            })
        let gates = (0..<200).map { _ in Gate() }
        let transport = StubTransport { request in
            let number = Int(request.urlRequest.url?.lastPathComponent ?? "") ?? 0
            await gates[number].pass()
            return try request.answer(401)
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [authenticator])
        let calls = gates.indices.map { number in
            Task { await provider.end(of: TestService(path: "/\(number)")) }
        }
        for gate in gates { await gate.arrivals(reach: 1) }
        var ends: Set<String> = []
        for (gate, call) in zip(gates, calls) {
            gate.open()
            ends.insert(await call.value)
        }
        #expect(refreshes { $0 } == 1)
        #expect(ends.count == 1)
        // A later call tries again.
        _ = await provider.end(of: TestService(path: "/0"))
        #expect(refreshes { $0 } == 2)
    }

    @Test func cancellingOneCallDoesNotAffectTheOthers() async throws {
        for round in 0..<1_000 {
            var random = SeededGenerator(state: UInt64(round))
            let refreshes = Locked(0)
            let (authenticator, provider) = scene { token in
                refreshes { $0 += 1 }
                for _ in 0..<(round % 7) { await Task.yield() }
                return Task.isCancelled ? 99 : (token ?? 0) + 1
            }
            let calls = (0..<3).map { _ in Task { await provider.end(of: TestService()) } }
            await yield(upTo: 12, &random)
            calls[0].cancel()
            let end = await calls[0].value
            #expect(["200", "The request was cancelled."].contains(end))
            #expect(await calls[1].value == "200")
            #expect(await calls[2].value == "200")
            #expect(refreshes { $0 } == 1)
            #expect(authenticator.token == 1)
        }
    }

    /// In any order of events, the user's last login or logout counts.
    @Test(arguments: [nil, 7])
    func aLogoutOrLoginDuringARefreshOverridesIt(_ last: Int?) async throws {
        for round in 0..<1_000 {
            var random = SeededGenerator(state: UInt64(round))
            let (authenticator, provider) = scene { token in
                for _ in 0..<(round % 7) { await Task.yield() }
                return (token ?? 4) + 1
            }
            let calls = (0..<3).map { _ in Task { await provider.end(of: TestService()) } }
            await yield(upTo: 12, &random)
            authenticator.token = last
            for call in calls {
                let end = await call.value
                #expect(end == "200" || last == nil && end == "401")
            }
            let token = authenticator.token
            // After a logout, a call without a token may be refused, which fetches a new one.
            #expect(token == last || last == nil && token == 5)
        }
    }
}
