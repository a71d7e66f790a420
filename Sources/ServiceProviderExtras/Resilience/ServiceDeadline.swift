// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Ends a call that takes too long, including redirects, retries and waits: it fails with
/// `URLError.timedOut` as `ServiceError.transport(_:)`.
///
/// Place it outside all other interceptors but a log, which would report the call as cancelled:
///
/// ```swift
/// let provider = ServiceProvider<BlogService>(
///     interceptors: [ServiceDeadline(20), ServiceRetry()])
/// ```
///
/// (`Service.timeout` limits how long the server may be silent.) A deadline also ends a download or
/// upload that is still running, so use a provider without one for files. The deadline of a stream
/// ends with its head. The call is cancelled and ends when its work stops, so an interceptor or a
/// transport that ignores cancellation outlasts the deadline.
public nonisolated struct ServiceDeadline: ServiceInterceptor {
    private let seconds: TimeInterval
    private let clock: ServiceClock

    /// Creates a deadline.
    ///
    /// - Parameters:
    ///   - seconds: How long a call may take: more than 0, and at most a week. With any other
    ///     number, each call throws `ServiceError.invalidRequest(_:reason:)`.
    ///   - clock: The clock that measures the time.
    public init(_ seconds: TimeInterval, clock: ServiceClock = ServiceClock()) {
        self.seconds = seconds
        self.clock = clock
    }

    /// Sends the request, and cancels it when its time is over.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard seconds > 0, seconds == seconds.atMostAWeek else {
            let reason = "the deadline '\(seconds)' must be above 0 and at most a week"
            throw ServiceError.invalidRequest(.timeout, reason: reason)
        }
        return try await withThrowingTaskGroup(of: ServiceResponse.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await next(request) }
            group.addTask {
                try await clock.sleep(seconds)
                throw URLError(.timedOut, "the deadline of \(seconds) seconds has passed.")
            }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }
}
