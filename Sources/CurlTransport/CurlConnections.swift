// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// Tracks the sockets of libcurl's connections, and checks an idle one before it is reused.
///
/// Bytes that arrive on an idle connection (a late second response, a 408) aren't a response to the
/// next request, but libcurl would read them as one. A connection that the server has closed can't
/// be reused either.
struct CurlConnections {
    /// Identifies a connection by the addresses that libcurl reports for it.
    struct Key: Hashable {
        let remote, local: String
        let remotePort, localPort: Int32

        /// The local port suffices to find most connections.
        func hash(into hasher: inout Hasher) { hasher.combine(localPort) }
    }

    /// The sockets that no request has used yet, by their local port.
    private var new: [Int32: Set<Int32>] = [:]
    /// Sockets that may have no local port yet.
    private var opened: Set<Int32> = []
    private var used: [Key: Int32] = [:]
    private var keys: [Int32: Key] = [:]

    mutating func open(_ socket: Int32) { opened.insert(socket) }

    mutating func close(_ socket: Int32) {
        opened.remove(socket)
        removeNew(socket, Self.port(of: socket, getsockname))
        if let key = keys.removeValue(forKey: socket) { used[key] = nil }
    }

    /// Returns whether a request can be sent over a connection, and marks a new one as used.
    ///
    /// - Parameter isAgain: Whether the request has already failed on another connection. Then only
    ///   a new connection is accepted.
    mutating func admits(_ key: Key, isAgain: Bool) -> Bool {
        guard let socket = used[key] else {
            for socket in opened {
                new[Self.port(of: socket, getsockname), default: []].insert(socket)
            }
            opened = new.removeValue(forKey: 0) ?? []
            let socket = new[key.localPort]?.first {
                Self.port(of: $0, getpeername) == key.remotePort
            }
            if let socket {
                removeNew(socket, key.localPort)
                (used[key], keys[socket]) = (socket, key)
            }
            return true
        }
        // Idle: no bytes, no end and no error have arrived. If a signal interrupts this, the connection
        // isn't used.
        var file = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
        return !isAgain && poll(&file, 1, 0) == 0
    }

    private mutating func removeNew(_ socket: Int32, _ port: Int32) {
        new[port]?.remove(socket)
        if new[port]?.isEmpty == true { new[port] = nil }
    }

    /// The port of one end of a socket: 0 before the socket has one.
    private static func port(
        of socket: Int32,
        _ name: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) -> Int32 {
        var storage = sockaddr_storage()
        var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
        return withUnsafeMutablePointer(to: &storage) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
                guard name(socket, address, &size) == 0 else { return 0 }
                // The port has the same offset in IPv4 and IPv6 addresses.
                return pointer.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                    Int32(UInt16(bigEndian: $0.pointee.sin_port))
                }
            }
        }
    }
}
#endif
