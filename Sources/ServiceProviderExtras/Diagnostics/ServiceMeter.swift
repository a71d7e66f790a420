// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Measures calls that are sent with URLSession, for `ServiceResponse.metrics`. (`CurlTransport` measures more, by
/// itself.)
///
/// It knows `start`, `firstByte`, `total` and the bytes of the bodies: `firstByte` and `receivedBytes` of successful
/// responses only. Redirects count as a part of their call. Make it the last interceptor, so that each attempt of a retry
/// is measured on its own.
public nonisolated struct ServiceMeter: ServiceInterceptor {
    /// Creates a meter.
    public init() {}

    /// Sends the request, and adds the metrics to its response.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let metrics = ServiceLocked(ServiceMetrics())
        var request = request
        request.reportProgress { progress in metrics.withLock { $0.update(progress) } }
        var response = try await next(request)
        // The total time of a stream isn't known yet.
        guard response.metrics.isEmpty, request.bodySink?.destination != .stream
        else { return response }
        var measured = metrics.withLock { $0 }
        measured.total = measured.elapsed
        response.metrics = [measured]
        return response
    }
}

nonisolated extension ServiceMetrics {
    fileprivate mutating func update(_ progress: ServiceProgress) {
        sentBytes = progress.sent
        receivedBytes = progress.received
        let hasBegun = progress.received > 0 || progress.totalToReceive != nil
        if hasBegun { firstByte = firstByte ?? elapsed }
    }
}
