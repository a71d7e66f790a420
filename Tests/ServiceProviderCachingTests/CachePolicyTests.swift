// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct CachePolicyTests {
    private let clock = TestClock()

    private func provider(
        _ transport: TransportUnderTest = .ownSession, _ store: (any ServiceResponseStore)? = nil,
        _ inner: any ServiceInterceptor...
    ) -> ServiceProvider<TestService> {
        let cache: any ServiceInterceptor = ServiceCache(store: store, clock: clock.clock)
        return ServiceProvider(transport: transport.make(), interceptors: [cache] + inner)
    }

    private func resource(_ control: String) -> Resource {
        Resource(.init(headers: [("Cache-Control", control)]))
    }

    // MARK: - Policies

    /// A policy, the server's `Cache-Control`, seconds later, and how the second call ends.
    static let policies: [(ServiceCachePolicy, String, TimeInterval, String)] = [
        (.default, "max-age=60", 59, "200 fresh"),
        (.default, "max-age=60", 60, "200 revalidated"),
        (.reload, "max-age=60", 0, "200 fetched"),
        (.reload, "max-age=60, immutable", 0, "200 fetched"),
        (.reload, "max-age=60", 60, "200 fetched"),
        (.onlyIfCached, "max-age=60", 59, "200 fresh"),
        (.onlyIfCached, "max-age=60", 60, "504 fetched"),
        (.onlyIfCached, "max-age=60, stale-while-revalidate=60", 60, "504 fetched"),
        (.onlyIfCached, "max-age=60, stale-if-error=60", 60, "504 fetched"),
        (.onlyIfCached, "no-store", 0, "504 fetched"),
        (.offline, "max-age=60", 59, "200 fresh"),
        (.offline, "max-age=60", 60, "200 stale"),
        (.offline, "public", 1e6, "200 stale"),
        (.offline, "max-age=60, must-revalidate", 59, "200 fresh"),
        (.offline, "max-age=60, must-revalidate", 60, "504 fetched"),
        (.offline, "no-cache", 0, "504 fetched"),
        (.offline, "no-store", 0, "504 fetched"),
    ]

    @Test(.row("C20"), arguments: policies)
    func aPolicyDecidesWhatIsReturned(
        _ policy: ServiceCachePolicy, _ control: String, _ later: TimeInterval, _ end: String
    ) async throws {
        let (server, provider) = (try resource(control).server(), provider())
        _ = try await provider.load(service: server.service())
        clock.advance(by: later)
        var request = try provider.request(service: server.service())
        request.cachePolicy = policy
        request.validStatusCodes.insert(504)
        let response = try await provider.pipeline.send(request)
        #expect("\(response.statusCode) \(response.cacheOutcome)" == end)
        let isSent = end.hasSuffix("revalidated") || end == "200 fetched"
        #expect(server.requests.count == (isSent ? 2 : 1))
        #expect(policy != .reload || server.tags == [nil, nil])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aReloadReplacesTheStoredResponse(_ transport: TransportUnderTest) async throws {
        let (resource, provider) = (resource("max-age=60"), provider(transport))
        let server = try resource.server()
        _ = try await provider.load(service: server.service())
        resource.change { $0.text = "two" }
        #expect(try await provider.texts(of: server.service(), 1) == ["one"])
        let reloading = provider.wrapped(in: ServiceCachePolicy.reload)
        #expect(try await reloading.texts(of: server.service(), 1) == ["two"])
        #expect(try await provider.texts(of: server.service(), 1) == ["two"])
        #expect(server.requests.count == 2)
    }

    @Test(arguments: [ServiceCachePolicy.onlyIfCached, .offline])
    func localPoliciesSendNothing(_ policy: ServiceCachePolicy) async throws {
        let (server, folder) = (try resource("max-age=60").server(), try TemporaryFolder())
        let provider = provider().wrapped(in: policy)
        var partial = server.service()
        partial.headers = ["Range": "bytes=0-1"]
        let upload = server.service(method: .post)
        for service in [server.service(), server.service(method: .head), partial, upload] {
            #expect(try await provider.failure(of: service).unacceptableStatus == 504)
        }
        await #expect(throws: ServiceError.self) {
            try await provider.download(service: server.service(), to: folder.file("a"))
        }
        #expect(folder.names.isEmpty)
        #expect(server.isUntouched)
    }

    /// A retry can't help.
    @Test func aMissingResponseIsNotRetried() async throws {
        let (server, clock) = (try resource("max-age=60").server(), TestClock(jumps: true))
        let retry = ServiceRetry(maximumDelay: .infinity, clock: clock.clock)
        let provider = provider().wrapped(in: retry).wrapped(in: ServiceCachePolicy.offline)
        #expect(try await provider.failure(of: server.service()).unacceptableStatus == 504)
        #expect(clock.waits.isEmpty)
    }

    // MARK: - Stale responses

    static let windows: [(String, TimeInterval, ServiceCacheOutcome)] = [
        ("max-age=60, stale-while-revalidate=30", 59, .fresh),
        ("max-age=60, stale-while-revalidate=30", 60, .stale),
        ("max-age=60, stale-while-revalidate=30", 89, .stale),
        ("max-age=60, stale-while-revalidate=30", 90, .revalidated),
        ("max-age=60, stale-while-revalidate=x", 60, .revalidated),
        ("max-age=60, stale-while-revalidate", 60, .revalidated),
        ("max-age=60, stale-while-revalidate=30, must-revalidate", 60, .revalidated),
        ("max-age=60, stale-while-revalidate=30, no-cache", 60, .revalidated),
        ("stale-while-revalidate=30", 0, .stale),
    ]

    @Test(arguments: windows)
    func aStaleResponseIsReturnedForAWhile(
        _ control: String, _ later: TimeInterval, _ outcome: ServiceCacheOutcome
    ) async throws {
        let (server, provider) = (try resource(control).server(), provider())
        _ = try await provider.load(service: server.service())
        clock.advance(by: later)
        let response = try await provider.response(service: server.service())
        #expect(response.cacheOutcome == outcome)
        #expect(response.text == "one")
        if outcome == .stale { for _ in 0..<2 { _ = try await server.arrival() } }
    }

    /// Reports when it has stored a response.
    private actor Shelf: ServiceResponseStore {
        let stored = Milestones()
        private var responses: [String: ServiceStoredResponse] = [:]

        func response(for url: String) -> ServiceStoredResponse? { responses[url] }

        func store(_ response: ServiceStoredResponse, for url: String) {
            responses[url] = response
            stored.pass()
        }

        func removeResponse(for url: String) { responses[url] = nil }

        func removeAll() { responses = [:] }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func manyCallsRevalidateAStaleResponseOnce(_ transport: TransportUnderTest) async throws {
        let (resource, gate, shelf) = (
            resource("max-age=60, stale-while-revalidate=60"), Gate(), Shelf()
        )
        let server = try resource.server()
        let slow = Intercept { request, next in
            if request.header("If-None-Match") != nil { await gate.pass() }
            return try await next(request)
        }
        let provider = provider(transport, shelf, slow)
        _ = try await provider.load(service: server.service())
        resource.change { $0 = .init(tag: "\"2\"", text: "two", headers: $0.headers) }
        clock.advance(by: 60)
        #expect(try await provider.texts(of: server.service(), 20).allSatisfy { $0 == "one" })
        await gate.arrivals(reach: 1)
        gate.open()
        await shelf.stored.reach(2)
        let response = try await provider.response(service: server.service())
        #expect(response.text == "two")
        #expect(response.cacheOutcome == .fresh)
        #expect(server.tags == [nil, "\"1\""])
    }

    /// A revalidation is known before its task runs.
    @Test(.slow) func callsInARowStartOneRevalidation() async throws {
        let (request, count) = (try TestService().request(), sanitized(10_000))
        let sent = Locked(0)
        for _ in 0..<count {
            let (cache, gate) = (ServiceCache(clock: clock.clock), Gate())
            for _ in 0..<4 {
                _ = try await cache.intercept(request) { request in
                    sent { $0 += 1 }
                    if request.header("If-None-Match") != nil { await gate.pass() }
                    return ServiceResponse(
                        request: request, statusCode: 200,
                        headers: ["Cache-Control": "stale-while-revalidate=60", "ETag": "\"1\""])
                }
            }
            await gate.arrivals(reach: 1)
            gate.open()
        }
        #expect(sent { $0 } == 2 * count)
    }

    /// A call that has its response leaves nothing behind while a server doesn't respond.
    @Test func waitingRevalidationsAreNotCollected() async throws {
        final class Mark: Sendable {}
        enum Key: ServiceRequestOption { static var defaultValue: Mark? { nil } }

        let (server, gate) = (try resource("stale-while-revalidate=60").server(), Gate())
        let slow = Intercept { request, next in
            if request.header("If-None-Match") != nil { await gate.pass() }
            return try await next(request)
        }
        let provider = provider(.ownSession, nil, slow)
        _ = try await provider.load(service: server.service())
        _ = try await provider.load(service: server.service())
        await gate.arrivals(reach: 1)
        weak var last: Mark?
        for _ in 0..<100 {
            var request = try provider.request(service: server.service())
            let mark = Mark()
            request[Key.self] = mark
            last = mark
            #expect(try await provider.pipeline.send(request).text == "one")
        }
        #expect(last == nil)
        gate.open()
    }

    /// The call has ended when the background task sends its request.
    @Test func aBackgroundTaskReportsNoProgress() async throws {
        let (resource, shelf) = (resource("stale-while-revalidate=60"), Shelf())
        let (server, count) = (try resource.server(), Locked(0))
        let provider = provider(.ownSession, shelf)
        _ = try await provider.load(service: server.service())
        resource.change { $0 = .init(tag: "\"2\"", text: "two") }
        var request = try provider.request(service: server.service())
        request.reportProgress { _ in count { $0 += 1 } }
        let before = count { $0 }
        #expect(try await provider.pipeline.send(request).text == "one")
        await shelf.stored.reach(2)
        #expect(count { $0 } == before)
    }

    static let faults: [LoopbackResponse] = [
        .text("x").cut(.close, afterHeaderBytes: 0), .text("x").cut(.reset, afterHeaderBytes: 0),
        .text("xyz").cut(.close, afterBodyBytes: 1), .statusCode(503),
    ]

    @Test(arguments: TransportUnderTest.allCases, faults.indices)
    func aStaleResponseReplacesAnError(
        _ transport: TransportUnderTest, _ fault: Int
    ) async throws {
        let server = try resource("max-age=1, stale-if-error=60").server()
        let provider = provider(transport)
        _ = try await provider.load(service: server.service())
        clock.advance(by: 30)
        // CurlTransport resends an idempotent request if its connection was lost.
        server.enqueue(Self.faults[fault], Self.faults[fault], Self.faults[fault])
        let response = try await provider.response(service: server.service())
        #expect(response.text == "one")
        #expect(response.header("Age") == "30")
        #expect(response.cacheOutcome == .stale)
        clock.advance(by: 60)
        server.enqueue(Self.faults[fault], Self.faults[fault], Self.faults[fault])
        #expect(await !provider.outcome(of: server.service()).isSuccess)
    }

    @Test func aCancelledCallDoesNotGetAStaleResponse() async throws {
        let server = try resource("max-age=0, stale-if-error=60").server()
        let provider = provider()
        _ = try await provider.load(service: server.service())
        server.enqueue(.never)
        let call = Task { await provider.outcome(of: server.service()) }
        _ = try await server.arrival()
        _ = try await server.arrival()
        call.cancel()
        #expect(await call.value.isCancelled)
    }

    @Test func aRequestThatCannotBeSentGetsNoStaleResponse() async throws {
        let server = try resource("max-age=0, stale-if-error=60").server()
        let isBroken = Locked(false)
        let breaking = Intercept { request, next in
            if isBroken({ $0 }) { throw ServiceError.invalidRequest(.header, reason: "x") }
            return try await next(request)
        }
        let provider = provider(.ownSession, nil, breaking)
        _ = try await provider.load(service: server.service())
        isBroken { $0 = true }
        #expect(try await provider.failure(of: server.service()).invalidPart == .header)
    }
}
