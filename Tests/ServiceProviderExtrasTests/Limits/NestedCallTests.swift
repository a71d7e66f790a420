// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Calls that other calls wait for don't wait for a place in a limit of one call.
@Suite(.serialized, .opensFiles(0), .timeLimit) struct NestedCallTests {
    private let limit = ServiceConcurrencyLimit(1)
    /// Opens before the inner request is sent.
    private let gate = Gate()
    private let sent = Milestones()
    /// The provider of the inner request.
    private let inner = Locked<ServiceProvider<TestService>?>(nil)

    private func waitingForATurn() async throws {
        try await within(seconds: 60) { [limit] in
            while limit.waitingCount == 0 { try await Task.sleep(nanoseconds: 1_000_000) }
        }
    }

    /// The call that starts the refresh has the place and is cancelled, or is a call of a provider without the limit.
    @Test(arguments: [true, false])
    func aRefreshDoesNotWait(_ isCancelled: Bool) async throws {
        let tokens = ServiceAuthenticator(token: "old", authorization: ServiceAuthorization.bearer)
        { [gate, inner] _ in
            await gate.pass()
            let provider = try #require(inner { $0 })
            let token = try await provider.load(service: TestService(path: "/token"))
            return String(decoding: token, as: UTF8.self)
        }
        let transport = StubTransport { [sent] request in
            let isToken = request.urlRequest.url?.lastPathComponent == "token"
            let isNew = request.header("Authorization") == "Bearer new"
            if !isToken { sent.pass() }
            return try request.respond(isToken || isNew ? 200 : 401, data: Data("new".utf8))
        }
        let limited = ServiceProvider<TestService>(
            transport: transport, interceptors: [limit, tokens])
        let free = ServiceProvider<TestService>(transport: transport, interceptors: [tokens])
        inner { $0 = limited }
        defer { inner { $0 = nil } }
        let first = Task {
            try await (isCancelled ? limited : free).load(service: TestService(path: "/first"))
        }
        await gate.arrivals(reach: 1)
        let second = Task { try await limited.load(service: TestService(path: "/second")) }
        if isCancelled {
            try await waitingForATurn()
            first.cancel()
        }
        // Now the second call has the place, and waits for the refresh.
        await sent.reach(2)
        gate.open()
        _ = try await within(seconds: 60) { try await second.value }
        _ = await first.result
    }

    /// A call starts a task that outlives it, in a refresh or in an inner interceptor. The task's request waits like others.
    @Test(arguments: [true, false])
    func aTaskThatOutlivesItsCallWaits(_ isInRefresh: Bool) async throws {
        let (isOver, blocker) = (Gate(), Gate())
        let left = Locked<Task<Void, Never>?>(nil)
        let leave: @Sendable () -> Void = { [inner] in
            let task = Task {
                await isOver.pass()
                _ = try? await inner { $0 }?.load(service: TestService(path: "/left"))
            }
            left { $0 = task }
        }
        let transport = StubTransport { request in
            if request.urlRequest.url?.lastPathComponent == "blocker" { await blocker.pass() }
            return try request.respond(request.header("Authorization") == "Bearer old" ? 401 : 200)
        }
        let starting = Intercept { request, next in
            if left({ $0 }) == nil { leave() }
            return try await next(request)
        }
        let tokens = ServiceAuthenticator(token: "old", authorization: ServiceAuthorization.bearer)
        { _ in
            leave()
            return "new"
        }
        let limited = ServiceProvider<TestService>(transport: transport, interceptors: [limit])
        inner { $0 = limited }
        defer { inner { $0 = nil } }
        let first = ServiceProvider<TestService>(
            transport: transport, interceptors: isInRefresh ? [tokens] : [limit, starting])
        _ = try await first.load(service: TestService(path: "/first"))
        let second = Task { try await limited.load(service: TestService(path: "/blocker")) }
        await blocker.arrivals(reach: 1)
        isOver.open()
        try await waitingForATurn()
        blocker.open()
        _ = try await second.value
        await left { $0 }?.value
        #expect(limit.waitingCount == 0)
    }
}
