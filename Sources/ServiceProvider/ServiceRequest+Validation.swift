// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
    /// The longest timeout, in seconds: a week. (URLSession on Linux traps at infinity.)
    package static let maximumTimeout: TimeInterval = 604_800

    /// Checks everything that `URLRequest` doesn't. The provider calls it before each request is sent.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a method or a header name that isn't a
    ///   token, a header value with control characters, a GET or HEAD with a body, a URL without a
    ///   host or without the scheme http or https, and a timeout of 0 or less.
    public func validate() throws {
        let isHTTP = urlRequest.url.map(Self.isHTTP) ?? false
        try ServiceError.require(
            isHTTP, of: .baseURL, reason: "the URL isn't http or https, or has no host")
        try validateFields()
    }

    /// Checks everything but the URL.
    func validateFields() throws {
        let method = urlRequest.httpMethod ?? "GET"
        try ServiceError.require(
            Self.isToken(method), of: .method, reason: "'\(method)' isn't a valid name")
        let timeout = urlRequest.timeoutInterval
        try ServiceError.require(
            timeout > 0, of: .timeout, reason: "'\(timeout)' isn't above 0")
        let mayHaveBody = !["GET", "HEAD"].contains(method.uppercased())
        try ServiceError.require(
            mayHaveBody || !hasBody, of: .body, reason: "a '\(method)' can't have a body")
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
            try Self.validate(header: name, value: value)
        }
    }

    /// Checks a header field (RFC 9110, section 5).
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a name that isn't a token, a value with
    ///   control characters, and fields that the transport sets.
    public static func validate(header name: String, value: String) throws {
        guard isToken(name) else {
            // The rest may be secret.
            let start = name.prefix { isToken(String($0)) }
            throw ServiceError.invalidRequest(.header, reason: "the name '\(start)…' isn't valid")
        }
        let isFraming = ["content-length", "transfer-encoding"].contains(name.lowercased())
        try ServiceError.require(
            !isFraming, of: .header, reason: "the transport sets '\(name)'")
        // Tabs are allowed (RFC 9110, section 5.5).
        let isText = value.hasOnlyBytes { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
        try ServiceError.require(
            isText, of: .header, reason: "a control character in the value of '\(name)'")
    }

    /// Whether a string is an HTTP token (RFC 9110, section 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && ServicePercentEncoding.isUnchanged(text, keeping: "!#$%&'*+^`|")
    }
}
