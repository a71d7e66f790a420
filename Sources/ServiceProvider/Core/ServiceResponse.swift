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
    /// The body; no bytes when there is none.
    public var data: Data
    private let head: HTTPURLResponse
    /// Makes the header fields, where `head` is without them.
    private let fields: (@Sendable () -> [String: String])?

    /// Makes a response, as a transport or a stub does.
    public init(request: ServiceRequest, http: HTTPURLResponse, data: Data = Data()) {
        (self.request, self.data, head, fields) = (request, data, http, nil)
    }

    /// Makes a response of its parts. Making a head of all fields takes longer than all else on Linux; this
    /// way it is made when, and each time, somebody asks for it.
    ///
    /// - Returns: Nil where Foundation makes no head of the URL and the status code.
    public init?(
        request: ServiceRequest, url: URL, statusCode: Int,
        headers: @autoclosure @escaping @Sendable () -> [String: String], data: Data
    ) {
        let head = HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: nil, headerFields: nil)
        guard let head else { return nil }
        (self.request, self.data, self.head, fields) = (request, data, head, headers)
    }

    /// The answer's head; a new one each time, of a response that was made of its parts.
    public var http: HTTPURLResponse {
        guard let fields, let url = head.url else { return head }
        return HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: fields())
            ?? head
    }

    /// The status code, such as 200.
    public var statusCode: Int { head.statusCode }

    /// The value of a header field, its name in any case; nil when it did not come.
    public func header(_ name: String) -> String? {
        guard let fields = fields?() else { return head.value(forHTTPHeaderField: name) }
        let name = name.lowercased()
        return fields[name] ?? fields.first { $0.key.lowercased() == name }?.value
    }

    /// The status codes that count as success unless a service says otherwise: 200 to 299.
    public static let successfulStatusCodes = Set(200...299)

    /// The status, the size, and the request without its secrets.
    public var description: String { "\(statusCode), \(data.count) bytes, for \(request)" }
}

nonisolated extension ServiceResponse: CustomReflectable {
    /// Empty: `dump` would print headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
