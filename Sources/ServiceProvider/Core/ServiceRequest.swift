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
public nonisolated struct ServiceRequest: Sendable, CustomStringConvertible {
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

    // MARK: - Building

    /// Reads a service, once, into what is sent.
    init(_ service: some Service) throws(ServiceError) {
        let encoding = service.parameterEncoding
        var destination = service.body == nil ? encoding.destination : .query
        if destination == .automatic {
            destination = [.get, .head, .delete].contains(service.method) ? .query : .json
        }
        var writer = ServiceParameterWriter(encoding: encoding, isJSON: destination == .json)
        if let parameters = service.parameters { try writer.write(parameters) }
        let query = destination == .query ? writer.text : ""
        self.init(URLRequest(url: try Self.url(of: service, query: query)))
        urlRequest.httpMethod = service.method.rawValue
        if let body = service.body {
            try setContent(of: body)
        } else if service.parameters != nil, destination != .query {
            let form = "application/x-www-form-urlencoded"
            urlRequest.httpBody = Data(writer.text.utf8)
            try setHeader("Content-Type", destination == .form ? form : "application/json")
        }
        if let timeout = service.timeout { urlRequest.timeoutInterval = min(timeout, Self.aWeek) }
        validStatusCodes = service.validStatusCodes
        sampleData = service.sampleData
        let headers = service.headers
        for (name, value) in headers { try setHeader(name, value) }
        let names = Set(headers.keys.map { $0.lowercased() })
        try ServiceError.require(names.count == headers.count, .header, "names differ only in case")
        try validate()
    }

    /// In seconds: what URLSession allows for a whole transfer. (`.infinity` would trap in URLSession
    /// on Linux.)
    static let aWeek: TimeInterval = 604_800

    private mutating func setContent(of body: ServiceBody) throws(ServiceError) {
        do {
            urlRequest.httpBody = try body.content()
        } catch {
            let reason = "it cannot be encoded: \(error)"
            throw error as? ServiceError ?? .invalidRequest(.body, reason: reason)
        }
        if let type = body.contentType { try setHeader("Content-Type", type) }
    }

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
        var path = ServicePercentEncoding.encode(service.path, keeping: "!$&'()*+,;=:@/")
        if let encoded = service.percentEncodedPath {
            path = encoded
            let isPath = URLComponents(string: "/" + path)?.percentEncodedPath == "/" + path
            try ServiceError.require(isPath, .path, "'\(path)' is not percent-encoded")
        }
        var joined = parts.percentEncodedPath
        if !path.isEmpty, joined.hasSuffix("/") { joined.removeLast() }
        joined += path.isEmpty || path.hasPrefix("/") ? path : "/" + path
        // The wire resolves them, some servers in their escaped forms too.
        let dots = [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"]
        let hasDots = joined.split(separator: "/").contains { dots.contains($0.lowercased()) }
        try ServiceError.require(!hasDots, .path, "'\(joined)' has a segment '.' or '..'")
        parts.percentEncodedPath = joined
        let queries = [parts.percentEncodedQuery ?? "", query].filter { !$0.isEmpty }
        parts.percentEncodedQuery = queries.isEmpty ? nil : queries.joined(separator: "&")
        parts.fragment = nil
        guard let url = parts.url else { throw .invalidRequest(.baseURL, reason: "it has no host") }
        return url
    }

    // MARK: - Checking

    /// Sets a header field, in place of one of the same name.
    ///
    /// `URLRequest` itself drops a value with a line break without a word, and lets a name with one
    /// through to the wire.
    ///
    /// - Parameters:
    ///   - name: A token, other than `Content-Length` and `Transfer-Encoding`.
    ///   - value: Text without control characters, except tabs. Spaces around it are not part of it.
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, which names the field and never its value.
    public mutating func setHeader(_ name: String, _ value: String) throws(ServiceError) {
        // Checked here as well as at the end, since a refused value would not be there any more.
        try Self.check(header: name, value)
        // All spaces would keep the field off the wire on Linux; empty, it is sent.
        urlRequest.setValue(value.trimmingCharacters(in: .whitespaces), forHTTPHeaderField: name)
    }

    /// The last look before the wire, at what a service or an interceptor can get wrong: URLRequest
    /// checks neither method nor header names, and a line break in them would be a second request.
    func validate() throws(ServiceError) {
        let method = urlRequest.httpMethod ?? "GET"
        try ServiceError.require(Self.isToken(method), .method, "'\(method)' is not a token")
        let hasBody = urlRequest.httpBody?.isEmpty == false || urlRequest.httpBodyStream != nil
        let isBodiless = ["GET", "HEAD"].contains(method.uppercased())
        try ServiceError.require(!hasBody || !isBodiless, .body, "'\(method)' has none")
        let isReachable = urlRequest.url.map(Self.isReachable) == true
        try ServiceError.require(
            isReachable, .baseURL, "'\(place)' is not of http or https, with a host")
        let timeout = urlRequest.timeoutInterval
        try ServiceError.require(timeout > 0, .timeout, "'\(timeout)' is not above 0")
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
            try Self.check(header: name, value)
        }
    }

    private static func check(header name: String, _ value: String) throws(ServiceError) {
        let isOurs = ["content-length", "transfer-encoding"].contains(name.lowercased())
        let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        try ServiceError.require(isToken(name), .header, "the name '\(name)' is not a token")
        try ServiceError.require(!isOurs, .header, "the transport sets '\(name)'")
        try ServiceError.require(isText, .header, "a control character in the value of '\(name)'")
    }

    /// A token (RFC 9110, section 5.6.2): what a method or a header's name is.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && ServicePercentEncoding.encode(text, keeping: "!#$%&'*+^`|") == text
    }

    /// Whether a URL is of http or https, with a host and a possible port.
    static func isReachable(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host?.isEmpty == false
            && (1...65_535).contains(url.port ?? 80)
    }

    // MARK: - Printing

    /// The method and the path, without the query: it may be secret.
    public var description: String {
        "\(urlRequest.httpMethod ?? "GET") \(urlRequest.url?.path ?? "")"
    }

    /// Where the request goes, without what may be secret.
    var place: String { ServiceRedaction.place(urlRequest.url?.absoluteString ?? "") }
}
