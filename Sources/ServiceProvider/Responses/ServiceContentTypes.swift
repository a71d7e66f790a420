// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceProvider {
    /// A provider that takes bodies of these media types only: `"application/json"`, `"image/*"`.
    ///
    /// It sends them as `Accept`, unless the service has a header of that name. A good answer whose body
    /// is of another type, or of none, ends as ``ServiceError/decoding(_:_:as:)`` with a
    /// ``ServiceContentTypeError`` and the response. Failed answers, and those without a body, may be of
    /// any type.
    ///
    /// - Parameter types: Compared without case and parameters (RFC 9110, section 8.3.1). A suffix counts
    ///   as written: `application/json` does not take `application/hal+json`.
    public func accepting(_ types: String...) -> ServiceProvider {
        adding(ServiceContentTypes(accepted: types))
    }
}

/// The server's answer is of a media type that was not asked for.
public nonisolated struct ServiceContentTypeError: LocalizedError, Sendable {
    /// The answer's `Content-Type`; nil when it has none.
    public let contentType: String?

    /// What the server says.
    public var errorDescription: String? {
        contentType.map { "its type is '\($0)'." } ?? "it has no type."
    }
}

private nonisolated struct ServiceContentTypes: ServiceInterceptor {
    let accepted: [String]

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        let list = accepted.joined(separator: ", ")
        if request.urlRequest.value(forHTTPHeaderField: "Accept") == nil {
            try request.setHeader("Accept", list)
        }
        var response = try await next(request)
        let isGood = response.request.validStatusCodes.contains(response.statusCode)
        let type = response.header("Content-Type")
        // A body that is delivered elsewhere is not here to be seen.
        let isElsewhere = request.delivery != nil && response.statusCode != 204
        let hasBody = isElsewhere || !response.data.isEmpty
        guard isGood, hasBody, type.map(accepts) != true else { return response }
        // What it holds, such as a temporary file, goes with the call.
        response.request.upload = nil
        throw ServiceError.decoding(ServiceContentTypeError(contentType: type), response, as: list)
    }

    private func accepts(_ type: String) -> Bool {
        let type = Self.bare(type)
        let types = [type, type.prefix { $0 != "/" } + "/*", "*/*"]
        return accepted.contains { types.contains(Self.bare($0)) }
    }

    /// Without parameters.
    private static func bare(_ type: String) -> String {
        type.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
}
