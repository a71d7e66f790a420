// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Cancels all calls of a provider that are running, such as at a logout.
///
/// Place it first, outside all other interceptors:
///
/// ```swift
/// let calls = ServiceRunningCalls()
/// let provider = ServiceProvider<BlogService>(interceptors: [calls, ServiceRetry()])
/// // When the user logs out:
/// calls.cancelAll()
/// ```
///
/// Share one instance among providers to cancel their calls together. A stream counts until its headers have arrived: to
/// end it later, cancel its task.
public nonisolated final class ServiceRunningCalls: ServiceInterceptor {
    private let tasks = ServiceLocked<[UUID: Task<ServiceResponse, any Error>]>([:])

    /// Creates an instance without calls.
    public init() {}

    /// Cancels the calls that are running: they fail with `ServiceError.cancelled`. Calls that start later aren't affected.
    public func cancelAll() {
        // Not under the lock, because this runs other code.
        for task in tasks.withLock({ Array($0.values) }) {
            task.cancel()
        }
    }

    /// Sends the request, and cancels it if all calls are cancelled meanwhile.
    ///
    /// - Throws: The errors of the inner interceptors and the transport; `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let id = UUID()
        let task = tasks.withLock { tasks in
            let new = Task { try await next(request) }
            tasks[id] = new
            return new
        }
        defer { tasks.withLock { $0[id] = nil } }
        let response = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        // The response may have arrived just before.
        guard !task.isCancelled else { throw CancellationError() }
        return response
    }
}
