// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Reports what happens to requests: for metrics, spinners and traces.
///
/// ```swift
/// let observer = ServiceObserver { stage in
///     if case .finished(let response, let seconds) = stage {
///         meter.add(response.statusCode, seconds)
///     }
/// }
/// ```
///
/// As the outermost interceptor, it reports each call once; inside a retry, it reports each
/// attempt.
public nonisolated struct ServiceObserver: ServiceInterceptor {
    /// A stage of a request. Each `started` is followed by one of the others.
    public enum Stage: Sendable {
        /// The request starts.
        case started(ServiceRequest)
        /// A response has arrived, with any status, this many seconds after the start. For a
        /// stream, that is its head.
        case finished(ServiceResponse, after: TimeInterval)
        /// The request has failed, this many seconds after the start. `ServiceError.metrics` says how long each step
        /// took, if the transport or a ``ServiceMeter`` has measured it.
        case failed(ServiceError, ServiceRequest, after: TimeInterval)
    }

    private let clock: ServiceClock
    private let observe: @Sendable (Stage) -> Void

    /// Creates an observer.
    ///
    /// - Parameters:
    ///   - clock: The clock that measures the seconds. Default: the system's.
    ///   - observe: Receives each stage. The call waits until it returns.
    public init(
        clock: ServiceClock = ServiceClock(), observe: @escaping @Sendable (Stage) -> Void
    ) {
        self.clock = clock
        self.observe = observe
    }

    /// Sends the request, and reports its start and its end.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        observe(.started(request))
        let timed = await clock.timed { try await next(request) }
        switch timed.outcome {
        case .success(let response):
            observe(.finished(response, after: timed.seconds))
        case .failure(let error):
            observe(.failed(ServiceError(error), request, after: timed.seconds))
        }
        return try timed.outcome.get()
    }
}
