// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import CurlTransport

@Suite(.serialized, .opensFiles, .timeLimit) struct ConnectionTests {
    /// A datagram socket that is connected to a port, and its key as libcurl reports it.
    ///
    /// - Parameter localPort: A port that other sockets may have, too, or 0 for any such port. With nil, no other socket
    ///   has the port.
    private func connected(
        to port: UInt16, from localPort: Int32? = nil
    ) throws -> (socket: Int32, key: CurlConnections.Key) {
        let socket = socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        try #require(socket >= 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = UInt16(localPort ?? 0).bigEndian
        address.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        var isShared: Int32 = 1
        let length = socklen_t(MemoryLayout<Int32>.size)
        let status = withUnsafeMutablePointer(to: &address) { pointer in
            let own = pointer
            return pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                var status: Int32 = 0
                if localPort != nil {
                    status |= setsockopt(socket, SOL_SOCKET, SO_REUSEADDR, &isShared, length)
                    status |= bind(socket, address, size)
                }
                own.pointee.sin_port = port.bigEndian
                return status | connect(socket, address, size) | getsockname(socket, address, &size)
            }
        }
        try #require(status == 0)
        let key = CurlConnections.Key(
            remote: "127.0.0.1", local: "127.0.0.1", remotePort: Int32(port),
            localPort: Int32(UInt16(bigEndian: address.sin_port)))
        return (socket, key)
    }

    /// Connections to two servers may have the same local port.
    @Test func aLocalPortMayHaveTwoConnections() throws {
        var connections = CurlConnections(maximumIdle: 32, idleTime: 1_000_000_000)
        let one = try connected(to: 9, from: 0)
        let two = try connected(to: 10, from: one.key.localPort)
        defer { for socket in [one.socket, two.socket] { close(socket) } }
        let opened = [one.socket, two.socket]
        for key in [one.key, two.key] {
            let isNewAdmitted = connections.admits(key, opened: opened, isAgain: false)
            // Now it has been used.
            let isUsedAdmitted = connections.admits(key, opened: [], isAgain: true)
            #expect(isNewAdmitted && !isUsedAdmitted)
        }
        connections.close(one.socket)
        let isClosedAdmitted = connections.admits(one.key, opened: [], isAgain: true)
        let isOtherAdmitted = connections.admits(two.key, opened: [], isAgain: true)
        #expect(isClosedAdmitted && !isOtherAdmitted)
        #expect(one.key.localPort == two.key.localPort)
    }

    /// All connections of a burst are open before the first request is sent.
    @Test(
        .opensFiles(850), .enabled(if: maximumOpenFiles >= 850, "needs 850 open files"), .row("Z23")
    )
    func manyConnectionsTakeLinearTime() throws {
        let growth = try growth(to: 800) { count in
            var connections = CurlConnections(maximumIdle: 32, idleTime: 1_000_000_000)
            var admitted = 0
            var refused = 0
            let all = try (0..<count).map { _ in try connected(to: 9) }
            defer { for (socket, _) in all { close(socket) } }
            for (socket, key) in all {
                let isAdmitted = connections.admits(key, opened: [socket], isAgain: false)
                admitted += isAdmitted ? 1 : 0
            }
            // Now each has been used.
            for (_, key) in all {
                refused += connections.admits(key, opened: [], isAgain: true) ? 0 : 1
            }
            for (socket, _) in all { connections.close(socket) }
            for (_, key) in all {
                admitted += connections.admits(key, opened: [], isAgain: true) ? 1 : 0
            }
            #expect((admitted, refused) == (2 * count, count))
        }
        #expect(growth < linearGrowth)
    }
}

extension CurlConnections {
    fileprivate mutating func admits(_ key: Key, opened: [Int32], isAgain: Bool) -> Bool {
        let entry = admit(
            key, opened: opened, isAgain: isAgain, mayBeShared: false, hasInput: { false })
        if case .admitted = entry { return true }
        return false
    }
}
#endif
