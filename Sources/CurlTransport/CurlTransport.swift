// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import ServiceProvider

/// Runs requests on libcurl, for Linux, where URLSession is much slower than the libcurl that it sits on,
/// and can be crashed by a server.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>(transport: try CurlTransport())
/// ```
///
/// libcurl is found at run time, on every machine on which FoundationNetworking runs; nothing is to be
/// installed. One thread runs all transfers of a transport, so share one. It keeps connections, and no
/// cookies. Certificates are always verified. The time-out of a request is how long nothing may happen, to
/// the millisecond.
public final class CurlTransport: ServiceTransport {
    /// What all requests of a transport have in common. Seconds that are not above 0 count as 60, and
    /// those above a week as a week.
    public struct Configuration: Sendable {
        /// Where a proxy is named.
        public enum Proxy: Sendable {
            /// In `http_proxy`, `https_proxy`, `all_proxy` and `no_proxy`.
            case environment
            /// Nowhere.
            case none
            /// Here: `http://proxy.example:3128`.
            case url(String)
        }

        /// The file of libcurl. Default: the system's, `libcurl.so.4`. 7.80.0 is the oldest that works; before
        /// 7.87.0, a call that is cancelled during the look-up of a name blocks all others meanwhile.
        public var library = "libcurl.so.4"
        /// Default: the environment.
        public var proxy = Proxy.environment
        /// A file of authorities (PEM) that are trusted in place of the system's; not for the proxy. Default:
        /// nil.
        public var authorities: URL?
        /// The only keys that servers may have: SHA-256 of the SubjectPublicKeyInfo, in Base64 (RFC 7469,
        /// section 2.4). Default: none, any key.
        public var pinnedPublicKeys: [String] = []
        /// A socket of the file system that is connected to in place of the URL's host. Default: nil.
        public var unixSocket: URL?
        /// Whether HTTP/2 is used where a TLS server offers it, and libcurl is 8.4.0 or later. Default: true.
        public var allowsHTTP2 = true
        /// Seconds until a connection must be there. Default: 30.
        public var connectionTimeout: TimeInterval = 30
        /// Seconds that a connection is kept which nobody uses. Default: 30.
        public var idleTime: TimeInterval = 30
        /// Seconds until an exchange must have ended, the wait for its turn included. Default: a week.
        public var maximumTime: TimeInterval = ServiceRequest.aWeek
        /// How many exchanges run at a time; others wait their turn. Default: 128.
        public var maximumTransfers = 128
        /// How many bytes a body in memory may have, and a compressed one anywhere, after decompression.
        /// Default: 512 MB.
        public var maximumBodySize: Int64 = 512 << 20

        /// The defaults.
        public init() {}
    }

    private let loop: CurlLoop

    /// Makes a transport, and its thread.
    ///
    /// - Throws: ``CurlUnavailable`` where there is no libcurl, or one older than 7.80.0.
    public init(_ configuration: Configuration = Configuration()) throws(CurlUnavailable) {
        var limits = configuration
        limits.maximumTransfers = max(configuration.maximumTransfers, 1)
        loop = try CurlLoop(CurlLibrary.at(configuration.library), limits)
    }

    /// Transfers that are under way come to their end.
    deinit { loop.stop() }

    /// Sends a request.
    ///
    /// - Throws: A `URLError`, whose description has libcurl's words; when cancelled, `URLError.cancelled`.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        let transfer = try CurlTransfer(request, loop)
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { transfer.begin($0) }
        } onCancel: {
            loop.post(.cancel(transfer))
        }
        loop.synchronize()
        return try transfer.response()
    }
}
#else
/// Runs requests on libcurl: on Linux only. Elsewhere use `URLSessionTransport`, which is the default.
@available(*, unavailable, message: "CurlTransport is for Linux; use URLSessionTransport")
public final class CurlTransport {}
#endif
