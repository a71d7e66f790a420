// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// An option with its own key.
private enum TraceName: ServiceRequestOption {
    static var defaultValue: String? { nil }
}

extension ServiceRequest {
    /// The name of the call in traces. Default: nil, which doesn't trace the call.
    var traceName: String? {
        get { self[TraceName.self] }
        set { self[TraceName.self] = newValue }
    }
}

/// Sends a header with the name of each traced call, and retries if the server is busy.
struct Tracing: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let name = request.traceName else { return try await next(request) }
        var request = request
        try request.setHeader("X-Trace", to: name)
        let response = try await next(request)
        let isGet = request.urlRequest.httpMethod ?? "GET" == "GET"
        let isRepeatable = request.isRepeatable ?? isGet
        guard response.statusCode == 503, isRepeatable else { return response }
        try request.setHeader("X-Trace", to: name + ", again")
        return try await next(request)
    }
}
