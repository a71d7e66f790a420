// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The times and sizes of one request. Each redirect is a request of its own.
///
/// Nil means that the transport doesn't know, or that the request failed before that step was complete. `CurlTransport`
/// measures each request, and so does URLSession on Apple platforms. With URLSession on Linux, the interceptor `ServiceMeter`
/// knows ``start``, ``firstByte``, ``total``, and the bytes of the bodies.
public nonisolated struct ServiceMetrics: Sendable {
    /// When the request started.
    public var start = Date()
    /// Seconds for the DNS lookup. Nil for a reused connection.
    public var nameLookup: TimeInterval?
    /// Seconds to connect, without TLS. Nil for a reused connection.
    public var connect: TimeInterval?
    /// Seconds for the TLS handshake. Nil for a reused connection, and without TLS.
    public var secureConnect: TimeInterval?
    /// Seconds from the start until the headers of the response arrived. Nil if they didn't.
    public var firstByte: TimeInterval?
    /// Seconds from the start until the whole response arrived, or until the request failed.
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
    /// Everything that URLSession has measured, with each request that it sent for this one. Apple platforms only: nil on
    /// Linux, and with other transports.
    public var taskMetrics: URLSessionTaskMetrics? {
        get { collected?.value }
        set { collected = newValue.map(ServiceUnprinted.init) }
    }

    /// Not printed, because it has URLs and header fields.
    private var collected: ServiceUnprinted<URLSessionTaskMetrics>?

    /// Creates the metrics of a request that starts now.
    public init() {}

    /// Seconds since the start. Never below 0, even if the date was set back.
    public var elapsed: TimeInterval { max(0, -start.timeIntervalSinceNow) }
}

private nonisolated enum ServiceMetricsOption: ServiceRequestOption {
    static var defaultValue: [ServiceMetrics] { [] }
}

nonisolated extension ServiceResponse {
    /// The times and sizes of the requests that were redirected, in the order they were sent, and then
    /// those of `request`. Empty if nothing measured them. For a stream, those of `request` are left out.
    public var metrics: [ServiceMetrics] {
        get { request[ServiceMetricsOption.self] }
        set { request[ServiceMetricsOption.self] = newValue }
    }
}

nonisolated extension ServiceError {
    /// The times and sizes of the requests of a failed call, in the order they were sent. They show, for example,
    /// whether the DNS lookup or the server was slow.
    ///
    /// For ``transport(_:)``, the last one is that of the request that failed. If a response arrived, these are its
    /// ``ServiceResponse/metrics``. Empty for all other errors, and if nothing measured the requests.
    public var metrics: [ServiceMetrics] {
        guard case .transport(let error) = self else { return response?.metrics ?? [] }
        return error.metrics
    }
}

nonisolated extension URLError {
    static let metricsKey = "ServiceProvider.metrics"

    /// The times and sizes of the requests that ended with this error.
    package var metrics: [ServiceMetrics] {
        (userInfo[Self.metricsKey] as? ServiceUnprinted<[ServiceMetrics]>)?.value ?? []
    }

    /// The error of a request that a transport has measured.
    package func adding(_ metrics: [ServiceMetrics]) -> URLError {
        setting(self.metrics + metrics)
    }

    fileprivate func setting(_ metrics: [ServiceMetrics]) -> URLError {
        let added = [Self.metricsKey: ServiceUnprinted(value: metrics)]
        return URLError(code, userInfo: userInfo.merging(added) { $1 })
    }
}

/// A value that isn't shown when an app prints its container, such as the `userInfo` of an error.
private nonisolated struct ServiceUnprinted<Value: Sendable>: Sendable, CustomStringConvertible,
    CustomReflectable
{
    let value: Value

    var description: String { "not shown" }
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

nonisolated extension ServiceRequest {
    /// The error of a transport, with the metrics of the requests that were redirected to this one in front of its own.
    ///
    /// `@inline(never)` for the reason that `ServiceRequest+Sending.swift` gives.
    @inline(never) func addingEarlierMetrics(to error: any Error) -> any Error {
        let earlier = self[ServiceMetricsOption.self]
        guard !earlier.isEmpty, let error = error as? URLError else { return error }
        return error.setting(earlier + error.metrics)
    }
}
