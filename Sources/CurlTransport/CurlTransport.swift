// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)

/// Sends requests with libcurl. For Linux, where a server can crash URLSession, which is much
/// slower than the libcurl it is built on.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>(transport: try CurlTransport())
/// ```
///
/// libcurl is loaded at run time. It is on every machine with a dynamically linked
/// FoundationNetworking, so you don't have to install it. One thread runs all transfers of a
/// transport, so share one transport. It reuses connections, stores no cookies, and always verifies
/// certificates. It keeps up to 16 MB of memory for large bodies. While no transfer runs, a request
/// is sent on the thread that calls ``send(_:)``. A request's timeout limits the time without
/// activity, with millisecond precision. The wait for a place counts too.
public final class CurlTransport: ServiceTransport {
    private let loop: CurlLoop

    /// Creates a transport and starts its thread.
    ///
    /// - Throws: ``CurlUnavailable`` if libcurl is missing or older than 7.80.0, if the URL of a proxy or an entry of
    ///   `dnsOverride` isn't valid, or if the process can't have another thread or more open files.
    public init(configuration: Configuration = Configuration()) throws(CurlUnavailable) {
        var configuration = configuration
        configuration.maximumTransfers = min(max(configuration.maximumTransfers, 1), 1 << 20)
        loop = try CurlLoop(CurlLibrary.at(configuration.library), configuration)
    }

    /// Stops the thread once all running transfers have ended.
    deinit {
        loop.stop()
    }

    /// Sends a request.
    ///
    /// - Throws: A `URLError`, such as `.cancelled`, or the error of a body stream or a sink.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        let transfer = try CurlTransfer(request, loop)
        try await withTaskCancellationHandler {
            try await withUnsafeThrowingContinuation { transfer.begin($0) }
        } onCancel: {
            loop.post(.cancel(transfer))
        }
        loop.synchronize()
        return transfer.response()
    }

    /// Ends the transport's work, such as when a server shuts down. From now on, new calls fail with
    /// `URLError.cancelled`. Returns once all running and waiting calls have ended.
    ///
    /// ```swift
    /// await transport.drain(timeout: 20)
    /// ```
    ///
    /// Cancelling the task that waits for this cancels the calls immediately.
    ///
    /// - Parameter timeout: How many seconds the calls have. Those that are left then fail with `URLError.cancelled`.
    public func drain(timeout: TimeInterval) async {
        let limit = timeout > 0 ? CurlTransfer.nanoseconds(timeout) : 0
        let end = CurlMulti.time() + limit
        await withTaskCancellationHandler {
            await withUnsafeContinuation { loop.post(.drain(end, $0)) }
        } onCancel: {
            loop.post(.drain(0, nil))
        }
    }

    /// Numbers about the transport's work, for the metrics of a server.
    public struct Statistics: Sendable, Equatable {
        /// The requests that run.
        public var runningTransfers = 0
        /// The requests that wait for a place.
        public var waitingTransfers = 0
        /// All connections.
        public var openConnections = 0
        /// The connections that no request uses.
        public var idleConnections = 0

        /// Creates the statistics of a transport that does nothing.
        public init() {}
    }

    /// The current numbers. Doesn't block.
    public var statistics: Statistics { loop.statistics }
}

extension CurlTransport: CustomReflectable {
    /// Empty, because `dump` would read what the thread changes, and print the headers of requests.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
#else
/// Sends requests with libcurl. Linux only: elsewhere, use the default, `URLSessionTransport`.
@available(*, unavailable, message: "CurlTransport is for Linux only. Use URLSessionTransport.")
public final class CurlTransport {}
#endif
