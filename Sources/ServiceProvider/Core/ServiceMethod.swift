// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An HTTP method (RFC 9110, section 9).
///
/// Any token can be one: `ServiceMethod(rawValue: "PURGE")`. Methods are case-sensitive. What is not
/// a token (a space, a line break) is refused when the request is built.
public nonisolated struct ServiceMethod: RawRepresentable, Hashable, Sendable {
    /// The method as it is sent.
    public let rawValue: String

    /// Makes a method of any token.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Reads a resource.
    public static let get = ServiceMethod(rawValue: "GET")
    /// Reads a resource's head.
    public static let head = ServiceMethod(rawValue: "HEAD")
    /// Hands data to a resource, often to create another.
    public static let post = ServiceMethod(rawValue: "POST")
    /// Creates or replaces a resource.
    public static let put = ServiceMethod(rawValue: "PUT")
    /// Changes a part of a resource (RFC 5789).
    public static let patch = ServiceMethod(rawValue: "PATCH")
    /// Removes a resource.
    public static let delete = ServiceMethod(rawValue: "DELETE")
    /// Asks what a resource allows.
    public static let options = ServiceMethod(rawValue: "OPTIONS")
}

nonisolated extension ServiceMethod: CustomStringConvertible {
    /// The method as it is sent.
    public var description: String { rawValue }
}
