// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// How a call uses the responses that a ``ServiceCache`` has stored.
///
/// Set it in `Service.prepare(_:)`, or add it to a provider as an interceptor, which overrides the
/// policies that services set:
///
/// ```swift
/// request[ServiceCachePolicy.self] = .onlyIfCached
/// let posts = try await provider.adding(ServiceCachePolicy.reload).load(service: .posts)
/// ```
public nonisolated enum ServiceCachePolicy: ServiceRequestOption, ServiceInterceptor {
    /// Returns a fresh response from the cache, and asks the server otherwise.
    case `default`
    /// Loads the response from the server, and stores it.
    case reload
    /// Returns a fresh response from the cache, and sends nothing. Without one, the response has
    /// status 504 (RFC 9111, section 5.2.1.7).
    case onlyIfCached
    /// Like ``onlyIfCached``, but returns stale responses too, unless the server has forbidden that
    /// (RFC 9111, section 4.2.4).
    case offline

    /// The policy of a request that doesn't set one.
    public static var defaultValue: ServiceCachePolicy { .default }

    /// Sends a request with this policy.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        request[ServiceCachePolicy.self] = self
        return try await next(request)
    }
}

/// Where a response came from. Without a ``ServiceCache``, it's ``fetched``.
///
/// ```swift
/// let isStale = response.request[ServiceCacheOutcome.self] == .stale
/// ```
public nonisolated enum ServiceCacheOutcome: ServiceRequestOption, Sendable {
    /// From the server.
    case fetched
    /// From the cache, without asking the server. Its age in seconds is in the header `Age`.
    case fresh
    /// From the cache, although it's out of date. Its age in seconds is in the header `Age`.
    case stale
    /// From the cache, after the server has confirmed that it's current.
    case revalidated

    /// The outcome without a cache.
    public static var defaultValue: ServiceCacheOutcome { .fetched }
}
