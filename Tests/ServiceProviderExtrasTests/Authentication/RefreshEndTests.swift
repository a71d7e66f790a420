// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Every refresh ends, and so do the calls that wait for it.
@Suite(.serialized, .opensFiles, .timeLimit) struct RefreshEndTests {
    private let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            .statusCode(request.header("Authorization") == "Bearer new" ? 200 : 401)
        }
    }

    private func tokens(
        refreshTimeout: TimeInterval = 60,
        refresh: @escaping @concurrent @Sendable () async throws -> Void
    ) -> ServiceAuthenticator<String> {
        ServiceAuthenticator(
            token: "old", authorization: { ServiceAuthorization.bearer($0) },
            refreshTimeout: refreshTimeout
        ) { _ in
            try await refresh()
            return "new"
        }
    }

    /// A refresh that needs a call of another provider, while the token of that one is refreshed too.
    private func tokens(
        needing other: Locked<ServiceProvider<TestService>?>, _ isCycle: Locked<Bool>,
        _ starts: Milestones
    ) -> ServiceAuthenticator<String> {
        tokens { [server] in
            guard isCycle({ $0 }) else { return }
            starts.pass()
            await starts.reach(2)
            _ = try await other { $0 }?.load(service: server.service("/login"))
        }
    }

    @Test(.row("A11")) func refreshesThatNeedEachOtherFail() async throws {
        let (isCycle, starts) = (Locked(true), Milestones())
        let first = Locked<ServiceProvider<TestService>?>(nil)
        let second = Locked<ServiceProvider<TestService>?>(nil)
        let provider = ServiceProvider<TestService>(
            interceptors: [tokens(needing: second, isCycle, starts)])
        let other = ServiceProvider<TestService>(
            interceptors: [tokens(needing: first, isCycle, starts)])
        first { $0 = provider }
        second { $0 = other }
        defer { first { $0 = nil } }
        let service = server.service("/call")
        let ends = try await within(seconds: 30) {
            async let end = provider.end(of: service)
            async let otherEnd = other.end(of: service)
            return await [end, otherEnd]
        }
        let text = "The call failed: The refreshes of several authenticators wait for each other."
        #expect(ends == [text, text])
        isCycle { $0 = false }
        #expect(await provider.end(of: service) == "200")
        #expect(await other.end(of: service) == "200")
    }

    /// The first refresh waits for the second one, and then no longer. So the second one may wait for the first one.
    @Test func aRefreshThatHasStoppedWaitingIsNoCycle() async throws {
        let (joined, left) = (server.service("/joined"), server.service("/left"))
        let first = Locked<ServiceProvider<TestService>?>(nil)
        let start = Gate()
        let second = ServiceProvider<TestService>(
            interceptors: [
                tokens {
                    await start.pass()
                    _ = try await first { $0 }?.load(service: left)
                }
            ])
        let provider = ServiceProvider<TestService>(
            interceptors: [
                tokens {
                    let waiting = Task { await second.end(of: joined) }
                    await waits(after: joined)
                    waiting.cancel()
                    _ = await waiting.value
                    start.open()
                    await waits(after: left)
                }
            ])
        first { $0 = provider }
        defer { first { $0 = nil } }
        let outer = server.service("/outer")
        try await within(seconds: 30) {
            async let other = second.end(of: outer)
            await start.arrivals(reach: 1)
            #expect(await provider.end(of: outer) == "200")
            #expect(await other == "200")
        }
    }

    /// Waits until a call's token was rejected, and the call waits for a refresh.
    private func waits(after service: TestService) async {
        while !server.requests.contains(where: { $0.path == service.path }) { await Task.yield() }
        for _ in 0..<1_000 { await Task.yield() }
    }

    @Test(.row("A12")) func aRefreshThatTakesTooLongFails() async throws {
        let (gate, starts) = (Gate(), Milestones())
        let tokens = tokens(refreshTimeout: 0.01) {
            starts.pass()
            guard starts.count == 1 else { return }
            // It doesn't end when it is cancelled.
            await Task.detached { await gate.pass() }.value
        }
        let provider = ServiceProvider<TestService>(interceptors: [tokens])
        let service = server.service("/call")
        let error = try await within(seconds: 30) { try await provider.failure(of: service) }
        #expect(error.urlErrorCode == .timedOut)
        #expect("\(error)".contains("the refresh of the token took longer than 0.01 seconds"))
        #expect(tokens.token == "old")
        gate.open()
    }

    /// With a time limit of 0, the second refresh is too late as well, so the token that arrives must be the first
    /// one's.
    @Test func aTokenThatArrivesTooLateIsKept() async throws {
        let gate = Gate()
        let tokens = tokens(refreshTimeout: 0) { await Task.detached { await gate.pass() }.value }
        let provider = ServiceProvider<TestService>(interceptors: [tokens])
        _ = try await within(seconds: 30) { [server] in
            try await provider.failure(of: server.service("/call"))
        }
        gate.open()
        try await within(seconds: 30) {
            while tokens.token == "old" { try await Task.sleep(nanoseconds: 1_000_000) }
        }
        #expect(await provider.end(of: server.service("/call")) == "200")
    }

    /// Urgent calls may wait for it, too.
    @Test func aRefreshIsUrgent() async throws {
        let priority = Locked<TaskPriority?>(nil)
        let tokens = tokens { priority { $0 = Task.currentPriority } }
        let provider = ServiceProvider<TestService>(interceptors: [tokens])
        let service = server.service("/call")
        let call = Task.detached(priority: .background) { await provider.end(of: service) }
        // Not `call.value`, which would make the call urgent.
        try await within(seconds: 60) {
            while priority({ $0 }) == nil { try await Task.sleep(nanoseconds: 1_000_000) }
        }
        #expect(priority { $0 } == .userInitiated)
        #expect(await call.value == "200")
    }
}
