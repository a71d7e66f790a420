// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider
import ServiceProviderSupport

/// An interceptor made of a closure.
public struct Intercept: ServiceInterceptor {
    public typealias Handler =
        @Sendable (ServiceRequest, ServiceNext) async throws -> ServiceResponse

    private let handle: Handler

    public init(_ handle: @escaping Handler) { self.handle = handle }

    /// Changes the request and nothing else.
    public static func changing(
        _ change: @escaping @Sendable (inout ServiceRequest) -> Void
    ) -> Intercept {
        Intercept { request, next in
            var request = request
            change(&request)
            return try await next(request)
        }
    }

    public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        try await handle(request, next)
    }
}
