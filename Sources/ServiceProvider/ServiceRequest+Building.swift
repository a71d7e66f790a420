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
        let (method, body) = (service.method, service.body)
        var encoding = service.parameterEncoding
        let isQueryMethod = [.get, .head, .delete].contains(method)
        if encoding.destination == .automatic {
            encoding.destination = isQueryMethod ? .query : .json
        }
        if body != nil { encoding.destination = .query }
        let parameters = try service.parameters.map(encoding.encode)
        let isQuery = encoding.destination == .query
        self.init(
            URLRequest(url: try Self.url(of: service, query: isQuery ? parameters ?? "" : "")))
        if method != .get { urlRequest.httpMethod = method.rawValue }
        var contentType: String?
        if let parameters, !isQuery {
            urlRequest.httpBody = parameters.data(using: .utf8)
            contentType = encoding.destination == .json ? "application/json" : ServiceBody.formType
        }
        do {
            let content = try body?.make()
            if let content { contentType = content.type }
            if case .data(let data) = content?.bytes { urlRequest.httpBody = data }
            if case .upload(let open) = content?.bytes { upload = open }
        } catch {
            throw ServiceError(error, of: .body)
        }
        try setHeaders(service.headers, contentType: contentType)
        if let timeout = service.timeout { urlRequest.timeoutInterval = min(timeout, Self.aWeek) }
        validStatusCodes = service.validStatusCodes
        let url = urlRequest.url
        do { try service.prepare(&self) } catch { throw ServiceError(error) }
        try validate(isURLValid: urlRequest.url == url)
    }

    private mutating func setHeaders(
        _ headers: [String: String], contentType: String?
    ) throws(ServiceError) {
        var (fields, names) = ([String: String](), [String: String]())
        for (name, value) in headers {
            // `URLRequest` ignores some invalid fields, so later checks wouldn't see them.
            try Self.validate(header: name, value)
            fields[name] = Self.trimmed(value)
            let key = name.lowercased()
            try ServiceError.require(
                names.updateValue(name, forKey: key) == nil, .header,
                "'\(key)' is there twice, in different case")
        }
        let hasType = names["content-type"] != nil
        // The server needs the boundary in the type of a multipart body.
        let isMultipart = contentType?.hasPrefix("multipart/") == true
        try ServiceError.require(
            !hasType || !isMultipart, .header, "the body sets 'Content-Type' itself")
        if !hasType { fields["Content-Type"] = contentType }
        // Set in one go: calling `setValue` per field dominates build time.
        if !fields.isEmpty { urlRequest.allHTTPHeaderFields = fields }
    }

    /// Joins base URL, path and query by the percent-encoded parts of URLComponents.
    ///
    /// A base URL that URLComponents would change is refused, because versions of Foundation change it in
    /// different ways.
    private static func url(of service: some Service, query: String) throws(ServiceError) -> URL {
        let path = try path(of: service)
        var base = service.baseURL
        // URLSession on Linux requires lower case.
        if !base.hasPrefix("http"), let end = base.range(of: "://")?.lowerBound {
            base = base[..<end].lowercased() + base[end...]
        }
        guard var parts = URLComponents(string: base), isReachable(parts) else {
            throw .invalidRequest(.baseURL, reason: fault(of: base))
        }
        // Not by `rangeOfPath`, which belongs to the string that URLComponents may have changed.
        let end = base.utf8.firstIndex { $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") }
        // URLComponents turns a "%" into "%25", which the prefix below doesn't show.
        let isPlain = end == nil && !base.utf8.contains(UInt8(ascii: "%"))
        let isLegal = isPlain || parts.string == base
        var start = String(base[..<(end ?? base.endIndex)])
        if !path.isEmpty {
            var joined = parts.percentEncodedPath
            if joined.hasSuffix("/") {
                joined.removeLast()
                start.removeLast()
            }
            parts.percentEncodedPath = joined + (path.hasPrefix("/") ? path : "/" + path)
        }
        let own = parts.percentEncodedQuery ?? ""
        let joined = own.isEmpty || query.isEmpty ? own + query : "\(own)&\(query)"
        parts.percentEncodedQuery = joined.isEmpty ? nil : joined
        parts.percentEncodedFragment = nil
        guard isLegal, let url = parts.url, url.absoluteString.hasPrefix(start) else {
            throw .invalidRequest(.baseURL, reason: fault(of: base))
        }
        return url
    }

    /// The path of a service, percent-encoded.
    private static func path(of service: some Service) throws(ServiceError) -> String {
        let encoded = service.percentEncodedPath
        let path = encoded ?? ServicePercentEncoding.encode(service.path, keeping: "!$&'()*+,;=:@/")
        // Only a legal path stays as it is.
        if encoded != nil,
            URLComponents(string: "http://h/" + path)?.percentEncodedPath != "/" + path
        {
            throw .invalidRequest(.path, reason: "'\(shownURL(path))' isn't percent-encoded")
        }
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") })
        else { return path }
        // Servers resolve these segments, some also in their percent-encoded forms.
        let dots = [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"]
        let hasDots = path.split(separator: "/").contains { dots.contains($0.lowercased()) }
        try ServiceError.require(!hasDots, .path, "'\(path)' has a segment '.' or '..'")
        return path
    }

    /// Says which part of a base URL is wrong. Shows no query and no user info.
    private static func fault(of base: String) -> String {
        let start = base.components(separatedBy: CharacterSet(charactersIn: "?#")).first ?? ""
        // A malformed URL may contain a password before the "@", so don't print it.
        let shown = base.contains("@") ? "it" : "'\(start)'"
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
            } else if !ServicePercentEncoding.isLegal(scalar) {
                return "the \(part) of \(shown) contains '\(scalar)', which must be percent-encoded"
            }
        }
        return hasHost ? "\(shown) isn't a valid http(s) URL" : "\(shown) has no host"
    }
}
