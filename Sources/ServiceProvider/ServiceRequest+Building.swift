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
            let data = { text.data(using: .utf8) ?? Data() }
            switch encoding.destination {
            case .form: body = .data(data(), contentType: "application/x-www-form-urlencoded")
            case .json: body = .data(data(), contentType: "application/json")
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
        let contentType = try ServiceError.wrapping(.body) { try body?.write(&self) }
        try setHeaders(service.headers, contentType: contentType)
        try ServiceError.wrapping(nil) { try service.prepare(&self) }
        try validateFields()
    }

    /// Adds the service's header fields to those that the body has set. All in one go, because `setValue` looks
    /// at all fields each time.
    private mutating func setHeaders(_ headers: [String: String], contentType: String?) throws {
        guard !headers.isEmpty || contentType != nil else { return }
        var fields = urlRequest.allHTTPHeaderFields ?? [:]
        var names: [String: String] = [:]
        for name in fields.keys {
            names[name.lowercased()] = name
        }
        for (name, value) in headers {
            // `URLRequest` ignores some invalid fields, so later checks wouldn't see them.
            try Self.validate(header: name, value)
            let isNew = names.updateValue(name, forKey: name.lowercased()) == nil
            try ServiceError.require(isNew, .header, "'\(name)' is set twice, here or by the body")
            fields[name] = value
        }
        if let contentType, names["content-type"] == nil {
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
        if !path.isEmpty { parts.percentEncodedPath = joined(parts.percentEncodedPath, path) }
        let ownQuery = parts.percentEncodedQuery
        if ownQuery != nil || !query.isEmpty {
            let queries = [ownQuery ?? "", query].filter { !$0.isEmpty }
            parts.percentEncodedQuery = queries.isEmpty ? nil : queries.joined(separator: "&")
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

    /// Joins two paths with exactly one slash.
    private static func joined(_ base: String, _ path: String) -> String {
        let start = base.hasSuffix("/") ? String(base.dropLast()) : base
        guard !path.hasPrefix("/") else { return start + path }
        return "\(start)/\(path)"
    }

    /// The path of a service, percent-encoded.
    private static func percentEncoded(path: String) throws -> String {
        if !path.hasOnlyBytes(where: { $0 != UInt8(ascii: ".") }) {
            // Servers resolve these segments. Some read a backslash as a slash, or ignore what follows a ";".
            // In ASCII, because searching many combining marks takes quadratic time.
            let text = ServicePercentEncoding.encode(path, keeping: "/\\;")
            let segments = text.components(separatedBy: CharacterSet(charactersIn: "/\\;"))
            let hasDots = segments.contains(".") || segments.contains("..")
            try ServiceError.require(!hasDots, .path, "it has a segment '.' or '..'")
        }
        return ServicePercentEncoding.encode(path, keeping: "!$&'()*+,;=:@/")
    }

    private static func refusal(ofBase base: String) -> ServiceError {
        // A query may be secret, and a password may be anywhere before an "@".
        let isSecret = !base.hasOnlyBytes { $0 != 0x3F && $0 != 0x23 && $0 != 0x40 }
        let rule = "isn't http(s) with a host in ASCII, a port below 65536 and percent-encoded text"
        guard !isSecret else { return .invalidRequest(.baseURL, reason: "it \(rule)") }
        return .invalidRequest(.baseURL, reason: "'\(base)' \(rule)")
    }

    // MARK: - Checking

    /// The longest timeout, in seconds: a week. (URLSession on Linux traps at infinity.)
    public static let maximumTimeout: TimeInterval = 604_800

    /// Checks everything that `URLRequest` doesn't. The provider calls it before each request is sent.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a method or a header name that isn't a
    ///   token, a header value with control characters, a GET or HEAD with a body, a URL without a
    ///   host or without the scheme http or https, and a timeout of 0 or less.
    public func validate() throws {
        let isHTTP = urlRequest.url.map(Self.isHTTP) ?? false
        try ServiceError.require(isHTTP, .baseURL, "the URL isn't http or https, or has no host")
        try validateFields()
    }

    /// Checks everything but the URL.
    private func validateFields() throws {
        let method = urlRequest.httpMethod ?? "GET"
        try ServiceError.require(Self.isToken(method), .method, "'\(method)' isn't a valid name")
        let timeout = urlRequest.timeoutInterval
        try ServiceError.require(timeout > 0, .timeout, "'\(timeout)' isn't above 0")
        let isEmpty = !hasBody && urlRequest.httpBodyStream == nil
        let mayHaveBody = !["GET", "HEAD"].contains(method.uppercased())
        try ServiceError.require(isEmpty || mayHaveBody, .body, "a '\(method)' can't have a body")
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
            try Self.validate(header: name, value)
        }
    }

    /// Checks a header field (RFC 9110, section 5).
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a name that isn't a token, a value with
    ///   control characters, and fields that the transport sets.
    public static func validate(header name: String, _ value: String) throws {
        guard isToken(name) else {
            // The rest may be secret.
            let start = name.prefix { isToken(String($0)) }
            throw ServiceError.invalidRequest(.header, reason: "the name '\(start)…' isn't valid")
        }
        let isFraming = ["content-length", "transfer-encoding"].contains(name.lowercased())
        try ServiceError.require(!isFraming, .header, "the transport sets '\(name)'")
        // Tabs are allowed (RFC 9110, section 5.5).
        let isText = value.hasOnlyBytes { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
        try ServiceError.require(isText, .header, "a control character in the value of '\(name)'")
    }

    /// Whether a string is an HTTP token (RFC 9110, section 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && ServicePercentEncoding.isUnchanged(text, keeping: "!#$%&'*+^`|")
    }

    static func isHTTP(_ url: URL) -> Bool {
        url.host?.isEmpty == false && ["http", "https"].contains(url.scheme?.lowercased() ?? "")
    }

    /// The parts of a URL with the scheme http or https, a host, and either no port or a port from 1 to
    /// 65,535; nil for any other URL.
    static func httpComponents(of url: String) -> URLComponents? {
        guard let parts = URLComponents(string: url), parts.rangeOfHost?.isEmpty == false
        else { return nil }
        guard ["http", "https"].contains(parts.scheme?.lowercased() ?? "") else { return nil }
        // URLComponents returns nil for a very large port.
        let hasPort = parts.rangeOfPort?.isEmpty == false
        guard !hasPort || (1...65_535).contains(parts.port ?? 0) else { return nil }
        return parts
    }
}
