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
        let (method, ownBody, parameters) = (service.method, service.body, service.parameters)
        var encoding = service.parameterEncoding
        if ownBody != nil {
            encoding.destination = .query
        } else if encoding.destination == .automatic {
            encoding.destination = [.get, .head, .delete].contains(method) ? .query : .json
        }
        let text = try parameters.map(encoding.encode)
        let isQuery = encoding.destination == .query
        let isForm = encoding.destination == .form
        let type = isForm ? "application/x-www-form-urlencoded" : "application/json"
        let encoded = text.map { ServiceBody.data(Data($0.utf8), contentType: type) }
        let body = isQuery ? ownBody : encoded
        self.init(URLRequest(url: try Self.url(of: service, query: isQuery ? text ?? "" : "")))
        if method != .get { urlRequest.httpMethod = method.rawValue }
        let content: ServiceBody.Content?
        do { content = try body?.make() } catch { throw ServiceError(error, of: .body) }
        switch content?.bytes {
        case .data(let data): urlRequest.httpBody = data
        case .upload(let open): upload = open
        case nil: break
        }
        let fields = try Self.fields(service.headers, contentType: content?.type)
        // Set in one go: calling `setValue` per field dominates build time.
        if !fields.isEmpty { urlRequest.allHTTPHeaderFields = fields }
        if let timeout = service.timeout { urlRequest.timeoutInterval = min(timeout, Self.aWeek) }
        validStatusCodes = service.validStatusCodes
        do { try service.prepare(&self) } catch { throw ServiceError(error) }
        try validate()
    }

    private static func fields(
        _ headers: [String: String], contentType: String?
    ) throws(ServiceError) -> [String: String] {
        var (fields, names) = ([String: String](), Set<String>())
        for (name, value) in headers {
            // `URLRequest` ignores some invalid fields, so later checks wouldn't see them.
            try validate(header: name, value)
            fields[name] = trimmed(value)
            let isNew = names.insert(name.lowercased()).inserted
            try ServiceError.require(
                isNew, .header, "\(headers.keys.sorted()) differ only in case")
        }
        guard names.contains("content-type") else {
            fields["Content-Type"] = contentType
            return fields
        }
        // The server needs the boundary in the type of a multipart body.
        let isMultipart = contentType?.hasPrefix("multipart/") == true
        try ServiceError.require(!isMultipart, .header, "the body sets 'Content-Type' itself")
        return fields
    }

    /// Joins base URL, path and query by the percent-encoded parts of URLComponents.
    ///
    /// A base URL that URLComponents would change is refused, because versions of Foundation change it in
    /// different ways.
    private static func url(of service: some Service, query: String) throws(ServiceError) -> URL {
        let (base, path) = (service.baseURL, try path(of: service))
        guard var parts = URLComponents(string: base), parts.string == base,
            parts.host?.isEmpty == false
        else { throw .invalidRequest(.baseURL, reason: fault(of: base)) }
        // URLSession on Linux requires lower case.
        parts.scheme = parts.scheme?.lowercased()
        if !path.isEmpty {
            var joined = parts.percentEncodedPath
            if joined.hasSuffix("/") { joined.removeLast() }
            parts.percentEncodedPath = joined + (path.hasPrefix("/") ? path : "/" + path)
        }
        let own = parts.percentEncodedQuery ?? ""
        let joined = own.isEmpty || query.isEmpty ? own + query : own + "&" + query
        parts.percentEncodedQuery = joined.isEmpty ? nil : joined
        parts.fragment = nil
        guard let url = parts.url else {
            throw .invalidRequest(.baseURL, reason: fault(of: base))
        }
        return url
    }

    /// The path of a service, percent-encoded.
    private static func path(of service: some Service) throws(ServiceError) -> String {
        let raw = ServicePercentEncoding.encode(service.path, keeping: "!$&'()*+,;=:@/")
        let path = service.percentEncodedPath ?? raw
        // Only a legal path stays as it is.
        let isLegal = URLComponents(string: "http://h/" + path)?.percentEncodedPath == "/" + path
        try ServiceError.require(
            path == raw || isLegal, .path, "'\(shownURL(path))' isn't percent-encoded")
        // Servers resolve these segments, some also in their percent-encoded forms.
        let dots = [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"]
        let hasDots = path.split(separator: "/").contains { dots.contains($0.lowercased()) }
        try ServiceError.require(!hasDots, .path, "'\(path)' has a segment '.' or '..'")
        return path
    }

    /// Says which part of a base URL is wrong. Shows no query and no user info.
    private static func fault(of base: String) -> String {
        // A malformed URL may contain a password before the "@", so don't print it.
        let shown = base.contains("@") ? "it" : "'\(base.prefix { $0 != "?" && $0 != "#" })'"
        guard let scheme = base.range(of: "://") else {
            return "\(shown) has no scheme such as 'https://'"
        }
        var part = "host"
        let rest = base[scheme.upperBound...].unicodeScalars.prefix { $0 != "#" }
        if rest.first.map("/?".unicodeScalars.contains) ?? true { return "\(shown) has no host" }
        for scalar in rest {
            if scalar == "?" {
                part = "query"
            } else if scalar == "/", part == "host" {
                part = "path"
            }
            let byte = UInt8(exactly: scalar.value) ?? 0
            if part != "host", !ServicePercentEncoding.isAllowed(byte, "!$&'()*+,;=:@/?%") {
                return "the \(part) of \(shown) contains '\(scalar)', which must be percent-encoded"
            }
        }
        return "\(shown) isn't a valid URL"
    }
}
