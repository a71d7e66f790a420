// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests a proxy from the configuration: which data it receives, and how it can fail.
@Suite(.serialized, .opensFiles, .timeLimit) struct ProxyTests {
    /// A request with secrets, to a host that only the proxy can resolve.
    static func service(_ scheme: String) -> TestService {
        let headers = [
            "Authorization": "Bearer \(canary("bearer token"))",
            "Cookie": "sid=\(canary("cookie"))", "X-Api-Key": canary("api key header"),
        ]
        return TestService(
            baseURL: "\(scheme)://origin.invalid", path: "/path", method: .post, headers: headers,
            body: .data(Data(canary("body").utf8)))
    }

    @Test(.row("S1")) func plainHTTPRequestsAreSentToTheProxy() async throws {
        let proxy = try LoopbackServer(responses: [.text("1"), .text("2")])
        let provider = try provider { $0.proxy = .url(proxy.baseURL) }
        let service = Self.service("http")
        for text in ["1", "2"] { #expect(try await provider.text(of: service) == text) }
        for request in proxy.requests {
            #expect(request.method == "POST")
            #expect(request.target == "http://origin.invalid/path")
            #expect(request.header("Host") == "origin.invalid")
            #expect(request.header("Authorization") == service.headers["Authorization"])
            #expect(request.body == Data(canary("body").utf8))
        }
        #expect(proxy.requests.map(\.connection) == [0, 0])
    }

    /// The name is too long for a query to a name server.
    @Test func aProxyWithoutAnAddressIsAnError() async throws {
        let name = String(repeating: "a", count: 64)
        let provider = try provider { $0.proxy = .url("http://\(name).invalid:3128") }
        #expect(await provider.code(of: Self.service("http")) == .cannotFindHost)
    }

    /// libcurl would send the request without the proxy, or quote the URL with its password.
    @Test(
        .row("S1", "R3"),
        arguments: [
            "", "http://", "http://me:SECRET@localhost:99999", "xyz://me:SECRET@localhost:1",
            "http://me:SECRET@local host:1", "http://me:SECRET@[::1", "http://me:SECRET@:99",
            "me:SECRET@:3128", "me:SECRET@127.0.0.1:99999", "http://me:SECRET@127.0.0.1:0",
            "http://me:SECRET@127.0.0.1:-1", "http://me:SECRET@127.0.0.1:port",
            "http://me:SECRET%00@127.0.0.1:1", "http://me%0A:SECRET@127.0.0.1:1",
            "http://me:SECRET%1fx@127.0.0.1:1", "http://me:SECRET%7F@127.0.0.1:1",
            "http://me:SECRET%zz@127.0.0.1:1", "http://me:SECRET%4@127.0.0.1:1",
            "http://me:SECRET\n@127.0.0.1:1", "http://me:SE/CRET@127.0.0.1:1",
            "http://me:SE#CRET@127.0.0.1:1", "http://me:SE?CRET@127.0.0.1:1",
            "http:/me:SECRET@127.0.0.1:1", "http://me:SECRET@127.0.0.1:1/path",
            "http://me:SECRET@::1:3128", "http://me:SECRET@a[:1", "http://me:SECRET@[::1]1:1",
        ])
    func aProxyThatIsNotAURLIsRefused(_ url: String) throws {
        let error = #expect(throws: CurlUnavailable.self) { try provider { $0.proxy = .url(url) } }
        let text = try "\(#require(error)) \(#require(error?.errorDescription))"
        #expect(text.contains("the proxy has") && !text.contains("SECRET"), "\(text)")
        #expect(!text.contains("CRET"))
    }

    @Test(arguments: [
        "127.0.0.1:1", "http://127.0.0.1:1/", "http://me:%53ECRET%20%C3%A9@127.0.0.1:1",
        "http://[::1]:1", "socks5h://me@127.0.0.1:1", "HTTPS://proxy.invalid",
        "http://me:a@b@127.0.0.1:1",
    ])
    func aProxyThatIsAURLIsUsed(_ url: String) async throws {
        let server = try LoopbackServer { _ in .text("direct") }
        let provider = try provider { $0.proxy = .url(url) }
        #expect(await provider.code(of: server.endpoint()) != nil)
        #expect(server.requests.isEmpty)
    }

    /// The CONNECT request contains nothing that is meant for the origin.
    @Test(.row("S3")) func httpsRequestsOpenATunnel() async throws {
        let proxy = try LoopbackServer(responses: [.statusCode(502)])
        let provider = try provider { $0.proxy = .url(proxy.baseURL) }
        #expect(await provider.code(of: Self.service("https")) == .cannotConnectToHost)
        let request = try #require(proxy.requests.first)
        #expect(request.method == "CONNECT")
        #expect(request.target == "origin.invalid:443")
        let names = Set(request.headers.map { $0.name.lowercased() })
        #expect(names.isSubset(of: ["host", "user-agent", "proxy-connection"]), "\(names)")
        #expect(!String(decoding: request.head, as: UTF8.self).contains("canary"))
        #expect(request.bodySize == 0)
    }

    @Test(.row("R3", "S3"), arguments: ["http", "https"])
    func proxyCredentialsAreSentOnlyToTheProxy(_ scheme: String) async throws {
        let password = canary("proxy password")
        let proxy = try LoopbackServer { _ in .statusCode(407) }
        let named = proxy.baseURL.replacingOccurrences(of: "//", with: "//joe:\(password)@")
        let provider = try provider { $0.proxy = .url(named) }
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: TestService(baseURL: "\(scheme)://origin.invalid"))
        }
        let login = Data("joe:\(password)".utf8).base64EncodedString()
        #expect(proxy.requests.map { $0.header("Proxy-Authorization") } == ["Basic \(login)"])
        #expect(proxy.requests.map { $0.header("Authorization") } == [nil])
        #expect(!transcribed("\(try #require(error))", as: .error).contains("canary"))
    }

    @Test(.row("S4"), arguments: [407, 502])
    func anErrorOfTheProxyIsReturnedForPlainHTTP(_ status: Int) async throws {
        let proxy = try LoopbackServer { _ in
            .text("why", statusCode: status).header("Proxy-Authenticate", "Basic realm=\"x\"")
        }
        let provider = try provider { $0.proxy = .url(proxy.baseURL) }
        do {
            _ = try await provider.load(service: Self.service("http"))
            Issue.record("the request succeeded")
        } catch {
            guard case ServiceError.unacceptableStatus(let response) = error else { throw error }
            #expect(response.statusCode == status)
            #expect(response.data == Data("why".utf8))
        }
        #expect(proxy.requests.count == 1)
    }

    @Test(
        .row("S4"),
        arguments: [
            .statusCode(407), .statusCode(407).header("Proxy-Authenticate", "Basic realm=\"x\""),
            .statusCode(407).header("Proxy-Authenticate", "Digest realm=\"x\", nonce=\"y\"")
                .closing(),
            .text("why", statusCode: 407).chunked(), .text("why", statusCode: 502),
            .statusCode(403),
            .redirect(to: "http://127.0.0.1:1/"), .statusCode(204).closing(), .statusCode(101),
            .raw("HTTP/1.1 200 OK\r\nX: a\0b\r\n\r\n"), .raw("HTTP/1.1 200 OK\0\r\n\r\n"),
            .raw("HTTP/1.1 407 No\r\nContent-Length: 9\r\n\r\nhalf"),
            .raw("HTTP/1.1 407 No\r\nTransfer-Encoding: chunked\r\n\r\nZZ\r\n"),
            .raw("HTTP/1.1 200 OK\r\nX: a"), .raw("HTTP/1.1 200 OK\r\n"), .raw("HTTP/1.1 20"),
            .raw("hello"), .raw("\r\n\r\n"), .raw(""), .raw("SSH-2.0-OpenSSH_9.2\r\n"),
            .text("x").cut(.reset, afterHeaderBytes: 9),
            .text("x").cut(.reset, afterHeaderBytes: 0),
            // The tunnel opens, but there is no TLS server at its end.
            .raw("HTTP/1.1 200 OK\r\n\r\n"), .raw("HTTP/1.1 200 OK\r\n\r\nHTTP/1.1 200 OK\r\n\r\n"),
            .raw("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"),
        ] as [LoopbackResponse])
    func aFailedTunnelIsAnError(_ response: LoopbackResponse) async throws {
        let proxy = try LoopbackServer { _ in response }
        let provider = try provider { $0.proxy = .url(proxy.baseURL) }
        let code = await provider.code(of: Self.service("https"))
        let expected: [URLError.Code] = [
            .cannotConnectToHost, .secureConnectionFailed, .badServerResponse,
        ]
        #expect(expected.contains { $0 == code }, "\(String(describing: code))")
        #expect(proxy.requests.map(\.method) == ["CONNECT"])
    }

    /// Endless header fields, informational responses, lines and empty lines.
    @Test(
        .row("S4"),
        arguments: [
            "X: a\r\n", "HTTP/1.1 100 Continue\r\n\r\n", String(repeating: "a", count: 10_000),
            "\r\n",
        ])
    func endlessProxyHeadersAreBounded(_ text: String) async throws {
        let proxy = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 407 No\r\n")
            while connection.write(text) {}
        }
        defer { proxy.stop() }
        let provider = try provider { $0.proxy = .url("http://127.0.0.1:\(proxy.port)") }
        let code = await provider.code(of: Self.service("https"))
        // The size limit ends it, or the timeout on a machine that takes too long to read that
        // much.
        let expected: [URLError.Code] = [.cannotConnectToHost, .badServerResponse, .timedOut]
        #expect(expected.contains { $0 == code }, "\(String(describing: code))")
    }

    /// If the proxy refuses a tunnel, libcurl would read the whole body byte by byte, and do
    /// nothing else meanwhile.
    @Test(.row("S4"), arguments: ["Content-Length: 9999999", "Transfer-Encoding: chunked"])
    func theBodyOfAFailedTunnelIsNotRead(_ framing: String) async throws {
        let proxy = try RawServer { connection in
            connection.readHead()
            connection.write("HTTP/1.1 407 No\r\n\(framing)\r\n\r\n")
            connection.write(String(repeating: "1\r\na\r\n", count: 200_000))
        }
        defer { proxy.stop() }
        let provider = try provider { $0.proxy = .url("http://127.0.0.1:\(proxy.port)") }
        #expect(await provider.code(of: Self.service("https")) == .cannotConnectToHost)
    }
}
#endif
