// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// How a call uses the responses that a ``ServiceCache`` has stored.
///
/// Set it in `Service.prepare(_:)`, or add it to a provider as an interceptor, which overrides the
/// policies that services set:
///
/// ```swift
/// request.cachePolicy = .onlyIfCached
/// let posts = try await provider.wrapped(in: ServiceCachePolicy.reload).load(service: .posts)
/// ```
public nonisolated enum ServiceCachePolicy: ServiceInterceptor {
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

    /// Sends a request with this policy.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        request.cachePolicy = self
        return try await next(request)
    }
}

nonisolated extension ServiceRequest {
    private enum CachePolicy: ServiceRequestOption {
        static var defaultValue: ServiceCachePolicy { .default }
    }

    /// How the call uses stored responses. Default: `.default`.
    public var cachePolicy: ServiceCachePolicy {
        get { self[CachePolicy.self] }
        set { self[CachePolicy.self] = newValue }
    }
}

/// Where a response came from. Without a ``ServiceCache``, it's ``fetched``.
///
/// ```swift
/// let isStale = response.cacheOutcome == .stale
/// ```
public nonisolated enum ServiceCacheOutcome: Sendable {
    /// From the server.
    case fetched
    /// From the cache, without asking the server. Its age in seconds is in the header `Age`.
    case fresh
    /// From the cache, although it's out of date. Its age in seconds is in the header `Age`.
    case stale
    /// From the cache, after the server has confirmed that it's current.
    case revalidated
}

nonisolated extension ServiceResponse {
    /// Where the response came from.
    public internal(set) var cacheOutcome: ServiceCacheOutcome {
        get { request.cacheOutcome }
        set { request.cacheOutcome = newValue }
    }
}

nonisolated extension ServiceRequest {
    private enum CacheOutcome: ServiceRequestOption {
        static var defaultValue: ServiceCacheOutcome { .fetched }
    }

    /// Where the response to this request came from.
    var cacheOutcome: ServiceCacheOutcome {
        get { self[CacheOutcome.self] }
        set { self[CacheOutcome.self] = newValue }
    }
}
