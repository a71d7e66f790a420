// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct InterceptorTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            switch request.path {
            case "/never": .never
            case "/missing": .text("missing", statusCode: 404)
            case "/moved": .redirect(to: "/there")
            default: .text(request.header("X-Trace") ?? "none")
            }
        }
    }

    /// Appends its name to the request's `X-Trace` header, and logs requests and responses.
    private func tracing(_ name: String, _ log: Locked<[String]>) -> Intercept {
        Intercept { request, next in
            log { $0.append("\(name) out") }
            var request = request
            let trace = request.urlRequest.value(forHTTPHeaderField: "X-Trace") ?? ""
            try request.setHeader("X-Trace", to: trace + name)
            let response = try await next(request)
            log { $0.append("\(name) back \(response.statusCode)") }
            return response
        }
    }

    private static func response(
        to request: ServiceRequest, _ text: String, status: Int = 200
    ) throws -> ServiceResponse {
        ServiceResponse(request: request, statusCode: status, data: Data(text.utf8))
    }

    /// Redirects are followed below the interceptors, so they see only the final response.
    @Test(arguments: TransportUnderTest.allCases)
    func interceptorsSeeTheResponseAfterRedirects(_ transport: TransportUnderTest) async throws {
        let log = Locked<[String]>([])
        let provider = transport.provider(tracing("a", log))
        #expect(try await provider.load(service: server.service("/moved")) == Data("a".utf8))
        #expect(log { $0 } == ["a out", "a back 200"])
        #expect(server.requests.map(\.path) == ["/moved", "/there"])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func theStatusIsCheckedAfterAllInterceptors(_ transport: TransportUnderTest) async throws {
        let seen = Locked<[Int]>([])
        let watching = Intercept { request, next in
            let response = try await next(request)
            seen { $0.append(response.statusCode) }
            return response
        }
        let turning = Intercept { request, next in
            let response = try await next(request)
            let isMissing = response.statusCode == 404
            return try Self.response(to: request, "turned", status: isMissing ? 200 : 500)
        }
        let service = server.service("/missing")
        let error = try await transport.provider(watching).failure(of: service)
        #expect(error.unacceptableStatus == 404)
        #expect(error.response?.data == Data("missing".utf8))
        let provider = transport.provider(watching, turning, watching)
        #expect(try await provider.load(service: service) == Data("turned".utf8))
        #expect(seen { $0 } == [404, 404, 200])
        let turned = try await provider.failure(of: server.service())
        #expect(turned.unacceptableStatus == 500)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func interceptorErrorsAreKept(_ transport: TransportUnderTest) async throws {
        struct Own: Error {}
        func failure(throwing thrown: any Error) async throws -> ServiceError {
            let provider = transport.provider(Intercept { _, _ in throw thrown })
            return try await provider.failure(of: server.service())
        }
        let invalid = ServiceError.invalidRequest(.header, reason: "no token")
        #expect(try await failure(throwing: invalid).invalidPart == .header)
        let lost = try await failure(throwing: URLError(.networkConnectionLost))
        #expect(lost.urlErrorCode == .networkConnectionLost)
        for thrown: any Error in [
            CancellationError(), URLError(.cancelled), ServiceError.cancelled,
        ] {
            let error = try await failure(throwing: thrown)
            guard case .cancelled = error else {
                Issue.record(error)
                continue
            }
        }
        guard case .interceptor(let error) = try await failure(throwing: Own()) else {
            Issue.record("Not an interceptor's error.")
            return
        }
        #expect(error is Own)
        #expect(server.isUntouched)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func interceptorsCanCatchTransportErrors(_ transport: TransportUnderTest) async throws {
        let catching = Intercept { request, next in
            do {
                return try await next(request)
            } catch let error as URLError where error.code == .cannotConnectToHost {
                return try Self.response(to: request, "fallback")
            }
        }
        let service = TestService(baseURL: "http://127.0.0.1:1")
        let data = try await transport.provider(catching).load(service: service)
        #expect(data == Data("fallback".utf8))
    }

    @Test(arguments: TransportUnderTest.allCases)
    func cancellingInsideAnInterceptorEndsTheCall(_ transport: TransportUnderTest) async throws {
        let isInside = AsyncStream<Void>.makeStream()
        let waiting = Intercept { request, next in
            isInside.continuation.yield()
            try await Task.sleep(nanoseconds: 600_000_000_000)
            return try await next(request)
        }
        let provider = transport.provider(waiting)
        let service = server.service()
        let task = Task { await provider.outcome(of: service) }
        var entered = isInside.stream.makeAsyncIterator()
        _ = await entered.next()
        task.cancel()
        #expect(await task.value.isCancelled)
        #expect(server.isUntouched)
    }
}
