// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A search as you type, with async: a new call cancels the older one.

import Dispatch
import Foundation
import ServiceProvider

/// Cancels the running call when another one with the same topic starts.
///
///     let provider = ServiceProvider<SearchService>(interceptors: [LatestOnly()])
///
/// A service sets the topic in `prepare(_:)`: `request.topic = "search"`. Calls without one
/// aren't changed. A call that is cancelled throws `ServiceError.cancelled`, even if its
/// response has just arrived, or if it comes here late: so an older result never replaces a
/// newer one.
actor LatestOnly {
    private var running: [String: Task<ServiceResponse, any Error>] = [:]
    /// When the latest call of each topic has set it. A few topics: each stays here.
    private var latest: [String: DispatchTime] = [:]
}

// In an extension, because the compiler refuses some actors that conform at once.
extension LatestOnly: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let topic = request[Topic.self] else { return try await next(request) }
        // Calls that waited, for example for a token, may come in another order.
        if let latest = latest[topic.name], latest > topic.time { throw CancellationError() }
        latest[topic.name] = topic.time
        running[topic.name]?.cancel()
        let task = Task { try await next(request) }
        running[topic.name] = task
        defer {
            if running[topic.name] == task { running[topic.name] = nil }
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
    static var defaultValue: (name: String, time: DispatchTime)? { nil }
}

nonisolated extension ServiceRequest {
    /// What the call is about. Only the latest call of a topic goes on.
    var topic: String? {
        get { self[Topic.self]?.name }
        set { self[Topic.self] = newValue.map { ($0, .now()) } }
    }
}
