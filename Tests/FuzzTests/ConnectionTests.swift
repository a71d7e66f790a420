// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import CurlTransport

@Suite struct ConnectionTests {
    /// A datagram socket that is connected to a port, and its key as libcurl reports it.
    private func connected(to port: UInt16) throws -> (socket: Int32, key: CurlConnections.Key) {
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(socket >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                connect(socket, address, size) | getsockname(socket, address, &size)
            }
        }
        try #require(status == 0)
        let key = CurlConnections.Key(
            remote: "127.0.0.1", local: "127.0.0.1", remotePort: Int32(port),
            localPort: Int32(UInt16(bigEndian: address.sin_port)))
        return (socket, key)
    }

    /// All connections of a burst are open before the first request is sent.
    @Test func manyConnectionsTakeLinearTime() throws {
        let growth = try growth(to: 800) { count in
            var (connections, admitted, refused) = (CurlConnections(), 0, 0)
            let all = try (0..<count).map { _ in try connected(to: 9) }
            defer { for (socket, _) in all { Glibc.close(socket) } }
            for (socket, _) in all { connections.open(socket) }
            for (_, key) in all { admitted += connections.admits(key, isAgain: false) ? 1 : 0 }
            // Now each has been used.
            for (_, key) in all { refused += connections.admits(key, isAgain: true) ? 0 : 1 }
            for (socket, _) in all { connections.close(socket) }
            for (_, key) in all { admitted += connections.admits(key, isAgain: true) ? 1 : 0 }
            #expect((admitted, refused) == (2 * count, count))
        }
        #expect(growth < linearGrowth)
    }
}
#endif
