// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
    /// Reads a service, once.
    init(_ service: some Service) throws {
        let method = service.method
        var body = service.body
        var query = ""
        var encoding = service.parameterEncoding
        encoding.destination = encoding.resolvedDestination(for: method, hasBody: body != nil)
        if let text = try service.parameters.map(encoding.encode) {
            switch encoding.destination {
            case .form: body = .text(text, contentType: "application/x-www-form-urlencoded")
            case .json: body = .text(text, contentType: "application/json")
            // A resolved destination is one of the first three.
            case .query, .automatic, .queryOrForm: query = text
            }
        }
        let url = try Self.url(base: service.baseURL, path: service.path, query: query)
        self.init(URLRequest(url: url))
        // The setter takes time.
        if method != .get { urlRequest.httpMethod = method.rawValue }
        if let timeout = service.timeout {
            urlRequest.timeoutInterval = min(timeout, Self.maximumTimeout)
        }
        validStatusCodes = service.validStatusCodes
        let contentType = try ServiceError.wrapping(.body) { try body?.attach(&self) }
        try setHeaders(service.headers, contentType: contentType)
        try ServiceError.wrapping(nil) { try service.prepare(&self) }
        try validateFields()
    }

    /// Adds the service's header fields to those that the body has set. All in one go, because `setValue` looks
    /// at all fields each time.
    private mutating func setHeaders(_ headers: [String: String], contentType: String?) throws {
        guard !headers.isEmpty || contentType != nil else { return }
        var fields = urlRequest.allHTTPHeaderFields ?? [:]
        var names = Set(fields.keys.map { $0.lowercased() })
        for (name, value) in headers {
            // `URLRequest` ignores some invalid fields, so later checks wouldn't see them.
            try Self.validate(header: name, value: value)
            let isNew = names.insert(name.lowercased()).inserted
            try ServiceError.require(
                isNew, of: .header, reason: "'\(name)' is set twice, here or by the body")
            fields[name] = value
        }
        if let contentType, !names.contains("content-type") {
            fields["Content-Type"] = contentType
        }
        urlRequest.allHTTPHeaderFields = fields  // Only adds fields.
    }

    /// Joins base URL, path and query, using the percent-encoded properties of URLComponents.
    ///
    /// A base URL that URLComponents would change is refused, because versions of Foundation change it in
    /// different ways.
    private static func url(base: String, path: String, query: String) throws -> URL {
        let path = try percentEncoded(path: path)
        // No version of Foundation changes these characters.
        let isPlain = ServicePercentEncoding.isUnchanged(base, keeping: "/:?&=!$'()*+,;@#")
        // Comparing many combining marks takes quadratic time.
        let isASCII = isPlain || base.hasOnlyBytes { $0 < 0x80 }
        guard isASCII, var parts = httpComponents(of: base), isPlain || parts.string == base
        else { throw refusal(ofBase: base) }
        // A setter takes time even if nothing changes.
        if !path.isEmpty { parts.percentEncodedPath = joined(path: parts.percentEncodedPath, path) }
        let ownQuery = parts.percentEncodedQuery
        if ownQuery != nil || !query.isEmpty {
            parts.percentEncodedQuery = joined(query: ownQuery, query)
        }
        if parts.percentEncodedFragment != nil { parts.percentEncodedFragment = nil }
        // URLSession on Linux requires lower case.
        if !base.hasPrefix("https:"), !base.hasPrefix("http:") {
            parts.scheme = parts.scheme?.lowercased()
        }
        // URLComponents sometimes drops a host that it can't decode.
        guard let url = parts.url, isPlain || url.host?.isEmpty == false
        else { throw refusal(ofBase: base) }
        return url
    }

    /// Joins two paths, percent-encoded, with exactly one slash.
    package static func joined(path base: String, _ path: String) -> String {
        let start = base.hasSuffix("/") ? String(base.dropLast()) : base
        guard !path.hasPrefix("/") else { return start + path }
        return "\(start)/\(path)"
    }

    /// Joins two queries, percent-encoded. Either may be empty. Nil if both are.
    package static func joined(query own: String?, _ query: String) -> String? {
        guard let own, !own.isEmpty else { return query.isEmpty ? nil : query }
        return query.isEmpty ? own : "\(own)&\(query)"
    }

    /// The path of a service, percent-encoded.
    private static func percentEncoded(path: String) throws -> String {
        try ServiceError.require(
            !hasDotSegment(path), of: .path, reason: "it has a segment '.' or '..'")
        return ServicePercentEncoding.encode(path: path)
    }

    /// Whether a path that isn't percent-encoded has a segment `.` or `..`, which servers resolve. Some read a
    /// backslash as a slash, or ignore what follows a ";".
    package static func hasDotSegment(_ path: String) -> Bool {
        guard !path.hasOnlyBytes(where: { $0 != UInt8(ascii: ".") }) else { return false }
        // In ASCII, because searching many combining marks takes quadratic time.
        let text = ServicePercentEncoding.encode(path, keeping: "/\\;")
        let segments = text.components(separatedBy: CharacterSet(charactersIn: "/\\;"))
        return segments.contains(".") || segments.contains("..")
    }

    private static func refusal(ofBase base: String) -> ServiceError {
        // A query may be secret, and a password may be anywhere before an "@".
        let isSecret = !base.hasOnlyBytes { $0 != 0x3F && $0 != 0x23 && $0 != 0x40 }
        let rule = "isn't http(s) with a host in ASCII, a port below 65536 and percent-encoded text"
        guard !isSecret else { return .invalidRequest(.baseURL, reason: "it \(rule)") }
        return .invalidRequest(.baseURL, reason: "'\(base)' \(rule)")
    }
}
