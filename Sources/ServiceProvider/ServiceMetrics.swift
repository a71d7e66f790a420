// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The times and sizes of one request. Each redirect is a request of its own.
///
/// Nil means that the transport doesn't know. With URLSession, the interceptor `ServiceMeter` knows
/// ``start``, ``firstByte``, ``total``, and the bytes of the bodies.
public nonisolated struct ServiceMetrics: Sendable {
    /// When the request started.
    public var start = Date()
    /// Seconds for the DNS lookup. Nil for a reused connection.
    public var nameLookup: TimeInterval?
    /// Seconds to connect, without TLS. Nil for a reused connection.
    public var connect: TimeInterval?
    /// Seconds for the TLS handshake. Nil for a reused connection, and without TLS.
    public var secureConnect: TimeInterval?
    /// Seconds from the start until the headers of the response arrived.
    public var firstByte: TimeInterval?
    /// Seconds from the start until the whole response arrived.
    public var total: TimeInterval = 0
    /// The bytes sent, headers included. (`ServiceMeter` counts only the body.)
    public var sentBytes: Int64 = 0
    /// The bytes received, headers included, before decompression. (`ServiceMeter` counts only the body.)
    public var receivedBytes: Int64 = 0
    /// The protocol: `http/1.1`, `h2` or `h3`.
    public var protocolName: String?
    /// Whether an earlier request opened the connection.
    public var isReusedConnection: Bool?
    /// The IP address of the server, or of the proxy.
    public var remoteAddress: String?
    /// The client's port. Requests with the same port shared a connection.
    public var localPort: Int?

    /// Creates the metrics of a request that starts now.
    public init() {}

    /// Seconds since the start. Never below 0, even if the date was set back.
    public var elapsed: TimeInterval { max(0, -start.timeIntervalSinceNow) }
}

nonisolated extension ServiceResponse {
    private enum Metrics: ServiceRequestOption {
        static var defaultValue: [ServiceMetrics] { [] }
    }

    /// The times and sizes of the requests that were redirected, in the order they were sent, and then
    /// those of `request`. Empty if nothing measured them. For a stream, those of `request` are left out.
    public var metrics: [ServiceMetrics] {
        get { request[Metrics.self] }
        set { request[Metrics.self] = newValue }
    }
}
