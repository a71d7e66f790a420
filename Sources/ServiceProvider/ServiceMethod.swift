// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// An HTTP method (RFC 9110, section 9).
///
/// Any HTTP token (letters, digits and some symbols) can be a method:
/// `ServiceMethod(rawValue: "PURGE")`. Building the request fails for any
/// other string. Methods are case-sensitive.
public nonisolated struct ServiceMethod: RawRepresentable, Hashable, Sendable {
    /// The method as it is sent.
    public let rawValue: String

    /// Creates a method from an HTTP token.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Reads a resource.
    public static let get = ServiceMethod(rawValue: "GET")
    /// Reads the headers of a resource.
    public static let head = ServiceMethod(rawValue: "HEAD")
    /// Sends data to a resource, often to create another one.
    public static let post = ServiceMethod(rawValue: "POST")
    /// Creates or replaces a resource.
    public static let put = ServiceMethod(rawValue: "PUT")
    /// Changes a part of a resource (RFC 5789).
    public static let patch = ServiceMethod(rawValue: "PATCH")
    /// Removes a resource.
    public static let delete = ServiceMethod(rawValue: "DELETE")
    /// Reads the options of a resource.
    public static let options = ServiceMethod(rawValue: "OPTIONS")

    /// The methods that can be sent twice with the same effect (RFC 9110, section 9.2.2).
    public static let idempotent: Set = [get, head, put, delete, options, .init(rawValue: "TRACE")]
}
