// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
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

    mutating func setHeaders(_ headers: [String: String]) throws(ServiceError) {
        for (name, value) in headers { try setHeader(name, value) }
        guard Set(headers.keys.map { $0.lowercased() }).count == headers.count else {
            throw .invalidRequest(.header, reason: "two names differ in nothing but case")
        }
    }

    /// The last look before the wire, at what a service or an interceptor can get wrong: URLRequest
    /// checks neither method nor header names, and a line break in them would be a second request.
    func validate() throws(ServiceError) {
        let method = urlRequest.httpMethod ?? "GET"
        guard Self.isToken(method) else {
            throw .invalidRequest(.method, reason: "'\(method)' is not a token")
        }
        let hasBody = urlRequest.httpBody?.isEmpty == false || urlRequest.httpBodyStream != nil
        if hasBody, ["GET", "HEAD"].contains(method.uppercased()) {
            throw .invalidRequest(.body, reason: "'\(method)' has none")
        }
        guard let url = urlRequest.url, Self.isReachable(url) else {
            throw .invalidRequest(
                .baseURL, reason: "'\(place)' is not of http or https with a host")
        }
        guard urlRequest.timeoutInterval > 0 else {
            throw .invalidRequest(
                .timeout, reason: "'\(urlRequest.timeoutInterval)' is not above 0")
        }
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
            try Self.check(header: name, value)
        }
    }

    /// Whether a URL is of http or https, with a host and a possible port.
    static func isReachable(_ url: URL) -> Bool {
        ["http", "https"].contains(url.scheme?.lowercased()) && url.host?.isEmpty == false
            && (1...65_535).contains(url.port ?? 80)
    }

    private static func check(header name: String, _ value: String) throws(ServiceError) {
        guard isToken(name) else {
            throw .invalidRequest(.header, reason: "the name '\(name)' is not a token")
        }
        if ["content-length", "transfer-encoding"].contains(name.lowercased()) {
            throw .invalidRequest(.header, reason: "the transport sets '\(name)'")
        }
        if value.utf8.contains(where: { $0 < 0x20 && $0 != 0x09 || $0 == 0x7F }) {
            throw .invalidRequest(.header, reason: "the value of '\(name)' has a control character")
        }
    }

    /// A token (RFC 9110, section 5.6.2): what a method or a header's name is.
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy {
                ServicePercentEncoding.isUnreserved($0) || "!#$%&'*+^`|".utf8.contains($0)
            }
    }
}

nonisolated extension ServiceRequest: CustomStringConvertible {
    /// The method and where it goes, without query and user info: they may be secret.
    public var description: String { "\(urlRequest.httpMethod ?? "GET") \(place)" }
    /// Where the request goes, without what may be secret.
    var place: String { ServiceRedaction.place(urlRequest.url?.absoluteString ?? "") }
}
