// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Puts a credential into each request: `.bearer("t")`, `.basic(user: "u", password: "p")`,
/// `.header("X-Api-Key", "k")`, `.query("apikey", "k")`, or each of them by a closure:
/// `.bearer { await keychain.token }`.
///
/// It replaces what the service has put there itself. A closure is called for each request; one that
/// gives nil lets the request go as it is. For tokens that expire, see `ServiceAuthenticator`.
public nonisolated struct ServiceAuthorization: ServiceInterceptor {
    /// Gives the credential; nil where there is none.
    public typealias Value = @concurrent @Sendable () async throws -> String?

    private let authorize: @concurrent @Sendable (inout ServiceRequest) async throws -> Void

    /// Makes one of a closure, as a signature needs it.
    ///
    /// - Parameter authorize: Changes each request. What it throws is the call's error.
    public init(
        _ authorize: @escaping @concurrent @Sendable (inout ServiceRequest) async throws -> Void
    ) {
        self.authorize = authorize
    }

    /// `Authorization: Basic …`, in UTF-8 (RFC 7617).
    ///
    /// A user with a colon, or a control character in either, is
    /// ``ServiceError/invalidRequest(_:reason:)`` in each call.
    public static func basic(user: String, password: String) -> ServiceAuthorization {
        basic { (user, password) }
    }

    /// `Authorization: Basic …`, in UTF-8 (RFC 7617), of a user and a password that are asked for.
    public static func basic(
        _ login:
            @escaping @concurrent @Sendable () async throws -> (
                user: String, password: String
            )?
    ) -> ServiceAuthorization {
        header("Authorization") {
            guard let (user, password) = try await login() else { return nil }
            let text = "\(user):\(password)"
            let isText = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }
            let isUser = !user.utf8.contains(UInt8(ascii: ":"))
            try ServiceError.require(isUser, .header, "a user of 'Authorization' has a colon")
            try ServiceError.require(isText, .header, "a control character in 'Authorization'")
            return "Basic \(Data(text.utf8).base64EncodedString())"
        }
    }

    /// `Authorization: Bearer …` (RFC 6750).
    public static func bearer(_ token: String) -> ServiceAuthorization { bearer { token } }

    /// `Authorization: Bearer …` (RFC 6750), of a token that is asked for.
    public static func bearer(_ token: @escaping Value) -> ServiceAuthorization {
        header("Authorization") { try await token().map { "Bearer \($0)" } }
    }

    /// A header field of any name, which no text of the library shows from then on.
    public static func header(_ name: String, _ value: String) -> ServiceAuthorization {
        header(name) { value }
    }

    /// A header field of any name, whose value is asked for.
    public static func header(_ name: String, _ value: @escaping Value) -> ServiceAuthorization {
        ServiceAuthorization { request in
            guard let value = try await value() else { return }
            try request.setHeader(name, value)
            request.secretNames.insert(name)
        }
    }

    /// A query item, which no text of the library shows from then on.
    public static func query(_ name: String, _ value: String) -> ServiceAuthorization {
        query(name) { value }
    }

    /// A query item, whose value is asked for.
    public static func query(_ name: String, _ value: @escaping Value) -> ServiceAuthorization {
        ServiceAuthorization { request in
            guard let value = try await value() else { return }
            request.setQueryItem(name, value)
            request.secretNames.insert(name)
        }
    }

    /// Puts the credential in.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        try await authorize(&request)
        return try await next(request)
    }
}

nonisolated extension ServiceRequest {
    /// As text, since `URLComponents` would write the other items anew.
    fileprivate mutating func setQueryItem(_ name: String, _ value: String) {
        let text = urlRequest.url?.absoluteString ?? ""
        let place = text.prefix { $0 != "?" && $0 != "#" }
        let query = text.dropFirst(place.count).prefix { $0 != "#" }.dropFirst()
        let others = query.split(separator: "&").filter {
            $0.prefix { $0 != "=" }.removingPercentEncoding != name
        }
        let item = [name, value].map { ServicePercentEncoding.encode($0) }.joined(separator: "=")
        let items = others.map(String.init) + [item]
        urlRequest.url = URL(string: place + "?" + items.joined(separator: "&"))
    }
}
