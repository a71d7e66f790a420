// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The one extension point: sees a request on its way out and its response on the way back.
///
/// ```swift
/// struct APIVersion: ServiceInterceptor {
///     func intercept(
///         _ request: ServiceRequest, next: @escaping ServiceNext
///     ) async throws -> ServiceResponse {
///         var request = request
///         try request.setHeader("X-Api-Version", "2")
///         return try await next(request)
///     }
/// }
/// ```
///
/// Interceptors run in the order in which they are given, the first one outermost. One may change the
/// request, answer without calling `next`, call it again, or throw: a ``ServiceError`` or `URLError`
/// reaches the caller as such, any other error as ``ServiceError/interceptor(_:)``. The response that
/// comes back may have any status: the provider checks it after the outermost interceptor, against the
/// valid ones of the request that was answered.
public nonisolated protocol ServiceInterceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: What is to be sent.
    ///   - next: The interceptors further in, and then the transport.
    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse
}

/// What comes after an interceptor: the interceptors further in, and then the transport.
///
/// A name of its own, since the same text means another type in a module that is compiled with
/// `NonisolatedNonsendingByDefault`, as new Xcode projects are.
public typealias ServiceNext = @Sendable (ServiceRequest) async throws -> ServiceResponse
