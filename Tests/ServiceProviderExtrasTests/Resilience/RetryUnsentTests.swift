// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// A request that has reached no server is retried, whatever its method (RFC 9110, section 9.2.2).
@Suite(.serialized, .opensFiles, .timeLimit) struct RetryUnsentTests {
    private let time = TestClock(jumps: true)

    private func provider(
        _ transport: TransportUnderTest, outside: [any ServiceInterceptor] = [],
        inside: [any ServiceInterceptor] = []
    ) -> ServiceProvider<TestService> {
        ServiceProvider(
            transport: transport.make(),
            interceptors: outside + [ServiceRetry(clock: time.clock)] + inside)
    }

    /// No server listens there. (The port of a server that has stopped may soon be another's.)
    private let refusingURL = "http://127.0.0.1:1"

    private static let unsent: [URLError.Code] = [
        .cannotConnectToHost, .cannotFindHost, .dnsLookupFailed,
    ]

    @Test(.row("T1"), arguments: TransportUnderTest.allCases, [ServiceMethod.post, .patch])
    func aRefusedRequestIsRetried(_ transport: TransportUnderTest, method: ServiceMethod)
        async throws
    {
        for url in [refusingURL, "http://unknown.invalid"] {
            let service = TestService(
                baseURL: url, method: method, body: .data(Data("pay".utf8)))
            let before = time.waits.count
            let error = try await provider(transport).failure(of: service)
            #expect(Self.unsent.contains(try #require(error.urlErrorCode)))
            #expect(time.waits.count - before == 2)
        }
    }

    /// The first two attempts find no server; the third does, and the body arrives once.
    @Test(arguments: TransportUnderTest.allCases)
    func theBodyArrivesOnce(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("paid") }
        let refused = refusingURL
        let attempts = Locked(0)
        let routing = Intercept { request, next in
            var request = request
            let isRefused = attempts { count in
                count += 1
                return count < 3
            }
            request.urlRequest.url = URL(string: isRefused ? refused : server.baseURL)
            return try await next(request)
        }
        let service = TestService(method: .post, body: .data(Data("pay".utf8)))
        let provider = provider(transport, inside: [routing])
        #expect(try await provider.load(service: service) == Data("paid".utf8))
        #expect(server.requests.map(\.body) == [Data("pay".utf8)])
    }

    /// A request that was sent isn't sent again, even if the last error says that nothing was sent.
    @Test(.row("T1"), arguments: TransportUnderTest.allCases)
    func aRequestThatWasSentIsNotRetried(_ transport: TransportUnderTest) async throws {
        let refused = refusingURL
        let server = try LoopbackServer { request in
            request.path == "/303"
                ? .redirect(to: refused + "/there", statusCode: 303) : .text("paid")
        }
        // A redirect to a server that refuses.
        let redirected = try await provider(transport).failure(
            of: server.service("/303", method: .post))
        #expect(Self.unsent.contains(try #require(redirected.urlErrorCode)))
        // After the payment, an interceptor sends a request of its own, which fails.
        let audit = Intercept { request, next in
            _ = try await next(request)
            throw URLError(.cannotConnectToHost)
        }
        let provider = provider(transport, inside: [audit])
        let failed = try await provider.failure(of: server.service("/pay", method: .post))
        #expect(failed.urlErrorCode == .cannotConnectToHost)
        #expect(server.requests.map(\.path) == ["/303", "/pay"])
        #expect(time.waits.isEmpty)
    }

    /// A server stops when it has the request. libcurl, which URLSession on Linux uses, too, connects again and is refused.
    @Test(.row("T1"), arguments: TransportUnderTest.allCases, [0, 4])
    func aLostRequestIsNotUnsent(_ transport: TransportUnderTest, size: Int) async throws {
        let server = try LoopbackServer()
        server.enqueue(.text("open"), .never)
        let provider = provider(transport)
        _ = try await provider.load(service: server.service("/open"))
        _ = try await server.arrival()
        var service = server.service("/pay", method: .post).patient
        service.body = .data(Data(count: size))
        async let failure = provider.failure(of: service)
        #expect(try await server.arrival().path == "/pay")
        server.stop()
        _ = try await failure
        #expect(time.waits.isEmpty)
    }

    /// URLSession doesn't report whether the request was sent, so it isn't retried.
    @Test(arguments: TransportUnderTest.allCases)
    func aRefusedRequestWithoutABody(_ transport: TransportUnderTest) async throws {
        _ = try await provider(transport).failure(
            of: TestService(baseURL: refusingURL, method: .post))
        #expect(time.waits.count == (transport.repeatsLostRequests ? 2 : 0))
    }

    /// A transport that asks another one, when the first is refused. The second sends the request and loses it, or the other
    /// way round.
    private struct Failover: ServiceTransport {
        let first: any ServiceTransport
        let second: any ServiceTransport
        let change: @Sendable (inout ServiceRequest) -> Void

        func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            do {
                return try await first.send(request)
            } catch {
                var request = request
                change(&request)
                return try await second.send(request)
            }
        }
    }

    @Test(.row("T1"), arguments: TransportUnderTest.allCases, [false, true])
    func aSecondTransportHasSentIt(_ transport: TransportUnderTest, isFirst: Bool) async throws {
        let server = try LoopbackServer { _ in .text("paid").cut(.close, afterHeaderBytes: 0) }
        let refused = refusingURL
        let (first, second) = isFirst ? (server.baseURL, refused) : (refused, server.baseURL)
        let failover = Failover(first: transport.make(), second: transport.make()) { request in
            request.urlRequest.url = URL(string: second)
        }
        let provider = ServiceProvider<TestService>(
            transport: failover, interceptors: [ServiceRetry(clock: time.clock)])
        let service = TestService(
            baseURL: first, method: .post, body: .data(Data("pay".utf8)))
        _ = try await provider.failure(of: service)
        #expect(server.requests.count == 1)
        #expect(time.waits.isEmpty)
    }

    @Test func theRequestMayForbidIt() async throws {
        let streaming = Intercept.changing { request in
            request.urlRequest.httpBodyStream = InputStream(data: Data("pay".utf8))
        }
        let url = refusingURL
        let service = TestService(baseURL: url, method: .post, isRepeatable: false)
        _ = try await provider(.ownSession).failure(of: service)
        let open = TestService(baseURL: url, method: .post)
        _ = try await provider(.ownSession, outside: [streaming]).failure(of: open)
        #expect(time.waits.isEmpty)
    }

    /// An error after the connection was made isn't one of these.
    @Test(arguments: TransportUnderTest.allCases)
    func aLostConnectionIsNotRetried(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("paid").cut(.close, afterBodyBytes: 1) }
        let service = server.service("/pay", method: .post)
        _ = try await provider(transport).failure(of: service)
        #expect(server.requests.count == 1)
        #expect(time.waits.isEmpty)
    }
}
