// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The media types that a call accepts.
package nonisolated struct ServiceContentTypeRule: Sendable {
    /// Such as `application/json` and `image/*`.
    package let accepted: [String]
    /// The expected kind of body, for the error.
    private let name: String

    package init(_ accepted: [String], for name: String) {
        self.accepted = accepted
        self.name = name
    }

    /// Whether a response has one of the types, compared without case and parameters.
    package func accepts(_ response: ServiceResponse) -> Bool {
        guard let field = response.header("Content-Type") else { return false }
        let type = ServiceMediaType(field).name
        let types = [type, type.prefix { $0 != "/" } + "/*", "*/*"]
        return accepted.contains { types.contains(ServiceMediaType($0).name) }
    }

    /// The error for a response of another type.
    package func refusal(of response: ServiceResponse) -> ServiceError {
        var response = response
        // Releases what the request's body holds, such as a temporary file.
        response.request.upload = nil
        let type = response.header("Content-Type")
        let error = ServiceContentTypeError(contentType: type, accepted: accepted)
        return .decoding(error, response, as: name)
    }
}
