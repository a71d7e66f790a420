// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// All that is sent for one call, and what is wanted back: what a ``Service`` turns into.
///
/// Interceptors receive it and may change it; a transport sends ``urlRequest`` as it is.
public nonisolated struct ServiceRequest: Sendable {
    /// The request, complete: usable with any other client.
    public var urlRequest: URLRequest
    /// The status codes that count as success. Default: 200 to 299.
    public var validStatusCodes = ServiceResponse.successfulStatusCodes
    /// Whether the request may be sent twice. Default: when its method is idempotent (RFC 9110,
    /// section 9.2.2).
    public var isRepeatable: Bool
    /// What a stub answers. Default: no bytes.
    public var sampleData = Data()

    /// Makes a request that belongs to no service.
    public init(_ urlRequest: URLRequest) {
        self.urlRequest = urlRequest
        let idempotent = ["GET", "HEAD", "PUT", "DELETE", "OPTIONS", "TRACE"]
        isRepeatable = idempotent.contains(urlRequest.httpMethod ?? "GET")
    }

    /// Reads a service, once, into what is sent.
    init(_ service: some Service) throws(ServiceError) {
        let encoding = service.parameterEncoding
        var destination = service.body == nil ? encoding.destination : .query
        if destination == .automatic {
            destination = [.get, .head, .delete].contains(service.method) ? .query : .json
        }
        let text = try service.parameters.map { parameters throws(ServiceError) in
            try ServiceParameterWriter.text(of: parameters, encoding, isJSON: destination == .json)
        }
        let url = try Self.url(of: service, query: destination == .query ? text ?? "" : "")
        var request = URLRequest(url: url)
        request.httpMethod = service.method.rawValue
        if let timeout = service.timeout { request.timeoutInterval = min(timeout, Self.aWeek) }
        self.init(request)
        if let body = service.body {
            urlRequest.httpBody = try body.content()
            if let type = body.contentType { try setHeader("Content-Type", type) }
        } else if let text, destination != .query {
            urlRequest.httpBody = Data(text.utf8)
            let type = destination == .json ? "application/json" : ServiceBody.formType
            try setHeader("Content-Type", type)
        }
        try setHeaders(service.headers)
        validStatusCodes = service.validStatusCodes
        sampleData = service.sampleData
        try validate()
    }

    /// In seconds: what URLSession allows for a whole transfer. (`.infinity` would trap in URLSession
    /// on Linux.)
    static let aWeek: TimeInterval = 604_800

    /// Joins base, path and query.
    ///
    /// By components and their percent-encoded parts: the text that `appendingPathComponent` gives
    /// changes with the version of Foundation, and `URL(string:relativeTo:)` lets a path change the
    /// host. What becomes of a URL that is not percent-encoded changes too: it is refused.
    private static func url(of service: some Service, query: String) throws(ServiceError) -> URL {
        let base = service.baseURL
        guard var parts = URLComponents(string: base), parts.string == base else {
            let place = ServiceRedaction.place(base)
            throw .invalidRequest(.baseURL, reason: "'\(place)' is not a percent-encoded URL")
        }
        let encoded = service.percentEncodedPath
        if let encoded, URLComponents(string: "/" + encoded)?.percentEncodedPath != "/" + encoded {
            throw .invalidRequest(.path, reason: "'\(encoded)' is not percent-encoded")
        }
        let path = encoded ?? ServicePercentEncoding.encode(service.path, isPath: true)
        var joined = parts.percentEncodedPath
        if !path.isEmpty {
            if joined.hasSuffix("/") { joined.removeLast() }
            joined += path.hasPrefix("/") ? path : "/" + path
        }
        if joined.split(separator: "/").contains(where: { dotSegments.contains($0.lowercased()) }) {
            throw .invalidRequest(.path, reason: "'\(joined)' has a segment '.' or '..'")
        }
        parts.percentEncodedPath = joined
        let queries = [parts.percentEncodedQuery ?? "", query].filter { !$0.isEmpty }
        parts.percentEncodedQuery = queries.isEmpty ? nil : queries.joined(separator: "&")
        parts.fragment = nil
        guard let url = parts.url else {
            throw .invalidRequest(.baseURL, reason: "it has no host for '\(joined)'")
        }
        return url
    }

    /// The wire resolves them, some servers in their escaped forms too.
    private static let dotSegments: Set = [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"]
}
