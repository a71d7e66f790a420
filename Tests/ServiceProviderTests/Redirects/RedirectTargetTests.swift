// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests which URL a redirect leads to (RFC 3986, section 5), and which redirects aren't followed.
@Suite(.serialized, .opensFiles, .timeLimit) struct RedirectTargetTests {
    let server: LoopbackServer

    init() throws { server = try LoopbackServer() }

    private func redirected(
        _ transport: TransportUnderTest, to location: String
    ) async throws -> (LoopbackServer, Result<ServiceResponse, ServiceError>) {
        let server = server
        let location = location.replacingOccurrences(of: "HOST", with: "127.0.0.1:\(server.port)")
        server.enqueue(.redirect(to: location), .text("there"))
        let service = TestService(baseURL: "\(server.baseURL)/a/b/c?q=1")
        return (server, await transport.provider().outcome(of: service))
    }

    @Test(
        .row("R13"),
        arguments: TransportUnderTest.allCases,
        [
            ("d", "/a/b/d"), ("./d/e", "/a/b/d/e"), (";x", "/a/b/;x"), ("?x", "/a/b/c?x"),
            ("../x", "/a/x"), ("../../../x", "/x"), ("/abs", "/abs"), ("/abs?x=y", "/abs?x=y"),
            ("#frag", "/a/b/c?q=1"), ("/x#frag", "/x"), ("/a%2Fb", "/a%2Fb"),
            ("/caf%C3%A9", "/caf%C3%A9"), ("/café", "/caf%C3%A9"), ("a b", "/a/b/a%20b"),
            ("//HOST/x", "/x"), ("http://HOST/x", "/x"), ("http://HOST", "/"),
            ("http://HOST?x", "/?x"), ("HTTP://HOST/x", "/x"),
        ])
    func relativeAndAbsoluteLocationsAreFollowed(
        _ transport: TransportUnderTest, _ redirect: (location: String, target: String)
    ) async throws {
        let (server, outcome) = try await redirected(transport, to: redirect.location)
        #expect(try outcome.get().data == Data("there".utf8))
        #expect(server.requests.map(\.target) == ["/a/b/c?q=1", redirect.target])
    }

    @Test(
        .row("R8"),
        arguments: TransportUnderTest.allCases,
        [
            "ftp://HOST/x", "FTP://HOST/x", "gopher://HOST/x", "dict://HOST/x", "smb://HOST/x",
            "file:///etc/passwd", "FILE:///etc/passwd", "file://localhost/etc/passwd",
            "mailto:a@b.c", "javascript:alert(1)", "JavaScript:alert(1)", "data:text/plain,x",
            "about:blank", "a:b", "ws://HOST/x",
        ])
    func otherSchemesAreNotFollowed(
        _ transport: TransportUnderTest, location: String
    ) async throws {
        let (server, outcome) = try await redirected(transport, to: location)
        guard case .failure(let error) = outcome else {
            Issue.record("The redirect was followed.")
            return
        }
        #expect(error.unacceptableStatus == 302)
        #expect(server.requests.count == 1)
        #expect(server.connectionCount == 1)
    }

    @Test(
        .row("R13", "Z15"),
        arguments: TransportUnderTest.allCases,
        [
            "http://", "http:", "http:///x", "///x", "//", "https://", "http://[::1",
            "http://exa mple/x", "http://a:b:c/", "http://127.0.0.1:99999/x",
            "http://127.0.0.1:0/x", "http://user@", ":", ":80", "http://xn--/x", "//xn--a/x",
            "http://127.0.0.1:99999999999999999999/x", "http://127.0.0.1:00000065536/x",
        ])
    func locationsWithoutAValidHostOrPortAreNotFollowed(
        _ transport: TransportUnderTest, location: String
    ) async throws {
        let (server, outcome) = try await redirected(transport, to: location)
        guard case .failure(let error) = outcome else {
            Issue.record("The redirect was followed.")
            return
        }
        #expect(error.unacceptableStatus == 302)
        #expect(server.requests.count == 1)
    }

    @Test(arguments: TransportUnderTest.allCases, [301, 302, 303, 307, 308])
    func redirectsWithoutALocationAreReturned(_ transport: TransportUnderTest, status: Int)
        async throws
    {
        let server = server
        server.enqueue(.statusCode(status))
        let error = try await transport.provider().failure(of: server.service())
        #expect(error.unacceptableStatus == status)
        #expect(server.requests.count == 1)
    }

    /// Following them and not following them are both fine. An empty one means the same URL.
    @Test(
        .row("R13"),
        arguments: TransportUnderTest.allCases,
        ["", "HOST/x", "%zz", #"\\h\x"#, "?", "http:d"])
    func oddLocationsNeverLeaveTheServer(
        _ transport: TransportUnderTest, location: String
    ) async throws {
        let (server, outcome) = try await redirected(transport, to: location)
        switch outcome {
        case .success: #expect(server.requests.count == 2)
        case .failure(let error): #expect(error.unacceptableStatus == 302)
        }
    }
}
