// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Decides where to connect, and whether to send.
extension CurlTransfer {
    /// Opens a socket for a connection, unless the configuration doesn't allow the address. A host may have several.
    /// Returns the socket, or -1.
    func open(_ address: UnsafePointer<ccurl_address>) -> Int32 {
        // libcurl also reconnects, after the first connection has died.
        leaveConnection()
        route.refusal = nil
        let isAllowed = loop.configuration.allowsPrivateAddresses || CurlAddress(address).isPublic
        guard isAllowed else {
            route.refusal = .privateAddress
            return -1
        }
        guard let socket = loop.multi.open(address.pointee) else {
            route.refusal = .tooManyFiles
            return -1
        }
        if socket >= 0 {
            route.opened.append(socket)
        }
        return socket
    }

    /// Returns whether libcurl may send the request over a connection. Called before each attempt.
    ///
    /// If a reused connection dies without a response, libcurl sends any request again, several
    /// times. This allows one repetition, and only for a request that is safe to repeat (RFC 9110,
    /// section 9.2.2) or hasn't been processed, and whose body can be read again.
    func mayBeSent(between addresses: CurlConnections.Key) -> Bool {
        activity = loop.multi.now
        leaveConnection()
        route.addresses = addresses
        // These were the headers of the proxy that opened the tunnel.
        if download.head.isDone { download.head = CurlHead(version) }
        let isSafe = request.mayBeRepeated() || route.isUnprocessed
        guard route.timesSent == 0 || route.timesSent == 1 && isSafe else {
            failure = route.isUnprocessed ? Self.refused : Self.lost
            return false
        }
        guard loop.multi.admit(self, to: addresses) else {
            route.refusal = .unfitConnection
            return false
        }
        route.timesSent += 1
        // Makes libcurl say that the server refused the request: see `note(text:)`.
        if version.isMultiplexed, !request.mayBeRepeated() {
            try? set(CCURL_VERBOSE, 1)
        }
        return true
    }

    /// Call this when the request no longer uses its connection.
    func leaveConnection() {
        if let connection = route.connection.take() {
            loop.multi.leave(connection)
        }
        route.addresses = nil
    }
}
#endif
