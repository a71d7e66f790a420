// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Cancels many calls with one line, for example when the user logs out.
///
/// ```swift
/// let calls = ServiceCallGroup()
/// let provider = ServiceProvider<API>(interceptors: [calls])
/// calls.cancelAll()
/// ```
///
/// Cancelled calls fail with `ServiceError.cancelled`. A group belongs to the providers that have it as an interceptor;
/// make it the first one, so that it also cancels calls that wait. A call joins the group when its interceptors run,
/// shortly after `load` has returned. It leaves at its end, or a stream when its headers have arrived. Calls that join
/// later aren't affected.
public nonisolated final class ServiceCallGroup: ServiceInterceptor {
    private typealias Call = (tag: String?, task: Task<ServiceResponse, any Error>)

    private let calls = ServiceLocked<[UUID: Call]>([:])

    /// Makes a group without calls.
    public init() {}

    /// How many calls are running.
    public var count: Int { calls.withLock { $0.count } }

    /// Cancels all running calls.
    public func cancelAll() {
        for call in calls.withLock({ $0 }).values {
            call.task.cancel()
        }
    }

    /// Cancels the running calls with a tag. See `ServiceRequest.tag`.
    public func cancel(tag: String) {
        for call in calls.withLock({ $0 }).values where call.tag == tag {
            call.task.cancel()
        }
    }

    /// Sends the request in a task that the group can cancel.
    ///
    /// - Throws: The errors of the inner interceptors and the transport; `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let id = UUID()
        // Under the lock, so that the call is in the group before it is sent.
        let task = calls.withLock { calls in
            let task = Task { try await next(request) }
            calls[id] = (request.tag, task)
            return task
        }
        defer { leave(id) }
        let response = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        // Even if it has just succeeded.
        guard !task.isCancelled else { throw CancellationError() }
        return response
    }

    private func leave(_ id: UUID) {
        calls.withLock { calls in
            calls[id] = nil
        }
    }
}

nonisolated extension ServiceRequest {
    private enum Tag: ServiceRequestOption {
        static var defaultValue: String? { nil }
    }

    /// A name shared by calls that are cancelled together. See ``ServiceCallGroup/cancel(tag:)``.
    /// Default: nil.
    public var tag: String? {
        get { self[Tag.self] }
        set { self[Tag.self] = newValue }
    }
}
