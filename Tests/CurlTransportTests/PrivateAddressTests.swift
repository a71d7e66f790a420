// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// A transport that refuses private addresses. `NetworkTests` has the test of a public address.
@Suite(.serialized, .opensFiles, .timeLimit) struct PrivateAddressTests {
    /// Names and notations of addresses at which the server listens.
    @Test(
        .row("R19"),
        arguments: [
            "127.0.0.1", "127.1", "0x7f.1", "0177.0.0.1", "2130706433", "0.0.0.0", "localhost",
            "LOCALHOST", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]",
        ])
    func theOwnMachineIsRefused(host: String) async throws {
        let server = try LoopbackServer()
        let provider = try provider { $0.allowsPrivateAddresses = false }
        let service = TestService(baseURL: "http://\(host):\(server.port)/")
        #expect(await provider.code(of: service) == .resourceUnavailable)
        #expect(server.requests.isEmpty)
    }

    @Test(
        .row("R19"),
        arguments: [
            "0.0.0.1", "10.0.0.1", "100.64.0.1", "100.127.0.1", "127.0.0.1", "169.254.169.254",
            "172.16.0.1", "172.31.0.1", "192.0.0.1", "192.0.2.1", "192.88.99.1", "192.168.0.1",
            "198.18.0.1", "198.19.0.1", "198.51.100.1", "203.0.113.1", "224.0.0.1",
            "255.255.255.255",
            "[::]", "[::1]", "[::ffff:10.0.0.1]", "[64:ff9b::7f00:1]", "[2001::1]", "[2001:1ff::1]",
            "[2001:db8::1]", "[2002:7f00:1::]", "[2002:c000:2ff::]", "[3fff::1]", "[3fff:fff::1]",
            "[fe80::1]", "[fd00::1]", "[ff02::1]",
        ])
    func privateAddressesAreRefused(host: String) async throws {
        let provider = try provider { $0.allowsPrivateAddresses = false }
        #expect(
            await provider.code(of: TestService(baseURL: "http://\(host)/")) == .resourceUnavailable
        )
    }

    /// A proxy looks up the host itself.
    @Test(.row("R19")) func proxiesAreRefused() async throws {
        let server = try LoopbackServer()
        let provider = try provider {
            $0.allowsPrivateAddresses = false
            $0.proxy = .url(server.baseURL)
        }
        let error = try await provider.failure(of: TestService(baseURL: "http://example.com/"))
        #expect(error.urlErrorCode == .resourceUnavailable)
        // The address of this proxy is private, too, but that isn't the reason.
        #expect(error.description.contains("behind a proxy"))
        #expect(server.requests.isEmpty)
    }

    @Test func unixSocketsAreRefused() async throws {
        let provider = try provider {
            $0.allowsPrivateAddresses = false
            $0.unixSocket = URL(fileURLWithPath: "/nonexistent/socket")
        }
        let error = try await provider.failure(of: TestService(baseURL: "http://example.com/"))
        #expect(error.urlErrorCode == .resourceUnavailable)
        #expect(error.description.contains("The host's address isn't public"), "\(error)")
    }
}
#endif
