// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What happens to a request, told as it happens: for metrics, spinners and traces.
///
/// ```swift
/// let observer = ServiceObserver { event in
///     if case .answered(let response, let seconds) = event { meter.add(response.statusCode, seconds) }
/// }
/// ```
///
/// As the outermost interceptor it sees a call once; further in than retry, each of its attempts.
public nonisolated struct ServiceObserver: ServiceInterceptor {
    /// A step of a request. Each one that starts ends in one of the other two.
    public enum Event: Sendable {
        /// It is on its way.
        case started(ServiceRequest)
        /// An answer of any status is here, so many seconds after the start: for a stream, its head.
        case answered(ServiceResponse, after: TimeInterval)
        /// There is no answer, so many seconds after the start.
        case failed(ServiceError, ServiceRequest, after: TimeInterval)
    }

    private let clock: ServiceClock
    private let observe: @Sendable (Event) -> Void

    /// Makes an observer.
    ///
    /// - Parameters:
    ///   - clock: What the seconds are taken from. Default: the system's.
    ///   - observe: Called where the call runs, which waits for it.
    public init(
        clock: ServiceClock = ServiceClock(), observe: @escaping @Sendable (Event) -> Void
    ) {
        self.clock = clock
        self.observe = observe
    }

    /// Tells of the request.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let start = clock.now()
        observe(.started(request))
        do {
            let response = try await next(request)
            observe(.answered(response, after: max(clock.now().timeIntervalSince(start), 0)))
            return response
        } catch {
            let seconds = max(clock.now().timeIntervalSince(start), 0)
            observe(.failed(ServiceError(error), request, after: seconds))
            throw error
        }
    }
}

nonisolated extension ServiceProvider {
    /// The same provider, which tells of every call that fails in the end: one place for alerts, signing
    /// out, and reports.
    ///
    /// It is told once for a call, before the caller is: also of a request that could not be built, of a
    /// status that is not valid, of an answer that cannot be decoded, of a stream that breaks off, and of
    /// ``ServiceError/cancelled``, unless the answer was there already. Of several handlers, the one added
    /// last is told first.
    ///
    /// - Parameter handler: Gets the error, and the request unless it could not be built. Called where
    ///   the call runs, which waits for it.
    public func onFailure(
        _ handler: @escaping @Sendable (ServiceError, ServiceRequest?) -> Void
    ) -> ServiceProvider {
        let earlier = pipeline.onFailure
        let both: @Sendable (ServiceError, ServiceRequest?) -> Void = { error, request in
            handler(error, request)
            earlier?(error, request)
        }
        return ServiceProvider(pipeline.with(onFailure: both))
    }
}
