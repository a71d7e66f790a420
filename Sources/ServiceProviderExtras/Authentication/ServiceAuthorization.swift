// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Adds a credential to each request: `.bearer("t")`, `.basic(user: "u", password: "p")`,
/// `.header("X-Api-Key", "k")` or `.query("apikey", "k")`. Each of them also takes a closure:
/// `.bearer { await keychain.token }`.
///
/// The credential replaces a header or query item of the same name that the service has set. A
/// closure is called for each request; if it returns nil, the request is sent unchanged. For tokens
/// that expire, use `ServiceAuthenticator`.
public nonisolated struct ServiceAuthorization: ServiceInterceptor {
    /// Returns the credential, or nil.
    public typealias Value = @concurrent @Sendable () async throws -> String?
    /// Returns a user and a password, or nil.
    public typealias Login =
        @concurrent @Sendable () async throws -> (user: String, password: String)?

    private let authorize: @concurrent @Sendable (inout ServiceRequest) async throws -> Void

    /// Makes an authorization from a closure, for example to sign requests.
    ///
    /// - Parameter authorize: Changes each request. If it throws, the call fails with that error.
    public init(
        _ authorize: @escaping @concurrent @Sendable (inout ServiceRequest) async throws -> Void
    ) {
        self.authorize = authorize
    }

    /// `Authorization: Basic …`, in UTF-8 (RFC 7617).
    ///
    /// If the user has a colon, or either text has a control character, each call throws
    /// `ServiceError.invalidRequest(_:reason:)`.
    public static func basic(user: String, password: String) -> Self { basic { (user, password) } }

    /// `Authorization: Basic …`, in UTF-8 (RFC 7617), with a user and a password from a closure.
    public static func basic(_ login: @escaping Login) -> Self {
        header("Authorization") {
            guard let (user, password) = try await login() else { return nil }
            let text = Data(Array("\(user):\(password)".utf8))
            let hasControlCharacter = text.contains { $0 < 0x20 || $0 == 0x7F }
            guard !user.utf8.contains(UInt8(ascii: ":")), !hasControlCharacter else {
                let reason =
                    "Basic credentials can't have a colon in the user, or control characters"
                throw ServiceError.invalidRequest(.header, reason: reason)
            }
            return "Basic \(text.base64EncodedString())"
        }
    }

    /// `Authorization: Bearer …` (RFC 6750).
    public static func bearer(_ token: String) -> Self { bearer { token } }

    /// `Authorization: Bearer …` (RFC 6750), with a token from a closure.
    public static func bearer(_ token: @escaping Value) -> Self {
        header("Authorization") { try await token().map { "Bearer \($0)" } }
    }

    /// A header field with any name. Its value is secret: the library's texts show `***`.
    public static func header(_ name: String, _ value: String) -> Self { header(name) { value } }

    /// A header field with any name, and a value from a closure.
    public static func header(_ name: String, _ value: @escaping Value) -> Self {
        ServiceAuthorization { request in
            guard let value = try await value() else { return }
            try request.setHeader(name, to: value)
            request.secretNames.insert(name)
        }
    }

    /// A query item. Its value is secret: the library's texts show `***`.
    public static func query(_ name: String, _ value: String) -> Self { query(name) { value } }

    /// A query item with a value from a closure.
    public static func query(_ name: String, _ value: @escaping Value) -> Self {
        ServiceAuthorization { request in
            guard let value = try await value() else { return }
            request.setQueryItem(name, value)
            request.secretNames.insert(name)
        }
    }

    /// Sends the request with the credential.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        try await authorize(&request)
        return try await next(request)
    }
}

nonisolated extension ServiceRequest {
    /// Adds a query item, in place of those with the same name. The other items stay as they are.
    fileprivate mutating func setQueryItem(_ name: String, _ value: String) {
        var parts = urlRequest.url.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        parts?.percentEncodedQueryItems?.removeAll {
            $0.name.removingPercentEncoding?.isIdentical(to: name) == true
        }
        let item = ServicePercentEncoding.encode(name) + "=" + ServicePercentEncoding.encode(value)
        var items = [item]
        if let query = parts?.percentEncodedQuery, !query.isEmpty {
            items.insert(query, at: 0)
        }
        parts?.percentEncodedQuery = items.joined(separator: "&")
        urlRequest.url = parts?.url
    }
}
