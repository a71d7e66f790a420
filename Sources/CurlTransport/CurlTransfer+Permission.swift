// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Decides where to connect, and whether to send.
extension CurlTransfer {
    /// Opens a socket for a connection, unless the configuration doesn't allow the address. A host may
    /// have several.
    func open(_ address: UnsafePointer<ccurl_address>) -> Int32 {
        // Set again when libcurl reconnects after the first connection has died.
        phase = .connecting
        isPrivateAddress = !loop.limits.allowsPrivateAddresses && !CurlAddress(address).isPublic
        guard !isPrivateAddress else { return -1 }
        let socket = loop.multi.open(address.pointee)
        sockets.append(socket)
        return socket
    }

    /// Returns whether libcurl may send the request over a connection. Called before each attempt.
    ///
    /// If a reused connection dies without a response, libcurl sends any request again, several
    /// times. This allows one repetition, and only for a request that is safe to repeat (RFC 9110,
    /// section 9.2.2) and whose body can be read again.
    func mayBeSent(over connection: CurlConnections.Key) -> Bool {
        activity = loop.multi.now
        self.connection = connection
        // These were the headers of the proxy that opened the tunnel.
        if head.isDone { head = CurlHead(version) }
        phase = size == 0 ? .waiting : .sending
        guard timesSent == 0 || timesSent == 1 && request.mayBeRepeated() else {
            failure = Self.lost
            return false
        }
        // A libcurl that is new enough for HTTP/2 here checks such connections itself.
        guard version.isMultiplexed || loop.multi.admits(self, over: connection) else {
            return false
        }
        timesSent += 1
        return true
    }

    /// The error for a request that was sent before its connection was lost.
    static var lost: URLError {
        let text = "The connection was lost; the server may have processed the request."
        return URLError(.networkConnectionLost, text)
    }
}
#endif
