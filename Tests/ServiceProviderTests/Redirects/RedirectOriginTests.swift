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

/// A redirect keeps all headers on the same origin, and almost none to another.
@Suite(.serialized, .opensFiles, .timeLimit) struct RedirectOriginTests {
    enum OtherOrigin: CaseIterable {
        case otherPort, otherHost
    }

    let first: LoopbackServer
    let second: LoopbackServer

    init() throws {
        (first, second) = (try LoopbackServer(), try LoopbackServer())
    }

    private static let kept = [
        "Accept": "application/json", "Accept-Language": "de", "User-Agent": "tests/1",
    ]

    private static let dropped: [String: String] = {
        let names = [
            "Authorization", "Cookie", "Proxy-Authorization", "X-Api-Key", "DPoP", "Api-Key",
            "X-Auth-Token", "X-Amz-Security-Token", "X-Goog-Api-Key", "X-CSRF-Token", "Signature",
            "Private-Token", "X-Vault-Token", "Ocp-Apim-Subscription-Key", "X-Session-Id",
            "If-None-Match", "If-Modified-Since", "Range", "Origin", "Referer", "X-Request-Id",
            "Idempotency-Key", "Traceparent", "X-Forwarded-For", "Forwarded", "Cookie2", "Via",
            "From", "X-Random-9f2c",
        ]
        var headers = Dictionary(uniqueKeysWithValues: names.map { ($0, "secret") })
        headers["Cookie"] = "sid=secret"
        headers["Host"] = "secret.example"
        return headers
    }()

    /// URLComponents decodes the host, up to a NUL.
    @Test(arguments: ["example.com%00.evil.example", "example.com%2F.evil.example"])
    func anEscapeInAHostIsAnotherOrigin(_ host: String) throws {
        let origins = try ["https://example.com", "https://\(host)"].map { text in
            ServiceRequest.origin(of: try #require(URL(string: text)))
        }
        #expect(origins[0] == "https://example.com:443")
        #expect(origins[1] == "https://\(host.lowercased()):443")
    }

    private func location(_ origin: OtherOrigin, _ path: String) -> String {
        switch origin {
        case .otherPort: second.baseURL + path
        case .otherHost: "http://localhost:\(second.port)\(path)"
        }
    }

    /// Expects no secret and no headers except these. The platform adds some of them.
    private func expectNothingSecret(
        in request: LoopbackRequest, sourceLocation: SourceLocation = #_sourceLocation
    ) {
        let allowed: Set = [
            "host", "accept", "accept-language", "user-agent", "accept-encoding", "connection",
        ]
        let names = Set(request.headers.map { $0.name.lowercased() })
        #expect(names.isSubset(of: allowed), sourceLocation: sourceLocation)
        let head = String(decoding: request.head, as: UTF8.self)
        #expect(!head.contains("secret"), sourceLocation: sourceLocation)
    }

    @Test(
        .row("R1", "R2", "R3", "R4", "R17", "U6"),
        arguments: TransportUnderTest.allCases,
        OtherOrigin.allCases)
    func secretsAreNotSentToAnotherOrigin(
        _ transport: TransportUnderTest, _ origin: OtherOrigin
    ) async throws {
        first.enqueue(.redirect(to: location(origin, "/there")))
        second.enqueue(.text("there"))
        var service = first.service()
        service.headers = Self.kept.merging(Self.dropped) { $1 }
        #expect(try await transport.provider().load(service: service) == Data("there".utf8))

        let sent = try #require(first.requests.first)
        for (name, value) in Self.dropped { #expect(sent.header(name) == value, "\(name)") }
        let request = try #require(second.requests.first)
        expectNothingSecret(in: request)
        for (name, value) in Self.kept { #expect(request.header(name) == value) }
        let host = origin == .otherHost ? "localhost" : "127.0.0.1"
        #expect(request.header("Host") == "\(host):\(second.port)")
    }

    @Test(
        .row("R1", "R6"),
        arguments: TransportUnderTest.allCases,
        ["authorization", "AUTHORIZATION", "x-API-key"])
    func secretHeadersAreDroppedInAnyCase(_ transport: TransportUnderTest, name: String)
        async throws
    {
        first.enqueue(.redirect(to: location(.otherPort, "/there")))
        second.enqueue(.text("there"))
        var service = first.service()
        service.headers = [name: "secret"]
        _ = try await transport.provider().load(service: service)
        #expect(first.requests.first?.header(name) == "secret")
        expectNothingSecret(in: try #require(second.requests.first))
    }

    @Test(.row("R5"), arguments: TransportUnderTest.allCases, OtherOrigin.allCases)
    func droppedHeadersStayDropped(
        _ transport: TransportUnderTest, _ origin: OtherOrigin
    ) async throws {
        first.enqueue(
            .redirect(to: location(origin, "/1")), .redirect(to: location(origin, "/2")),
            .text("there"))
        second.enqueue(
            .redirect(to: "/1b"), .redirect(to: first.baseURL + "/back"),
            .redirect(to: "\(first.baseURL)/end"))
        var service = first.service()
        service.headers = Self.dropped
        #expect(try await transport.provider().load(service: service) == Data("there".utf8))
        // A → B → B → A → B → A
        #expect(first.requests.map(\.path) == ["/start", "/back", "/end"])
        #expect(second.requests.map(\.path) == ["/1", "/1b", "/2"])
        for request in first.requests.dropFirst() + second.requests {
            expectNothingSecret(in: request)
        }
    }

    @Test(arguments: TransportUnderTest.allCases, [301, 302, 303, 307, 308])
    func allHeadersAreKeptOnTheSameOrigin(_ transport: TransportUnderTest, status: Int) async throws
    {
        first.enqueue(.redirect(to: "/there", statusCode: status), .text("there"))
        var service = first.service()
        service.headers = Self.dropped
        service.headers["Host"] = nil
        _ = try await transport.provider().load(service: service)
        #expect(first.requests.count == 2)
        for (name, value) in service.headers {
            #expect(first.requests.last?.header(name) == value, "\(name)")
        }
    }

    @Test(.row("R15"), arguments: TransportUnderTest.allCases)
    func userInfoIsSentOnlyToItsOrigin(_ transport: TransportUnderTest) async throws {
        first.enqueue(
            .redirect(to: "/there"), .redirect(to: location(.otherPort, "/other")))
        second.enqueue(.text("there"))
        let service = TestService(
            baseURL: "http://dan:p%40ss@127.0.0.1:\(first.port)", path: "/start")
        _ = try await transport.provider().load(service: service)
        let credentials = "Basic \(Data("dan:p@ss".utf8).base64EncodedString())"
        #expect(
            first.requests.map { $0.header("Authorization") } == [credentials, credentials])
        #expect(first.requests.map(\.path) == ["/start", "/there"])
        #expect(second.requests.count == 1)
        #expect(second.requests.first?.header("Authorization") == nil)
    }

    @Test(.row("R14"), arguments: TransportUnderTest.allCases)
    func credentialsInALocationAreIgnored(_ transport: TransportUnderTest) async throws {
        first.enqueue(
            .redirect(to: "http://u:p@127.0.0.1:\(first.port)/same"),
            .redirect(to: "http://u:p@127.0.0.1:\(second.port)/other"))
        second.enqueue(.text("there"))
        _ = try await transport.provider().load(service: first.service())
        #expect(first.requests.map(\.path) == ["/start", "/same"])
        #expect(second.requests.map(\.path) == ["/other"])
        #expect((first.requests + second.requests).allSatisfy { $0.header("Authorization") == nil })
    }

    @Test(.row("R16"), arguments: TransportUnderTest.allCases)
    func noRefererIsSent(_ transport: TransportUnderTest) async throws {
        first.enqueue(.redirect(to: "/same"), .redirect(to: location(.otherHost, "/other")))
        second.enqueue(.text("there"))
        _ = try await transport.provider().load(service: first.service())
        #expect((first.requests + second.requests).map { $0.header("Referer") } == [nil, nil, nil])
    }

    @Test(.row("R2", "R18"), arguments: TransportUnderTest.allCases)
    func storedCookiesAreSentOnlyToTheirHost(_ kind: TransportUnderTest) async throws {
        let redirect = LoopbackResponse.redirect(to: location(.otherHost, "/there"))
        first.enqueue(redirect.header("Set-Cookie", "sid=stored; Path=/"), .text("again"))
        second.enqueue(.text("there"))
        let provider = ServiceProvider<TestService>(transport: kind.make())
        _ = try await provider.load(service: first.service())
        _ = try await provider.load(service: first.service())
        #expect(second.requests.map { $0.header("Cookie") } == [nil])
        #expect(first.requests.last?.header("Cookie") == (kind.keepsCookies ? "sid=stored" : nil))
    }

    /// Each is dropped on its own, which takes time.
    @Test func manyHeadersAreDropped() throws {
        let url = try #require(URL(string: "https://example.com/"))
        let names = (0..<4_000).map { ("X-\($0)", "secret") } + [("Accept", "text/plain")]
        var request = ServiceRequest(URLRequest(url: url))
        request.urlRequest.addFields(Dictionary(uniqueKeysWithValues: names))
        let redirect = ServiceResponse(
            request: request, statusCode: 302, headers: ["Location": "https://example.org/"])
        let start = threadTime()
        let next = try #require(request.redirected(by: redirect))
        #expect(threadTime() - start < 5)
        #expect(next.urlRequest.allHTTPHeaderFields == ["Accept": "text/plain"])
    }
}
