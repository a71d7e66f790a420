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

/// Tests requests that no provider has checked. libcurl itself sends header fields unchecked.
@Suite(.serialized, .opensFiles, .timeLimit) struct InjectionTests {
    let server: LoopbackServer
    let transport: CurlTransport

    init() throws {
        server = try LoopbackServer { _ in .text("ok") }
        var configuration = CurlTransport.Configuration()
        configuration.proxy = .none
        transport = try CurlTransport(configuration)
    }

    /// - Returns: Whether the transport refused the request before it sent anything.
    private func isRefused(_ change: (inout URLRequest) -> Void) async throws -> Bool {
        var request = URLRequest(url: try #require(URL(string: server.baseURL)))
        request.timeoutInterval = 50
        change(&request)
        let own = request
        let count = server.connectionCount + server.requests.count
        do {
            _ = try await transport.send(ServiceRequest(own))
            return false
        } catch {
            #expect(error is URLError)
            #expect(!transcribed("\(error)", as: .error).contains("canary"))
            return server.connectionCount + server.requests.count == count
        }
    }

    private static let controls = (Array(0...0x1F) + [0x7F]).filter { $0 != 0x09 }

    @Test(
        .row("I2"),
        arguments: ["Transfer-Encoding", "transfer-encoding", "X Y", "X:", "X,", "(", "é"])
    func invalidHeaderNamesAreRefused(_ name: String) async throws {
        let isRefused = try await isRefused { $0.allHTTPHeaderFields = [name: "chunked"] }
        #expect(isRefused)
    }

    @Test(.row("I3"), arguments: ["GET", "DELETE", "OPTIONS", "X"])
    func aBodyDoesNotChangeTheMethod(_ method: String) async throws {
        var request = URLRequest(url: try #require(URL(string: server.baseURL)))
        (request.httpMethod, request.httpBody) = (method, Data("body".utf8))
        _ = try await transport.send(ServiceRequest(request))
        #expect(server.requests.map(\.method) == [method])
        #expect(server.requests.map(\.body) == [Data("body".utf8)])
    }

    /// At the start, in the middle and at the end.
    @Test(arguments: ["", " ", "\t", "   \t "])
    func aHeaderOfBlanksIsSentEmpty(_ value: String) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        var service = server.endpoint()
        service.change = {
            for name in ["X-Blank", "User-Agent"] {
                $0.urlRequest.setValue(value, forHTTPHeaderField: name)
            }
        }
        _ = try await provider().text(of: service)
        #expect(server.requests.first?.header("X-Blank") == "")
        #expect(server.requests.first?.header("User-Agent") == "")
    }

    @Test(.row("I1"), arguments: controls)
    func controlCharactersInHeaderValuesAreRefused(_ code: Int) async throws {
        let (control, secret) = (String(UnicodeScalar(UInt8(code))), canary("refused header"))
        for value in [control + secret, "a\(control)\(secret)", secret + control] {
            let isRefused = try await isRefused { $0.allHTTPHeaderFields = ["X-A": value] }
            #expect(isRefused, "\(value.debugDescription)")
        }
    }

    @Test(.row("I2"), arguments: controls)
    func controlCharactersInHeaderNamesAreRefused(_ code: Int) async throws {
        let control = String(UnicodeScalar(UInt8(code)))
        for name in [control + "X", "X\(control)X", "X" + control, control] {
            let isRefused = try await isRefused { $0.allHTTPHeaderFields = [name: "1"] }
            #expect(isRefused, "\(name.debugDescription)")
        }
    }

    @Test(
        .row("I3"),
        arguments: [
            "GET /evil HTTP/1.1\r\nX-Injected: 1\r\nFoo:", "GET\n", "GET\r", "G\0T", "GE T", " GET",
            "GET ",
        ])
    func invalidMethodsAreRefused(_ method: String) async throws {
        let isRefused = try await isRefused { $0.httpMethod = method }
        #expect(isRefused)
    }

    /// Foundation escapes them. libcurl sends the escaped URL unchanged, and doesn't resolve dots.
    @Test(
        .row("I4"),
        arguments: [
            ("/a\r\nX-Injected: 1", "/a%0D%0AX-Injected:%201"), ("/a b", "/a%20b"),
            ("/a\0b", "/a%00b"),
            ("/?a\nb", "/?a%0Ab"), ("/#\r\n", "/"), ("/../a/./b", "/../a/./b"), ("", "/"),
            ("?a", "/?a"),
            ("/%2e%2e/x%2Fy", "/%2e%2e/x%2Fy"), ("/%0D%0A", "/%0D%0A"), ("//b//", "//b//"),
        ])
    func controlCharactersInURLsAreEscaped(_ text: String, _ target: String) async throws {
        let isRefused = try await isRefused { $0.url = URL(string: server.baseURL + text) }
        #expect(!isRefused)
        #expect(server.requests.map(\.target) == [target])
        #expect(server.requests.first?.header("X-Injected") == nil)
    }

    /// Even if libcurl supports them.
    @Test(
        .row("R8", "L13"),
        arguments: [
            "ftp", "FTP", "file", "gopher", "dict", "telnet", "scp", "sftp", "ldap", "smb", "tftp",
            "rtsp",
            "imap", "pop3", "smtp", "mqtt", "ws", "data", "x", "",
        ])
    func otherURLSchemesAreRefused(_ scheme: String) async throws {
        let url = server.baseURL.replacingOccurrences(of: "http:", with: scheme + ":")
        let isRefused = try await isRefused { $0.url = URL(string: url) }
        #expect(isRefused)
    }

    @Test(.row("R8")) func fileURLsAreRefused() async throws {
        #expect(try await isRefused { $0.url = URL(string: "file:///etc/passwd") })
    }

    /// A user name may contain any character, because it is sent in Base64.
    @Test(.row("I5")) func controlCharactersInAUserNameAreEncoded() async throws {
        let url = server.baseURL.replacingOccurrences(of: "//", with: "//u%0D%0AX-Injected:p@")
        #expect(try await !isRefused { $0.url = URL(string: url) })
        let login = Data("u\r\nX-Injected:p".utf8).base64EncodedString()
        #expect(server.requests.first?.header("Authorization") == "Basic \(login)")
        #expect(server.requests.first?.header("X-Injected") == nil)
    }

    @Test(.row("I7"), arguments: ["Content-Length", "content-length", "CONTENT-LENGTH"])
    func contentLengthIsThatOfTheBody(_ name: String) async throws {
        let isRefused = try await isRefused {
            ($0.httpMethod, $0.httpBody) = ("POST", Data("hello".utf8))
            $0.allHTTPHeaderFields = [name: "3"]
        }
        #expect(!isRefused)
        let request = try #require(server.requests.first)
        let lengths = request.headers.filter { $0.name.lowercased() == "content-length" }
        #expect(lengths.map(\.value) == ["5"])
        #expect(request.body == Data("hello".utf8))
    }
}
#endif
