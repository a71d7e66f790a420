// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Returns a provider that accepts only bodies of these media types: `"application/json"`, `"image/*"`.
    ///
    /// It sends them as `Accept`, unless the service has a header with that name. If the body of a successful
    /// response has another type, or no type, the call fails with `ServiceError.decoding(_:_:as:)` and a
    /// `ServiceContentTypeError`. Unsuccessful responses, and those without a body, may have any type.
    /// With a download or a stream, the error's response has the first 64 KB of the body, or as much of them as
    /// arrives within a second.
    ///
    /// - Parameter types: Compared without case and parameters (RFC 9110, section 8.3.1). A suffix must
    ///   match too: `application/json` doesn't accept `application/hal+json`.
    public func accepting(_ types: String...) -> ServiceProvider {
        let list = types.joined(separator: ", ")
        return wrapped(in: ServiceContentTypes(rule: ServiceContentTypeRule(types, for: list)))
    }
}

private nonisolated struct ServiceContentTypes: ServiceInterceptor {
    let rule: ServiceContentTypeRule

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        try request.setDefaultHeader("Accept", rule.accepted.joined(separator: ", "))
        let response = try await rule.send(request, with: next)
        let hasBody = response.hasDeliveredBody || !response.data.isEmpty
        guard response.hasValidStatus, hasBody else { return response }
        guard rule.accepts(response) else { throw rule.refusal(of: response) }
        return response
    }
}
