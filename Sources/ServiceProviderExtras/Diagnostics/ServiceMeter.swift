// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Measures calls that are sent with URLSession, for `ServiceResponse.metrics` and `ServiceError.metrics`.
/// (`CurlTransport` measures more itself, without a meter.)
///
/// It knows `start`, `firstByte`, `total` and the bytes of the bodies: `firstByte` and `receivedBytes` only if the status
/// is a success. Redirects count as a part of their call. Make it the last interceptor, so that each attempt of a retry
/// is measured on its own.
public nonisolated struct ServiceMeter: ServiceInterceptor {
    /// Creates a meter.
    public init() {}

    /// Sends the request, and adds the metrics to its response, or to its `URLError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let metrics = ServiceLocked(ServiceMetrics())
        var request = request
        request.reportProgress { progress in metrics.withLock { $0.update(progress) } }
        var response: ServiceResponse
        do {
            response = try await next(request)
        } catch let error as URLError where error.metrics.isEmpty {
            throw error.adding([metrics.withLock { $0.ended }])
        }
        // The total time of a stream isn't known yet.
        guard response.metrics.isEmpty, request.bodySink?.destination != .stream
        else { return response }
        response.metrics = [metrics.withLock { $0.ended }]
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

    /// The metrics of a request that ends now.
    fileprivate var ended: ServiceMetrics {
        var metrics = self
        metrics.total = elapsed
        return metrics
    }
}
