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

@Suite(.serialized, .opensFiles, .timeLimit) struct RedirectLimitTests {
    /// Creates a server that redirects from /0 to /1 and so on, up to /`end`.
    private func chain(to end: Int) throws -> LoopbackServer {
        try LoopbackServer { request in
            let step = Int(request.path.dropFirst()) ?? 0
            return step < end ? .redirect(to: "/\(step + 1)") : .text("there")
        }
    }

    @Test(.row("R12"), arguments: TransportUnderTest.allCases)
    func loopsEndAfter20Redirects(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/loop", statusCode: 307) }
        let error = try await transport.provider().failure(of: server.service("/loop"))
        #expect(error.unacceptableStatus == 307)
        #expect(error.response?.header("Location") == "/loop")
        #expect(server.requests.count == 21)
    }

    /// Otherwise 21 large bodies could fill the memory.
    @Test func eachBodyIsReleasedBeforeTheNextRedirect() async throws {
        let bodies = Locked((created: 0, kept: 0, mostKept: 0))
        let transport = StubTransport { request in
            bodies { bodies in
                bodies.created += 1
                bodies.kept += 1
                bodies.mostKept = max(bodies.mostKept, bodies.kept)
            }
            let bytes = UnsafeMutableRawPointer.allocate(byteCount: 1_000, alignment: 8)
            let body = Data(
                bytesNoCopy: bytes, count: 1_000,
                deallocator: .custom { bytes, _ in
                    bytes.deallocate()
                    bodies { $0.kept -= 1 }
                })
            return ServiceResponse(
                request: request, statusCode: 307, headers: ["Location": "/loop"], data: body)
        }
        let error = try await ServiceProvider<TestService>(transport: transport)
            .failure(of: TestService())
        #expect(error.unacceptableStatus == 307)
        #expect(bodies { $0.created } == 21)
        #expect(bodies { $0.mostKept } == 1)
    }

    @Test(.row("R12"), arguments: TransportUnderTest.allCases)
    func twentyRedirectsAreFollowed(_ transport: TransportUnderTest) async throws {
        let server = try chain(to: 20)
        let response = try await transport.provider().response(service: server.service("/0"))
        #expect(response.data == Data("there".utf8))
        #expect(response.request.urlRequest.url?.path == "/20")
        #expect(server.requests.map(\.path) == (0...20).map { "/\($0)" })
    }

    @Test(arguments: TransportUnderTest.allCases, [300, 304, 305, 306])
    func otherStatusCodesAreNotFollowed(_ transport: TransportUnderTest, status: Int) async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/there", statusCode: status) }
        let error = try await transport.provider().failure(of: server.service())
        #expect(error.unacceptableStatus == status)
        #expect(server.requests.map(\.path) == ["/start"])
    }

    @Test(arguments: TransportUnderTest.allCases, [301, 302, 303, 307, 308])
    func redirectsListedAsValidAreReturned(
        _ transport: TransportUnderTest, status: Int
    ) async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/there", statusCode: status) }
        var service = server.service()
        service.validStatusCodes = [200, status]
        let response = try await transport.provider().response(service: service)
        #expect(response.statusCode == status)
        #expect(response.header("Location") == "/there")
        #expect(server.requests.map(\.path) == ["/start"])
    }

    @Test(
        .row("R7"),
        arguments: [
            ("https://a.test", "http://a.test/x", false),
            ("https://a.test", "HTTP://a.test/x", false),
            ("HTTPS://a.test", "http://a.test/x", false),
            ("https://a.test", "http://other.test/x", false),
            ("https://a.test", "https://a.test/x", true),
            ("https://a.test", "//a.test/x", true), ("https://a.test", "/x", true),
            ("http://a.test", "https://a.test/x", true),
            ("http://a.test", "http://other.test/x", true),
        ])
    func redirectsFromHTTPSToHTTPAreNotFollowed(base: String, location: String, isFollowed: Bool)
        async throws
    {
        let transport = RedirectingTransport(location: location)
        let provider = ServiceProvider<TestService>(transport: transport)
        let outcome = await provider.outcome(of: TestService(baseURL: base))
        if isFollowed {
            #expect(try outcome.get().statusCode == 200)
            #expect(transport.sent { $0.count } == 2)
        } else {
            #expect(throws: ServiceError.self) { try outcome.get() }
            guard case .failure(let error) = outcome else { return }
            #expect(error.unacceptableStatus == 302)
            #expect(transport.sent { $0.count } == 1)
        }
    }

    /// Includes hosts that only look the same, and ports that only look different.
    @Test(
        .row("R1", "R6"),
        arguments: [
            ("https://a.test", "https://a.test:443/x", true),
            ("http://a.test", "http://A.TEST:80/x", true),
            ("https://a.test", "https://a.test:8443/x", false),
            ("http://a.test", "https://a.test/x", false),
            ("http://a.test:8080", "https://a.test:8080/x", false),
            ("https://a.test", "https://sub.a.test/x", false),
            ("https://sub.a.test", "https://a.test/x", false),
            ("https://a.test", "https://a.test./x", false),
            ("https://a.test", "https://a.test.evil.test/x", false),
            ("https://a.test", "https://evil-a.test/x", false),
            ("https://a.test", "https://a.test@evil.test/x", false),
        ])
    func credentialsAreKeptOnlyOnTheSameOrigin(base: String, location: String, isSame: Bool)
        async throws
    {
        let transport = RedirectingTransport(location: location)
        let provider = ServiceProvider<TestService>(transport: transport)
        let service = TestService(baseURL: base, headers: ["Authorization": "Bearer secret"])
        _ = try await provider.response(service: service)
        let values = transport.sent { $0.map { $0.value(forHTTPHeaderField: "Authorization") } }
        #expect(values == ["Bearer secret", isSame ? "Bearer secret" : nil])
    }
}

/// Responds to the first request with a redirect, without a network. Used for schemes and hosts that
/// LoopbackServer doesn't have.
private struct RedirectingTransport: ServiceTransport {
    let location: String
    let sent = Locked<[URLRequest]>([])

    func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        let isFirst = sent { sent in
            sent.append(request.urlRequest)
            return sent.count == 1
        }
        return ServiceResponse(
            request: request, statusCode: isFirst ? 302 : 200,
            headers: isFirst ? ["Location": location] : [:])
    }
}
