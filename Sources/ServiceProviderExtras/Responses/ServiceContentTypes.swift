// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Returns a provider that accepts only bodies of these media types: `"application/json"`, `"image/*"`.
    ///
    /// It sends them as `Accept`, unless the service has a header with that name. A successful response
    /// whose body has another type, or none, fails with `ServiceError.decoding(_:_:as:)` and a
    /// `ServiceContentTypeError`. Unsuccessful responses, and those without a body, may have any type.
    ///
    /// - Parameter types: Compared without case and parameters (RFC 9110, section 8.3.1). A suffix must
    ///   match too: `application/json` doesn't accept `application/hal+json`.
    public func accepting(_ types: String...) -> ServiceProvider {
        adding(ServiceContentTypes(accepted: types))
    }
}

private nonisolated struct ServiceContentTypes: ServiceInterceptor {
    let accepted: [String]

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        let list = accepted.joined(separator: ", ")
        try request.setDefaultHeader("Accept", list)
        var response = try await next(request)
        let isGood = response.request.validStatusCodes.contains(response.statusCode)
        let type = response.header("Content-Type")
        // The body may have gone to a file or a stream.
        let isEmpty = response.statusCode == 204 || response.header("Content-Length") == "0"
        let isElsewhere = request.deliversBody && !isEmpty
        let hasBody = isElsewhere || !response.data.isEmpty
        let isAccepted = type.map(accepts) ?? false
        guard isGood && hasBody && !isAccepted else { return response }
        // Releases what the body holds, such as a temporary file.
        response.request.upload = nil
        let error = ServiceContentTypeError(contentType: type, accepted: accepted)
        throw ServiceError.decoding(error, response, as: list)
    }

    private func accepts(_ type: String) -> Bool {
        let type = ServiceMediaType(type).name
        let types = [type, type.prefix { $0 != "/" } + "/*", "*/*"]
        return accepted.contains { types.contains(ServiceMediaType($0).name) }
    }
}
