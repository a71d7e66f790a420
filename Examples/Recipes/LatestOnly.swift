// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A search as you type, with async: a new call cancels the older one.

import Foundation
import ServiceProvider

/// Cancels the running call when another one with the same topic starts.
///
///     let provider = ServiceProvider<SearchService>(interceptors: [LatestOnly()])
///
/// A service sets the topic in `prepare(_:)`: `request.topic = "search"`. Calls without one
/// aren't changed. A call that is cancelled throws `ServiceError.cancelled`, even if its
/// response has just arrived: so an older result never replaces a newer one.
actor LatestOnly {
    private var running: [String: (id: UUID, task: Task<ServiceResponse, any Error>)] = [:]
}

// In an extension, because the compiler refuses some actors that conform at once.
extension LatestOnly: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let topic = request.topic else { return try await next(request) }
        let id = UUID()
        let task = Task { try await next(request) }
        running[topic]?.task.cancel()
        running[topic] = (id, task)
        defer {
            if running[topic]?.id == id { running[topic] = nil }
        }
        let response = try await withTaskCancellationHandler {
            try await task.value
        } onCancel: {
            task.cancel()
        }
        guard !task.isCancelled else { throw CancellationError() }
        return response
    }
}

private nonisolated enum Topic: ServiceRequestOption {
    static var defaultValue: String? { nil }
}

nonisolated extension ServiceRequest {
    /// What the call is about. Only the latest call of a topic goes on.
    var topic: String? {
        get { self[Topic.self] }
        set { self[Topic.self] = newValue }
    }
}
