// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Ends a call that takes too long, redirects, attempts and waits included: with `URLError.timedOut` as
/// ``ServiceError/transport(_:)``.
///
/// Give it first, so that all others are inside:
///
/// ```swift
/// let provider = ServiceProvider<BlogService>(interceptors: [ServiceDeadline(20), ServiceRetry()])
/// ```
///
/// (``Service/timeout`` is another thing: how long the server may be silent.) A deadline also ends a
/// download or an upload whose bytes are still flowing, so use a provider without one for files. For a
/// stream, the time runs until its head. What is under way is cancelled, and the call ends with it: an interceptor or a
/// transport that takes no notice of cancellation outlasts the deadline.
public nonisolated struct ServiceDeadline: ServiceInterceptor {
    private let seconds: TimeInterval
    private let clock: ServiceClock

    /// Makes a deadline.
    ///
    /// - Parameters:
    ///   - seconds: How long a call may take: above 0, and a week at most. Else each call throws
    ///     ``ServiceError/invalidRequest(_:reason:)``.
    ///   - clock: What measures the time.
    public init(_ seconds: TimeInterval, clock: ServiceClock = ServiceClock()) {
        (self.seconds, self.clock) = (seconds, clock)
    }

    /// Runs the call beside the time.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let isPossible = seconds > 0 && seconds <= ServiceRequest.aWeek
        try ServiceError.require(
            isPossible, .timeout, "the deadline '\(seconds)' is not above 0, and a week at most")
        return try await withThrowingTaskGroup(of: ServiceResponse.self) { group in
            defer { group.cancelAll() }
            group.addTask { try await next(request) }
            group.addTask {
                try await clock.sleep(seconds)
                let text = "the deadline of \(seconds) seconds has passed."
                let info = [NSLocalizedDescriptionKey: text]
                throw request.naming(URLError(.timedOut, userInfo: info))
            }
            guard let response = try await group.next() else { throw CancellationError() }
            return response
        }
    }
}
