// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Tracks the sockets of libcurl's connections, and checks an idle one before it is reused.
///
/// Bytes that arrive on an idle connection (a late second response, a 408) aren't a response to the
/// next request, but libcurl would read them as one. A connection that the server has closed can't
/// be reused either.
struct CurlConnections {
    /// Identifies a connection by the addresses that libcurl reports for it.
    struct Key: Hashable {
        let remote: String
        let local: String
        let remotePort: Int32
        let localPort: Int32

        /// The local port suffices to find most connections.
        func hash(into hasher: inout Hasher) {
            hasher.combine(localPort)
        }
    }

    /// The sockets of connections that have carried a request.
    private var used: [Key: Int32] = [:]
    private var keys: [Int32: Key] = [:]

    mutating func close(_ socket: Int32) {
        if let key = keys.removeValue(forKey: socket) {
            used[key] = nil
        }
    }

    /// Returns whether a request can be sent over a connection, and marks a new one as used.
    ///
    /// - Parameters:
    ///   - opened: The sockets that were opened for the request. It is the first to use them.
    ///   - isAgain: Whether the request has already failed on another connection. Then only a new
    ///     connection is accepted.
    mutating func admits(_ key: Key, opened: [Int32], isAgain: Bool) -> Bool {
        if let socket = used[key] {
            // Idle: no bytes, no end and no error have arrived. If a signal interrupts this, the
            // connection isn't used.
            var file = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
            return !isAgain && poll(&file, 1, 0) == 0
        }
        let socket = opened.last { ccurl_has_ports($0, key.localPort, key.remotePort) }
        if let socket {
            used[key] = socket
            keys[socket] = key
        }
        return true
    }
}
#endif
