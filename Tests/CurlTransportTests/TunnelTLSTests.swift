// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Tests TLS through a proxy, and requests within TLS. See ``TLSTests`` for the server.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["TLS_FOLDER"] != nil, "needs .ci/check-tls"),
    .serialized, .opensFiles, .timeLimit)
struct TunnelTLSTests {
    /// A request that the TLS server forwards to a server of the test.
    private static func service(
        to server: LoopbackServer, host: String = "127.0.0.1"
    ) throws -> TestService {
        TestService(
            baseURL: "\(try TLSTests.url("good", host: host))?port=\(server.port)", path: "/pass/x")
    }

    @Test(.row("R3", "S3")) func eachSideOfATunnelGetsOnlyItsOwnCredentials() async throws {
        let port = try #require(Int(TLSTests.text("good.port")))
        let heads = AsyncStream<String>.makeStream()
        let proxy = try RawServer { connection in
            heads.continuation.yield(connection.readHead())
            connection.write("HTTP/1.1 200 OK\r\nSet-Cookie: a=b\r\n\r\n")
            connection.relay(to: port)
        }
        defer { proxy.stop() }
        let origin = try LoopbackServer { _ in .text("hello") }
        let password = canary("proxy password")
        let provider = try TLSTests.provider {
            $0.proxy = .url("http://joe:\(password)@127.0.0.1:\(proxy.port)")
        }
        var service = try Self.service(to: origin)
        (service.method, service.body) = (.post, .data(Data(canary("tunnelled body").utf8)))
        service.headers = ["Authorization": "Bearer \(canary("tunnelled token"))"]
        for _ in 0..<3 {
            let response = try await provider.response(service: service)
            #expect(response.data == Data("hello".utf8))
            #expect(response.header("Set-Cookie") == nil)
        }
        #expect(proxy.connectionCount == 1)
        let head = try #require(await heads.stream.first { _ in true })
        #expect(head.hasPrefix("CONNECT 127.0.0.1:\(port) HTTP/1.1\r\n"))
        #expect(!head.contains("canary"))
        let login = Data("joe:\(password)".utf8).base64EncodedString()
        #expect(head.contains("Proxy-Authorization: Basic \(login)\r\n"))
        #expect(origin.requests.count == 3)
        for request in origin.requests {
            #expect(request.header("Authorization") == service.headers["Authorization"])
            #expect(request.header("Proxy-Authorization") == nil)
            #expect(request.body == Data(canary("tunnelled body").utf8))
        }
    }

    /// If a tunnel dies during a request, libcurl opens a second one. The proxy's response to that
    /// isn't the response to the request.
    @Test(.row("S3")) func theProxysResponseToASecondTunnelIsNotReturned() async throws {
        let port = try #require(Int(TLSTests.text("good.port")))
        let (count, isDead) = (Locked(0), Locked(false))
        let proxy = try RawServer { connection in
            let isTunnel = connection.readHead().hasPrefix("CONNECT")
            if isTunnel { count { $0 += 1 } }
            let isFirst = isTunnel && count { $0 } == 1
            connection.write("HTTP/1.1 201 Tunnel\r\nX-Proxy: 1\r\n\r\n")
            connection.relay(to: port) { !isFirst || !isDead { $0 } }
        }
        defer { proxy.stop() }
        let origin = try LoopbackServer { .text($0.path) }
        let provider = try TLSTests.provider {
            $0.proxy = .url("http://127.0.0.1:\(proxy.port)")
        }
        let service = try Self.service(to: origin)
        // Uses streams, which return the first response headers immediately.
        for _ in 0..<2 {
            let stream = try await provider.stream(service: service)
            #expect(stream.response.statusCode == 200)
            #expect(stream.response.header("X-Proxy") == nil)
            var text = Data()
            for try await chunk in stream { text += chunk }
            #expect(text == Data("/pass/x".utf8))
            isDead { $0 = true }
        }
        #expect(proxy.connectionCount == 2)
    }

    @Test(.row("R7")) func redirectsFromHTTPSToHTTPAreNotFollowed() async throws {
        let plain = try LoopbackServer { _ in .text("plain") }
        let origin = try LoopbackServer(responses: [.redirect(to: "\(plain.baseURL)/there")])
        let error = await #expect(throws: ServiceError.self) {
            try await TLSTests.provider().load(service: Self.service(to: origin))
        }
        #expect(error?.response?.statusCode == 302)
        #expect(plain.connectionCount == 0)
    }

    /// `Strict-Transport-Security` (RFC 6797) and `Alt-Svc` (RFC 7838), over TLS, where they are
    /// valid.
    @Test(.row("S7")) func hstsAndAltSvcHeadersAreIgnored() async throws {
        let plain = try LoopbackServer { _ in .text("plain") }
        let other = try LoopbackServer { _ in .text("other") }
        let origin = try LoopbackServer { _ in
            .text("origin").header("Strict-Transport-Security", "max-age=1000; includeSubDomains")
                .header("Alt-Svc", "http/1.1=\"127.0.0.1:\(other.port)\"; ma=1000")
                .header("Alt-Svc", "h2=\"127.0.0.1:\(other.port)\"; ma=1000")
        }
        let provider = try TLSTests.provider()
        for _ in 0..<2 {
            let service = try Self.service(to: origin, host: "localhost")
            #expect(try await provider.text(of: service) == "origin")
            let open = TestService(baseURL: "http://localhost:\(plain.port)")
            #expect(try await provider.text(of: open) == "plain")
        }
        #expect(other.connectionCount == 0)
    }

    /// During TLS handshakes, and during bodies.
    @Test(.row("U13"), arguments: [true, false])
    func exitingDuringATransferDoesNotCrash(_ isHandshake: Bool) async {
        func end() async {
            guard isHandshake else {
                await #expect(processExitsWith: .exitCode(7)) {
                    let provider = try TLSTests.provider()
                    let service = TestService(baseURL: try TLSTests.url("good"), path: "/200k")
                    for _ in 0..<20 { Task { while await provider.code(of: service) == nil {} } }
                    for _ in 0..<5 { _ = try await provider.load(service: service) }
                    exit(7)
                }
                return
            }
            await #expect(processExitsWith: .exitCode(7)) {
                let service = TestService(baseURL: try TLSTests.url("good"), path: "/hello")
                // Each has its own transport, so each needs a handshake.
                for _ in 0..<4 {
                    Task { while true { _ = try await TLSTests.provider().code(of: service) } }
                }
                for _ in 0..<5 { _ = try await TLSTests.provider().load(service: service) }
                exit(7)
            }
        }
        for _ in 0..<10 { await end() }
    }
}
#endif
