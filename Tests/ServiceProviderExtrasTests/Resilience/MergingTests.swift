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

/// Identical requests that run at the same time are sent once.
@Suite(.serialized, .opensFiles, .timeLimit) struct MergingTests {
    private let server: LoopbackServer
    private let merging = ServiceMerging()
    /// Opens before a request is sent.
    private let gate = Gate()
    private let provider: ServiceProvider<TestService>

    init() throws {
        server = try LoopbackServer { .text("\($0.path) \($0.header("Authorization") ?? "")") }
        provider = ServiceProvider(interceptors: [merging, Self.waiting(for: gate)])
    }

    private static func waiting(for gate: Gate) -> Intercept {
        Intercept { request, next in
            await gate.pass()
            try Task.checkCancellation()
            return try await next(request)
        }
    }

    private func waiting(reach count: Int) async throws {
        try await within(seconds: 60) { [merging] in
            while merging.waitingCount != count { try await Task.sleep(nanoseconds: 1_000_000) }
        }
    }

    @Test(.row("C50"), arguments: TransportUnderTest.allCases)
    func identicalRequestsAreSentOnce(_ transport: TransportUnderTest) async throws {
        let provider = transport.provider(merging, Self.waiting(for: gate))
        let service = server.service("/a")
        let calls = (0..<50).map { _ in Task { try await provider.text(of: service) } }
        try await waiting(reach: 50)
        gate.open()
        for call in calls {
            #expect(try await call.value == "/a ")
        }
        #expect(server.requests.count == 1)
        #expect(merging.waitingCount == 0)
        #expect(try await provider.text(of: service) == "/a ")
        #expect(server.requests.count == 2)
    }

    /// An authenticator outside notes redirects, which doesn't make requests different. Another token does.
    @Test func requestsOfOtherTokensAreNotMerged() async throws {
        let tokens = ServiceAuthenticator(
            token: "1", authorization: { ServiceAuthorization.bearer($0) }, refresh: { _ in "" })
        let provider = ServiceProvider<TestService>(
            interceptors: [tokens, merging, Self.waiting(for: gate)])
        let service = server.service("/a")
        let first = (0..<2).map { _ in Task { try await provider.text(of: service) } }
        try await waiting(reach: 2)
        tokens.token = "2"
        let second = Task { try await provider.text(of: service) }
        try await within(seconds: 60) { [gate] in await gate.arrivals(reach: 2) }
        gate.open()
        #expect(try await first[0].value == "/a Bearer 1")
        #expect(try await first[1].value == "/a Bearer 1")
        #expect(try await second.value == "/a Bearer 2")
        #expect(server.requests.count == 2)
    }

    static let changes: [@Sendable (inout ServiceRequest) -> Void] = [
        { $0.urlRequest.setValue("b", forHTTPHeaderField: "A") },
        { $0.urlRequest.url?.append(path: "b") },
        { $0.urlRequest.httpMethod = "HEAD" },
        { $0.urlRequest.timeoutInterval = 50 },
        { $0.validStatusCodes = [200] },
        { $0.acceptsAnyStatus = true },
        { $0.maximumBodySize = 99 },
        { $0.limitRedirects(to: 0) },
        { $0.reportProgress { _ in } },
    ]

    @Test(arguments: changes.indices)
    func differentRequestsAreSentOnTheirOwn(_ index: Int) async throws {
        var other = server.service("/a")
        other.change = Self.changes[index]
        let first = Task { [provider, server] in
            try await provider.load(service: server.service("/a"))
        }
        await gate.arrivals(reach: 1)
        let second = Task { [provider, other] in try await provider.load(service: other) }
        try await within(seconds: 60) { [gate] in await gate.arrivals(reach: 2) }
        gate.open()
        _ = try await first.value
        _ = try await second.value
        #expect(server.requests.count == 2)
    }

    @Test func headersWithOtherBytesAreNotMerged() async throws {
        let calls = ["ren\u{E9}", "rene\u{301}"].map { user in
            var service = server.service("/a")
            service.headers = ["X-User": user]
            return Task { [provider, service] in try await provider.load(service: service) }
        }
        try await waiting(reach: 2)
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(server.requests.count == 2)
    }

    @Test func postsAreSentOnTheirOwn() async throws {
        let service = server.service("/a", method: .post)
        let calls = (0..<2).map { _ in
            Task { [provider] in try await provider.load(service: service) }
        }
        try await within(seconds: 60) { [gate] in await gate.arrivals(reach: 2) }
        gate.open()
        for call in calls { _ = try await call.value }
        #expect(server.requests.count == 2)
    }

    /// A list that is loaded after a POST has the new item, although an older load still runs.
    @Test(arguments: [ServiceMethod.post, .put, .delete, .patch], [204, 500])
    func aCallAfterAChangeIsSentOnItsOwn(method: ServiceMethod, status: Int) async throws {
        let items = Locked(1)
        let server = try LoopbackServer { request in
            guard request.method == "GET" else {
                items { $0 += 1 }
                return .statusCode(status)
            }
            return .text("\(items { $0 })")
        }
        let gate = Gate()
        // The first response has been read, and arrives late.
        let late = Intercept { request, next in
            let response = try await next(request)
            if response.data == Data("1".utf8) { await gate.pass() }
            return response
        }
        let provider = ServiceProvider<TestService>(interceptors: [merging, late])
        let list = server.service("/items")
        let old = Task { try await provider.text(of: list) }
        await gate.arrivals(reach: 1)
        _ = await provider.end(of: server.service("/items", method: method))
        let new = try await within(seconds: 60) { try await provider.text(of: list) }
        #expect(new == "2")
        gate.open()
        #expect(try await old.value == "1")
        #expect(try await provider.text(of: list) == "2")
    }

    /// An option that is set after a log or an authenticator counts, too.
    @Test func aRedirectLimitBehindALogIsKept() async throws {
        let server = try LoopbackServer {
            $0.path == "/a" ? .redirect(to: "/b", statusCode: 302) : .text("there")
        }
        let limiting = Intercept { request, next in
            var request = request
            request.limitRedirects(to: 0)
            return try await next(request)
        }
        let log = ServiceLog { _ in }
        let limited = ServiceProvider<TestService>(
            interceptors: [log, limiting, merging, Self.waiting(for: gate)])
        let plain = ServiceProvider<TestService>(
            interceptors: [log, merging, Self.waiting(for: gate)])
        let service = server.service("/a")
        let first = Task { await plain.end(of: service) }
        await gate.arrivals(reach: 1)
        let second = Task { await limited.end(of: service) }
        try await within(seconds: 60) { [gate] in await gate.arrivals(reach: 2) }
        gate.open()
        #expect(await first.value == "200")
        #expect(await second.value == "302")
    }

    /// The attempts of a call are its own.
    @Test func aMergedCallHasItsOwnAttempt() async throws {
        let arrivals = Locked(0)
        let failing = Intercept { request, next in
            let number = arrivals { number in
                number += 1
                return number
            }
            guard number > 1 else { throw URLError(.networkConnectionLost) }
            return try await next(request)
        }
        let retry = ServiceRetry(clock: TestClock(jumps: true).clock)
        let provider = ServiceProvider<TestService>(
            interceptors: [retry, merging, failing, Self.waiting(for: gate)])
        let service = server.service("/a")
        let first = Task { try await provider.response(service: service).request.attempt }
        await gate.arrivals(reach: 1)
        let second = Task { try await provider.response(service: service).request.attempt }
        try await waiting(reach: 2)
        gate.open()
        #expect(try await first.value == 2)
        #expect(try await second.value == 1)
    }

    @Test func aCancelledCallLeavesAtOnce() async throws {
        let service = server.service("/a")
        let first = Task { [provider] in await provider.end(of: service) }
        await gate.arrivals(reach: 1)
        let second = Task { [provider] in await provider.end(of: service) }
        try await waiting(reach: 2)
        first.cancel()
        #expect(await first.value == "The request was cancelled.")
        gate.open()
        #expect(await second.value == "200")
        #expect(server.requests.count == 1)
    }

    @Test func theLastCancelledCallCancelsTheRequest() async throws {
        let ends = Milestones()
        let observed = Intercept { request, next in
            defer { ends.pass() }
            return try await next(request)
        }
        let provider = ServiceProvider<TestService>(
            interceptors: [merging, observed, Self.waiting(for: gate)])
        let service = server.service("/a")
        let calls = (0..<2).map { _ in Task { await provider.end(of: service) } }
        try await waiting(reach: 2)
        for call in calls { call.cancel() }
        for call in calls {
            #expect(await call.value == "The request was cancelled.")
        }
        // The gate is closed, so only cancelling ends the request.
        try await within(seconds: 60) { await ends.reach(1) }
        gate.open()
        #expect(await provider.end(of: service) == "200")
        #expect(server.requests.count == 1)
    }

    /// The request that all calls have left takes a while to end, and a later one is identical.
    @Test func anAbandonedRequestDoesNotEndLaterCalls() async throws {
        let abandoned = Gate()
        let count = Locked(0)
        let ends = Milestones()
        let transport = StubTransport { [gate] request in
            let number = count { count in
                count += 1
                return count
            }
            // It doesn't end when it is cancelled.
            await Task.detached { await (number == 1 ? abandoned : gate).pass() }.value
            ends.pass()
            return try request.respond(200 + number)
        }
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [merging])
        let first = Task { await provider.end(of: TestService()) }
        await abandoned.arrivals(reach: 1)
        first.cancel()
        #expect(await first.value == "The request was cancelled.")
        let second = Task { await provider.end(of: TestService()) }
        await gate.arrivals(reach: 1)
        abandoned.open()
        await ends.reach(1)
        // Time for the first request to end.
        for _ in 0..<1_000 { await Task.yield() }
        gate.open()
        #expect(await second.value == "202")
    }

    @Test func anErrorReachesAllCalls() async throws {
        let failing = Intercept { [gate] _, _ in
            await gate.pass()
            throw URLError(.timedOut)
        }
        let provider = ServiceProvider<TestService>(interceptors: [merging, failing])
        let service = server.service("/a")
        let calls = (0..<3).map { _ in
            Task { try await provider.failure(of: service).urlErrorCode }
        }
        try await waiting(reach: 3)
        gate.open()
        for call in calls {
            #expect(try await call.value == .timedOut)
        }
        #expect(gate.arrivals == 1)
    }

    /// The request of a refresh can be the same as one that waits for the refresh.
    @Test func theRequestOfARefreshDoesNotWaitForItself() async throws {
        let inner = Locked<ServiceProvider<TestService>?>(nil)
        let service = server.service("/a")
        let tokens = ServiceAuthenticator<String>(
            token: nil, authorization: { ServiceAuthorization.bearer($0) },
            isRejected: { $0.text == "/a " }
        ) { _ in
            _ = try await inner { $0 }?.load(service: service)
            return "new"
        }
        let provider = ServiceProvider<TestService>(interceptors: [merging, tokens])
        inner { $0 = provider }
        defer { inner { $0 = nil } }
        let text = try await within(seconds: 30) { try await provider.text(of: service) }
        #expect(text == "/a Bearer new")
    }

    /// The request of a refresh can be the same as another one that waits for the refresh.
    @Test func theRequestOfARefreshDoesNotWaitForOthersThatWaitForIt() async throws {
        let inner = Locked<ServiceProvider<TestService>?>(nil)
        let services = ["/a", "/b"].map { server.service($0) }
        let tokens = ServiceAuthenticator<String>(
            token: nil, authorization: { ServiceAuthorization.bearer($0) },
            isRejected: { $0.text?.hasSuffix(" ") == true }
        ) { [merging] _ in
            while merging.waitingCount < 2 { await Task.yield() }
            for service in services { _ = try await inner { $0 }?.load(service: service) }
            return "new"
        }
        let provider = ServiceProvider<TestService>(interceptors: [merging, tokens])
        inner { $0 = provider }
        defer { inner { $0 = nil } }
        let calls = services.map { service in Task { try await provider.text(of: service) } }
        let texts = try await within(seconds: 30) {
            [try await calls[0].value, try await calls[1].value]
        }
        #expect(texts == ["/a Bearer new", "/b Bearer new"])
    }

    @Test func theRequestOfAnInnerInterceptorDoesNotWaitForItself() async throws {
        let inner = Locked<ServiceProvider<TestService>?>(nil)
        let service = server.service("/a")
        let isFirst = Locked(true)
        let asking = Intercept { request, next in
            let wasFirst = isFirst { isFirst in
                defer { isFirst = false }
                return isFirst
            }
            if wasFirst { _ = try await inner { $0 }?.load(service: service) }
            return try await next(request)
        }
        let provider = ServiceProvider<TestService>(interceptors: [merging, asking])
        inner { $0 = provider }
        defer { inner { $0 = nil } }
        let text = try await within(seconds: 30) { try await provider.text(of: service) }
        #expect(text == "/a ")
        #expect(server.requests.count == 2)
    }

    private struct Number: ServiceDecoder {
        let value: Int

        func decode<Value: Decodable>(_ type: Value.Type, from data: Data) throws -> Value {
            try JSONDecoder().decode(type, from: Data("\(value)".utf8))
        }
    }

    @Test func eachCallKeepsItsDecoder() async throws {
        let calls = (1...2).map { number in
            let service = TestService(baseURL: server.baseURL, decoder: Number(value: number))
            return Task { [provider] in
                try await provider.load(service: service, decodeType: Int.self)
            }
        }
        try await waiting(reach: 2)
        gate.open()
        #expect(try await calls[0].value == 1)
        #expect(try await calls[1].value == 2)
        #expect(server.requests.count == 1)
    }

    /// A log outside hides the secrets of its own call, and those that an inner interceptor has named.
    @Test func eachCallKeepsItsSecretNames() async throws {
        let calls = ["mine", "yours"].map { name in
            let service = TestService(baseURL: server.baseURL, secretNames: [name])
            return Task { [provider] in try await provider.response(service: service).request }
        }
        try await waiting(reach: 2)
        gate.open()
        #expect(try await calls[0].value.secretNames.contains("mine"))
        #expect(try await calls[1].value.secretNames.contains("yours"))
        #expect(server.requests.count == 1)
    }
}
