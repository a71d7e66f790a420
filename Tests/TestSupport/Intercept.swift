// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider

/// An interceptor made of a closure.
package struct Intercept: ServiceInterceptor {
    package typealias Next = @Sendable (ServiceRequest) async throws -> ServiceResponse
    private let handle: @Sendable (ServiceRequest, Next) async throws -> ServiceResponse

    package init(
        _ handle: @escaping @Sendable (ServiceRequest, Next) async throws -> ServiceResponse
    ) {
        self.handle = handle
    }

    /// Changes the request and nothing else.
    package static func changing(
        _ change: @escaping @Sendable (inout ServiceRequest) -> Void
    ) -> Intercept {
        Intercept { request, next in
            var request = request
            change(&request)
            return try await next(request)
        }
    }

    package func intercept(
        _ request: ServiceRequest,
        next: @escaping @Sendable (ServiceRequest) async throws -> ServiceResponse
    ) async throws -> ServiceResponse {
        try await handle(request, next)
    }
}
