// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// A response with status 200, as a ``ServiceResponseStore`` keeps it. It can be encoded.
public nonisolated struct ServiceStoredResponse: Codable, Hashable, Sendable {
    /// The header fields, with names in lowercase, but without cookies and other secrets.
    public var fields: [String: String]
    /// The body, after decompression.
    public var body: Data
    /// The header fields of the request that the response depends on, with names in lowercase.
    public var selectors: [String: String]

    /// Makes a stored response from its parts.
    public init(fields: [String: String], body: Data, selectors: [String: String]) {
        (self.fields, self.body, self.selectors) = (fields, body, selectors)
    }
}
