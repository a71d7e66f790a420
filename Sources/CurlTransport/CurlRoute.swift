// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// How a request gets to its server: the connections that libcurl has tried and used.
struct CurlRoute {
    /// Why libcurl got no connection, or one that can't be used.
    enum Refusal {
        /// The last address of the host isn't public, although it must be.
        case privateAddress
        /// The process has too many open files for another connection.
        case tooManyFiles
        /// A connection of an earlier request isn't idle, or has failed before.
        case unfitConnection
    }

    var refusal: Refusal?
    /// The sockets that were opened for the request.
    var opened: [Int32] = []
    /// The addresses of the connection over which the request is sent. Nil while libcurl connects.
    var addresses: CurlConnections.Key?
    /// That connection. Nil if its socket isn't known.
    var connection: CurlConnections.Connection?
    /// How often libcurl was allowed to send the request.
    var timesSent = 0
    /// How often the server has refused to process the request (RFC 9113, section 8.7).
    var timesRefused = 0
    /// Whether the next attempt must be made on a new connection, because one of an earlier request wasn't fit.
    var needsNewConnection = false

    /// Whether no server has processed the request.
    var isUnprocessed: Bool { timesSent == timesRefused }
}
#endif
