// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A path whose inserted values are one segment each.
///
/// ```swift
/// var percentEncodedPath: String? { ServicePath("/users/\(name)/repos").encoded }
/// ```
///
/// The name `a/b` gives `/users/a%2Fb/repos`. (In `Service.path`, it would be two segments.) The text around
/// the values is encoded as `Service.path` is. A segment that is `.` or `..` is refused when the request is
/// built. So is an empty value, because it would change which endpoint is called.
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
            append(ServicePercentDecoding.encode(literal, keeping: "!$&'()+,;=:@/"))
        }

        /// Appends a value, in which a slash is data.
        public mutating func appendInterpolation(_ value: some CustomStringConvertible) {
            let text = ServicePercentDecoding.encode(value.description)
            guard text.isEmpty else { return append(text) }
            append(encoded.hasSuffix("/") ? "." : "/.")
            isIncomplete = true
        }

        /// An empty value is a segment `.`, which is refused.
        private mutating func append(_ text: String) {
            if text.isEmpty { return }
            if isIncomplete, !text.hasPrefix("/") { encoded += "/" }
            encoded += text
            isIncomplete = false
        }
    }

    /// The path, percent-encoded, for `Service.percentEncodedPath`.
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

    /// Creates a path: `ServicePath("/users/\(name)")`.
    public init(_ path: ServicePath) {
        self = path
    }
}
