// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation

/// The connections that libcurl keeps, by their sockets: a look at one before it is used again.
///
/// What has come on an idle connection is no answer to the next request: a late second answer, a 408, an
/// end. libcurl would take it for one.
struct CurlConnections {
    /// What tells a connection from others, as libcurl names it.
    struct Key: Hashable {
        let remote, local: String
        let remotePort, localPort: Int32
    }

    /// Those that no request has used yet.
    private var new: Set<Int32> = []
    private var used: [Key: Int32] = [:]

    mutating func open(_ socket: Int32) { new.insert(socket) }

    mutating func close(_ socket: Int32) {
        guard new.remove(socket) == nil, let key = used.first(where: { $0.value == socket })?.key
        else { return }
        used[key] = nil
    }

    /// Whether a request can be sent over a connection; from then on it counts as used.
    ///
    /// - Parameter isAgain: Whether another has died of it: then only a new one will do.
    mutating func admits(_ key: Key, isAgain: Bool) -> Bool {
        guard let socket = used[key] else {
            if let socket = new.first(where: {
                Self.ports(of: $0) == (key.localPort, key.remotePort)
            }) {
                new.remove(socket)
                used[key] = socket
            }
            return true
        }
        var byte: UInt8 = 0
        return !isAgain && recv(socket, &byte, 1, Int32(MSG_PEEK | MSG_DONTWAIT)) < 0
            && (errno == EAGAIN || errno == EWOULDBLOCK)
    }

    private static func ports(of socket: Int32) -> (Int32, Int32) {
        func port(_ name: (Int32, UnsafeMutablePointer<sockaddr>, inout socklen_t) -> Int32)
            -> Int32
        {
            var storage = sockaddr_storage()
            var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
            return withUnsafeMutablePointer(to: &storage) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                    guard name(socket, address, &size) == 0 else { return -1 }
                    // At the same place for IPv4 and IPv6.
                    return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                        Int32(UInt16(bigEndian: $0.pointee.sin_port))
                    }
                }
            }
        }
        return (port { getsockname($0, $1, &$2) }, port { getpeername($0, $1, &$2) })
    }
}
#endif
