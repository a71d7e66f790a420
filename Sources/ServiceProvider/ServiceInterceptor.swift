// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Changes requests on their way out and responses on their way back.
///
/// ```swift
/// struct APIVersion: ServiceInterceptor {
///     func intercept(
///         _ request: ServiceRequest, next: @escaping ServiceNext
///     ) async throws -> ServiceResponse {
///         var request = request
///         try request.setHeader("X-Api-Version", to: "2")
///         return try await next(request)
///     }
/// }
///
/// let provider = ServiceProvider<MarvelService>(interceptors: [APIVersion()])
/// ```
///
/// Interceptors run in the order of the list; the first is the outermost. An interceptor can change the
/// request, call `next` again, return a response without calling it, or throw. A ``ServiceError`` reaches the
/// caller as it is. Other errors are wrapped by ``ServiceError/init(_:of:)``.
///
/// The response may have any status. The provider checks it after the outermost interceptor, against the
/// ``ServiceRequest/validStatusCodes`` of the response's request.
public nonisolated protocol ServiceInterceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - next: Runs the inner interceptors, and then the transport.
    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse
}

/// The rest of the chain: the inner interceptors, and then the transport.
///
/// Use this alias: written out, the closure type means a different type in modules with
/// `NonisolatedNonsendingByDefault`, as in new Xcode projects.
public typealias ServiceNext = @Sendable (ServiceRequest) async throws -> ServiceResponse
