// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP answer: status, headers and body.
public nonisolated struct ServiceResponse: Sendable, CustomStringConvertible {
    /// The request that was answered: the last one, after redirects.
    public internal(set) var request: ServiceRequest
    /// The answer's head.
    public let http: HTTPURLResponse
    /// The body; no bytes when there is none.
    public var data: Data

    /// Makes a response, as a transport or a stub does.
    public init(request: ServiceRequest, http: HTTPURLResponse, data: Data = Data()) {
        self.request = request
        self.http = http
        self.data = data
    }

    /// The status code, such as 200.
    public var statusCode: Int { http.statusCode }

    /// The value of a header field, its name in any case; nil when it did not come.
    public func header(_ name: String) -> String? {
        http.value(forHTTPHeaderField: name)
    }

    /// The status codes that count as success unless a service says otherwise: 200 to 299.
    public static let successfulStatusCodes = Set(200...299)

    /// The status, the size, and the request without its secrets.
    public var description: String { "\(statusCode), \(data.count) bytes, for \(request)" }
}
