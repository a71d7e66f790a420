// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

nonisolated extension ServiceRequest {
    /// Reads a service, once.
    init(_ service: some Service) throws(ServiceError) {
        let method = service.method
        var (body, encoding, query) = (service.body, service.parameterEncoding, "")
        let isQuery = [.get, .head, .delete].contains(method)
        switch encoding.destination {
        case _ where body != nil: encoding.destination = .query
        case .automatic: encoding.destination = isQuery ? .query : .json
        case .queryOrForm: encoding.destination = isQuery ? .query : .form
        case .query, .form, .json: break
        }
        if let text = try service.parameters.map(encoding.encode) {
            let data = text.data(using: .utf8) ?? Data()
            switch encoding.destination {
            case .form: body = .data(data, contentType: "application/x-www-form-urlencoded")
            case .json: body = .data(data, contentType: "application/json")
            default: query = text
            }
        }
        let url = try Self.url(of: service, query: query)
        self.init(URLRequest(url: url))
        checkedURL = url
        if method != .get { urlRequest.httpMethod = method.rawValue }
        if let timeout = service.timeout {
            urlRequest.timeoutInterval = min(timeout, Self.maximumTimeout)
        }
        validStatusCodes = service.validStatusCodes
        var contentType: String?
        do { contentType = try body?.write(&self) } catch { throw ServiceError(error, of: .body) }
        try setHeaders(service.headers, contentType: contentType)
        do { try service.prepare(&self) } catch { throw ServiceError(error) }
        try validateFields()
    }

    /// Adds the service's header fields to those that the body has set.
    private mutating func setHeaders(
        _ headers: [String: String], contentType: String?
    ) throws(ServiceError) {
        if headers.isEmpty, contentType == nil { return }
        // Fields that the body has set.
        var (fields, names) = (urlRequest.allHTTPHeaderFields ?? [:], [String: String]())
        for name in fields.keys { names[name.lowercased()] = name }
        for (name, value) in headers {
            // `URLRequest` ignores some invalid fields, so later checks wouldn't see them.
            try Self.validate(header: name, value)
            let (key, isSet) = (
                name.lowercased(), urlRequest.value(forHTTPHeaderField: name) != nil
            )
            try ServiceError.require(!isSet, .header, "the body sets '\(name)' itself")
            let isNew = names.updateValue(name, forKey: key) == nil
            try ServiceError.require(isNew, .header, "'\(key)' is set twice, in different case")
            fields[name] = Self.trimmed(value)
        }
        if let contentType, names["content-type"] == nil { fields["Content-Type"] = contentType }
        replaceFields(with: fields)
    }

    /// Joins base URL, path and query, using the percent-encoded properties of URLComponents.
    ///
    /// A base URL that URLComponents would change is refused, because versions of Foundation change it in
    /// different ways.
    private static func url(of service: some Service, query: String) throws(ServiceError) -> URL {
        let path = try path(of: service)
        var base = service.baseURL
        // URLSession on Linux requires lower case.
        let isLower = base.hasPrefix("https:") || base.hasPrefix("http:")
        if !isLower, let end = base.range(of: "://")?.lowerBound {
            base = base[..<end].lowercased() + base[end...]
        }
        // No version of Foundation changes these characters.
        let isPlain = ServicePercentEncoding.isUnchanged(base, keeping: "/:?&=!$'()*+,;@#")
        guard var parts = URLComponents(string: base), isPlain || parts.string == base,
            isReachable(parts)
        else { throw .invalidRequest(.baseURL, reason: fault(of: base)) }
        let (own, fragment) = (parts.percentEncodedQuery, parts.percentEncodedFragment)
        let isWhole = own == nil && fragment == nil
        let end = isWhole ? nil : base.firstIndex { $0 == "?" || $0 == "#" }
        let start = end.map { String(base[..<$0]) } ?? base
        if !path.isEmpty {
            var joined = parts.percentEncodedPath
            if joined.hasSuffix("/") { joined.removeLast() }
            parts.percentEncodedPath = joined + (path.hasPrefix("/") ? path : "/" + path)
        }
        let old = own ?? ""
        let joined = old.isEmpty || query.isEmpty ? old + query : "\(old)&\(query)"
        let newQuery = joined.isEmpty ? nil : joined
        // A setter takes time even if nothing changes.
        if own != newQuery { parts.percentEncodedQuery = newQuery }
        if fragment != nil { parts.percentEncodedFragment = nil }
        // URLComponents sometimes drops a host that it can't decode.
        guard let url = parts.url, isPlain || url.host != nil, url.absoluteString.hasPrefix(start)
        else { throw .invalidRequest(.baseURL, reason: fault(of: base)) }
        return url
    }

    /// The path of a service, percent-encoded.
    private static func path(of service: some Service) throws(ServiceError) -> String {
        let encoded = service.percentEncodedPath
        let path = encoded ?? ServicePercentEncoding.encode(service.path, keeping: "!$&'()*+,;=:@/")
        // URLComponents changes a path that isn't legal.
        let parts = encoded == nil ? nil : URLComponents(string: "http://h/" + path)
        let isLegal = encoded == nil || parts?.percentEncodedPath == "/" + path
        try ServiceError.require(
            isLegal, .path, "'\(redactedURL(path))' must be percent-encoded, '?' and '#' too")
        // Servers resolve these segments, some also in their percent-encoded forms.
        let bytes = path.utf8
        guard bytes.contains(UInt8(ascii: ".")) || bytes.contains(UInt8(ascii: "%")) else {
            return path
        }
        let plain = "/\(path.lowercased())/".replacingOccurrences(of: "%2e", with: ".")
        let hasDots = plain.contains("/./") || plain.contains("/../")
        try ServiceError.require(!hasDots, .path, "'\(path)' has a segment '.' or '..'")
        return path
    }

    /// Says which part of a base URL is wrong. Shows no query and no user info.
    private static func fault(of base: String) -> String {
        let start = base.components(separatedBy: CharacterSet(charactersIn: "?#"))[0]
        // A malformed URL may contain a password before the "@", so don't print it. (As a Character, an
        // "@" with a combining mark would be another one.)
        let shown = base.unicodeScalars.contains("@") ? "it" : "'\(start)'"
        guard let scheme = base.range(of: "://") else {
            return "\(shown) has no scheme such as 'https://'"
        }
        var (part, hasHost) = ("host", false)
        for scalar in base[scheme.upperBound...].unicodeScalars {
            if scalar == "#" { break }
            if scalar == "/", part == "host" { part = "path" }
            if scalar == "?" { part = "query" }
            if part == "host" {
                hasHost = true
            } else if !ServicePercentEncoding.isUnchanged(
                String(scalar), keeping: "!$&'()*+,;=:@/?%")
            {
                return "the \(part) of \(shown) contains '\(scalar)', which must be percent-encoded"
            }
        }
        return hasHost ? "\(shown) isn't a valid http(s) URL" : "\(shown) has no host"
    }
}
