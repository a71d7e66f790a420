// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A path with inserted values, each of them one segment.
///
/// ```swift
/// func prepare(_ request: inout ServiceRequest) throws {
///     try request.appendPath("/users/\(name)/repos")
/// }
/// ```
///
/// The name `a/b` gives `/users/a%2Fb/repos`. (In `Service.path`, it would be two segments.) The text around
/// the values is encoded as `Service.path` is. A value with a segment `.` or `..` is refused, such as `a/../b`:
/// some servers decode `%2F` first. So is an empty value, because it would change which endpoint is called.
public nonisolated struct ServicePath: ExpressibleByStringInterpolation, Sendable {
    /// Collects the text and the values of a path.
    public struct StringInterpolation: StringInterpolationProtocol, Sendable {
        fileprivate var encoded = ""
        /// Whether the last value was empty.
        private var isIncomplete = false

        /// Creates an empty interpolation.
        public init(literalCapacity: Int, interpolationCount: Int) {}

        /// Appends text, in which slashes separate segments.
        public mutating func appendLiteral(_ literal: String) {
            append(ServicePercentEncoding.encode(literal, keeping: "!$&'()*+,;=:@/"))
        }

        /// Appends a value, in which a slash is data.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let text = ServicePercentEncoding.encode(value.description)
            guard text.isEmpty else { return append(text) }
            if !encoded.hasSuffix("/") {
                append("/")
            }
            append(".")
            isIncomplete = true
        }

        /// An empty value is a segment `.`, which is refused.
        private mutating func append(_ text: String) {
            guard !text.isEmpty else { return }
            if isIncomplete, !text.hasPrefix("/") {
                encoded += "/"
            }
            encoded += text
            isIncomplete = false
        }
    }

    /// The path, percent-encoded.
    public let encoded: String

    /// Creates a path from text without values.
    public init(stringLiteral value: String) {
        var path = StringInterpolation(literalCapacity: 0, interpolationCount: 0)
        path.appendLiteral(value)
        encoded = path.encoded
    }

    /// Creates a path from text with values.
    public init(stringInterpolation: StringInterpolation) {
        encoded = stringInterpolation.encoded
    }

    /// Creates a path from percent-encoded text, such as `/users/a%2Fb`.
    ///
    /// - Returns: Nil if the text has characters that a path can't contain, such as `?`.
    public init?(percentEncoded text: String) {
        // The setter of URLComponents traps on other text.
        let parts = URLComponents(string: "http://host/" + text)
        guard parts?.percentEncodedPath == "/" + text else { return nil }
        encoded = text
    }

    /// Creates a path: `ServicePath("/users/\(name)")`.
    public init(_ path: ServicePath) {
        self = path
    }
}

nonisolated extension ServicePath {
    /// Whether the decoded path has a segment `.` or `..`.
    fileprivate var hasDotSegment: Bool {
        let path = ArraySlice(field: ServicePercentDecoding.decode(encoded))
        let segments = path.words(separatedBy: "/\\;")
        return segments.contains { $0.isIdentical(to: ".") || $0.isIdentical(to: "..") }
    }
}

nonisolated extension ServiceRequest {
    /// Appends a path to that of the URL, with exactly one slash between them.
    ///
    /// - Throws: `ServiceError.invalidRequest(_:reason:)` for a segment `.` or `..`, and for an empty value.
    public mutating func appendPath(_ path: ServicePath) throws {
        try ServiceError.require(
            !path.hasDotSegment, of: .path, reason: "a value is empty, or has a segment '.' or '..'"
        )
        guard let url = urlRequest.url, var parts = URLComponents(string: url.absoluteString)
        else { return }
        var base = parts.percentEncodedPath
        if base.hasSuffix("/") {
            base.removeLast()
        }
        if !path.encoded.hasPrefix("/") {
            base += "/"
        }
        parts.percentEncodedPath = base + path.encoded
        urlRequest.url = parts.url
    }
}
