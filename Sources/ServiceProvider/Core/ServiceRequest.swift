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
    public var urlRequest: URLRequest {
        get { parts.urlRequest }
        _modify { yield &parts.urlRequest }
    }
    /// The status codes that count as success. Default: 200 to 299.
    public var validStatusCodes: Set<Int> {
        get { parts.validStatusCodes }
        _modify { yield &parts.validStatusCodes }
    }
    /// Whether the request may be sent twice, where its service has said so. Default: nil, and its
    /// method tells.
    public var isRepeatable: Bool? {
        get { parts.isRepeatable }
        _modify { yield &parts.isRepeatable }
    }
    /// What a stub answers. Default: no bytes.
    public var sampleData: Data {
        get { parts.sampleData }
        _modify { yield &parts.sampleData }
    }
    /// Names of headers, query items, form fields and JSON members that are secret beside the well-known
    /// ones: see ``isSecret(_:)``. Default: none.
    public var secretNames: Set<String> {
        get { parts.secretNames }
        _modify { yield &parts.secretNames }
    }
    /// Opens the body, when it is not in memory: called for each time that the request is sent, off the
    /// main actor. Default: nil, and the body is `urlRequest.httpBody`.
    public var upload: ServiceBody.Upload? {
        get { parts.upload }
        _modify { yield &parts.upload }
    }
    /// Takes the body of a good answer. Default: nil, and it goes to ``ServiceResponse/data``.
    public var delivery: (any ServiceDelivery)? {
        get { parts.delivery }
        _modify { yield &parts.delivery }
    }
    /// Makes a value of the answer's body. Default: nil, and the provider's does.
    public var decoder: (any ServiceDecoder)? {
        get { parts.decoder }
        _modify { yield &parts.decoder }
    }
    /// Hears how far the exchange has come, in order, on the transport's own thread, which it must not
    /// hold up. Default: nil. (``ServiceProvider`` has more convenient ways to it.)
    public var onProgress: (@Sendable (ServiceProgress) -> Void)? {
        get { parts.onProgress }
        _modify { yield &parts.onProgress }
    }

    /// Makes a request that belongs to no service.
    public init(_ urlRequest: URLRequest) {
        box = Box(Parts(urlRequest: urlRequest))
    }

    // MARK: - Storage

    private struct Parts: Sendable {
        var urlRequest: URLRequest
        var validStatusCodes = ServiceResponse.successfulStatusCodes
        var isRepeatable: Bool?
        var sampleData = Data()
        var secretNames: Set<String> = []
        var upload: ServiceBody.Upload?
        var delivery: (any ServiceDelivery)?
        var decoder: (any ServiceDecoder)?
        var onProgress: (@Sendable (ServiceProgress) -> Void)?
    }

    // Safe because it changes only while a single copy of the request has it.
    private final class Box: @unchecked Sendable {
        var parts: Parts

        init(_ parts: Parts) { self.parts = parts }
    }

    /// Shared by the copies of a request until one is changed: a call has many at a time, in the frames of
    /// its functions, and thousands of calls may wait.
    private var box: Box

    private var parts: Parts {
        get { box.parts }
        _modify {
            if !isKnownUniquelyReferenced(&box) { box = Box(box.parts) }
            yield &box.parts
        }
    }

    // MARK: - Building

    /// Reads a service, once, into what is sent.
    init(_ service: some Service) throws(ServiceError) {
        let (method, body, parameters) = (service.method, service.body, service.parameters)
        let encoding = service.parameterEncoding
        var destination = body == nil ? encoding.destination : .query
        if destination == .automatic {
            destination = [.get, .head, .delete].contains(method) ? .query : .json
        }
        var writer = ServiceParameterWriter(encoding: encoding, isJSON: destination == .json)
        if let parameters { try writer.write(parameters) }
        let query = destination == .query ? String(decoding: writer.bytes, as: UTF8.self) : ""
        var request = URLRequest(url: try Self.url(of: service, query: query))
        if method != .get { request.httpMethod = method.rawValue }
        var content: ServiceBody.Content?
        if let body {
            do { content = try body.make() } catch { throw ServiceError(error, of: .body) }
        } else if parameters != nil, destination != .query {
            let type = destination == .form ? ServiceBody.formType : "application/json"
            content = (type, .data(Data(writer.bytes)))
        }
        if case .data(let data) = content?.bytes { request.httpBody = data }
        let fields = try Self.fields(service.headers, contentType: content?.type)
        // At once, since `setValue` takes longer for one than all the rest of building; they are
        // checked below, since nothing else would.
        if !fields.isEmpty { request.allHTTPHeaderFields = fields }
        if let timeout = service.timeout { request.timeoutInterval = min(timeout, Self.aWeek) }
        var parts = Parts(urlRequest: request)
        parts.validStatusCodes = service.validStatusCodes
        parts.sampleData = service.sampleData
        parts.secretNames = service.secretNames
        parts.decoder = service.decoder
        parts.isRepeatable = service.isRepeatable
        if case .upload(let upload) = content?.bytes { parts.upload = upload }
        box = Box(parts)
        try validate(headers: fields)
    }

    /// In seconds: what URLSession allows for a whole transfer. (`.infinity` would trap in URLSession
    /// on Linux.)
    static let aWeek: TimeInterval = 604_800

    private static func fields(
        _ headers: [String: String], contentType: String?
    ) throws(ServiceError) -> [String: String] {
        guard !headers.isEmpty else { return contentType.map { ["Content-Type": $0] } ?? [:] }
        let names = Set(headers.keys.map { $0.lowercased() })
        let isUnique = names.count == headers.count
        try ServiceError.require(isUnique, .header, "\(headers.keys.sorted()) differ only in case")
        var fields = headers.mapValues(trimmed)
        let isFree = !names.contains("content-type")
        // Without the boundary that is in it, nobody could read the body.
        let isOurs = contentType?.hasPrefix("multipart/") == true
        try ServiceError.require(isFree || !isOurs, .header, "the body sets 'Content-Type' itself")
        if isFree { fields["Content-Type"] = contentType }
        return fields
    }

    /// Joins base, path and query.
    ///
    /// As text: what `appendingPathComponent` makes changes with the version of Foundation, and
    /// `URL(string:relativeTo:)` lets a path change the host. So does what becomes of a URL that holds
    /// characters to be escaped: one that does not stay as it is, is refused.
    private static func url(of service: some Service, query: String) throws(ServiceError) -> URL {
        let base = service.baseURL
        let place = base.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        let own = base.utf8.dropFirst(place.count).prefix { $0 != UInt8(ascii: "#") }.dropFirst()
        let scheme = String(Substring(place.prefix { $0 != UInt8(ascii: ":") }))
        // In lower case, since URLSession on Linux knows no other.
        var text = scheme.lowercased() + Substring(place.dropFirst(scheme.utf8.count))
        let path = try path(of: service)
        if !path.isEmpty, text.hasSuffix("/") { text.removeLast() }
        text += path.isEmpty || path.hasPrefix("/") ? path : "/" + path
        let joint = own.isEmpty || query.isEmpty ? "" : "&"
        if !own.isEmpty || !query.isEmpty { text += "?" + Substring(own) + joint + query }
        // The host must be the base's: without one, a path could become it.
        let host = place.dropFirst(scheme.utf8.count + 3).prefix { $0 != UInt8(ascii: "/") }
        guard !host.isEmpty, let url = URL(string: text), url.absoluteString == text else {
            throw .invalidRequest(.baseURL, reason: fault(of: base))
        }
        return url
    }

    /// Why a base URL can't be used: which part of it is wrong. Shows no query and no user info.
    private static func fault(of base: String) -> String {
        // A malformed URL may contain a password before the "@", so don't print it.
        let shown = base.contains("@") ? "it" : "'\(place(base))'"
        guard let scheme = base.range(of: "://") else {
            return "\(shown) has no scheme such as 'https://'"
        }
        let rest = base[scheme.upperBound...].utf8.prefix { $0 != UInt8(ascii: "#") }
        let (host, path) = (
            rest.prefix { !"/?".utf8.contains($0) }, rest.prefix { $0 != UInt8(ascii: "?") }
        )
        if host.isEmpty { return "\(shown) has no host" }
        let parts = [("path", path.dropFirst(host.count)), ("query", rest.dropFirst(path.count))]
        for (name, bytes) in parts {
            let text = String(Substring(bytes))
            let legal = ServicePercentEncoding.encode(text, keeping: "!$&'()*+,;=:@/?%")
            guard legal != text,
                let wrong = zip(text.unicodeScalars, legal.unicodeScalars)
                    .first(where: { $0 != $1 })?.0
            else { continue }
            return "the \(name) of \(shown) contains '\(wrong)', which must be percent-encoded"
        }
        return "\(shown) isn't a valid URL"
    }

    /// A service's path, percent-encoded.
    private static func path(of service: some Service) throws(ServiceError) -> String {
        var path = ServicePercentEncoding.encode(service.path, keeping: "!$&'()*+,;=:@/")
        if let encoded = service.percentEncodedPath {
            path = encoded
            let isPath = URLComponents(string: "http://h/" + path)?.percentEncodedPath == "/" + path
            try ServiceError.require(isPath, .path, "'\(Self.place(path))' is not percent-encoded")
        }
        guard path.utf8.contains(where: { $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "%") })
        else { return path }
        // The wire resolves them, some servers in their escaped forms too.
        let dots = [".", "..", "%2e", ".%2e", "%2e.", "%2e%2e"]
        let hasDots = path.split(separator: "/").contains { dots.contains($0.lowercased()) }
        try ServiceError.require(!hasDots, .path, "'\(path)' has a segment '.' or '..'")
        return path
    }

    /// The request as it goes over the wire: with its body opened.
    func opened() throws(ServiceError) -> ServiceRequest {
        var request = self
        do {
            guard let body = try upload?() else { return self }
            request.urlRequest.httpBodyStream = body.stream
            request.urlRequest.setValue("\(body.size)", forHTTPHeaderField: "Content-Length")
            return request
        } catch {
            throw ServiceError(error, of: .body)
        }
    }

    /// Whether it has a body that can be sent again. (A stream can not.)
    var hasBody: Bool { urlRequest.httpBody?.isEmpty == false || upload != nil }

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
        urlRequest.setValue(Self.trimmed(value), forHTTPHeaderField: name)
    }

    /// All spaces would keep a field off the wire on Linux; empty, it is sent.
    private static func trimmed(_ value: String) -> String {
        let isPadded = value.first?.isWhitespace == true || value.last?.isWhitespace == true
        return isPadded ? value.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) : value
    }

    /// The last look before the wire, at what a service or an interceptor can get wrong: URLRequest
    /// checks neither method nor header names, and a line break in them would be a second request.
    ///
    /// - Parameter headers: As they were meant, should the platform have dropped some.
    func validate(headers: [String: String]) throws(ServiceError) {
        let method = urlRequest.httpMethod ?? "GET"
        try ServiceError.require(Self.isToken(method), .method, "'\(method)' is not a token")
        let isBodiless = ["GET", "HEAD"].contains(method.uppercased())
        let isEmpty = !hasBody && urlRequest.httpBodyStream == nil
        try ServiceError.require(isEmpty || !isBodiless, .body, "a '\(method)' cannot have one")
        let isReachable = urlRequest.url.map(Self.isReachable) == true
        try ServiceError.require(isReachable, .baseURL, "'\(place)' is no http(s) URL with a host")
        let timeout = urlRequest.timeoutInterval
        try ServiceError.require(timeout > 0, .timeout, "'\(timeout)' is not above 0")
        for (name, value) in headers { try Self.check(header: name, value) }
    }

    static func check(header name: String, _ value: String) throws(ServiceError) {
        let isOurs = ["content-length", "transfer-encoding"].contains(name.lowercased())
        try ServiceError.require(
            isToken(name), .header, "'\(name.prefix { $0 != ":" })' is not a token")
        try ServiceError.require(!isOurs, .header, "the transport sets '\(name)'")
        try ServiceError.require(
            isFieldValue(value), .header, "a control character in the value of '\(name)'")
    }

    /// Whether a text has no control characters but tabs (RFC 9110, section 5.5).
    static func isFieldValue(_ text: String) -> Bool {
        text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
    }

    /// A token (RFC 9110, section 5.6.2): what a method or a header's name is.
    static func isToken(_ text: String) -> Bool {
        !text.isEmpty && ServicePercentEncoding.encode(text, keeping: "!#$%&'*+^`|") == text
    }

    /// Whether a URL has the scheme http or https, a host and, if any, a port from 1 to 65,535.
    ///
    /// Reads the text of the URL: `URL` has no host for some that it writes, and no port for one of
    /// twenty digits.
    static func isReachable(_ url: URL) -> Bool {
        let text = url.absoluteString.utf8
        guard let scheme = url.scheme?.lowercased(), ["http", "https"].contains(scheme),
            text.dropFirst(scheme.utf8.count).starts(with: "://".utf8)
        else { return false }
        let authority = text.dropFirst(scheme.utf8.count + 3).prefix { !"/?#".utf8.contains($0) }
        let user = authority.lastIndex(of: UInt8(ascii: "@")).map(authority.index(after:))
        let place = authority[(user ?? authority.startIndex)...]
        // An address of IPv6 contains colons.
        let bracket = place.lastIndex(of: UInt8(ascii: "]")) ?? place.startIndex
        let colon = place[bracket...].lastIndex(of: UInt8(ascii: ":")) ?? place.endIndex
        let port = String(Substring(place[colon...].dropFirst()))
        let isNumber = port.utf8.allSatisfy { (0x30...0x39).contains($0) }
        let isPort = port.isEmpty || isNumber && UInt16(port).map { $0 > 0 } == true
        return !place[..<colon].isEmpty && url.host?.isEmpty == false && isPort
    }

    // MARK: - Printing

    /// The method and the path, without the query: it may be secret.
    public var description: String {
        "\(urlRequest.httpMethod ?? "GET") \(URLComponents(string: place)?.percentEncodedPath ?? "")"
    }

    /// Where the request goes, without what may be secret.
    var place: String { Self.place(urlRequest.url?.absoluteString ?? "") }

    /// A URL without user info, query and fragment. Works on any text, in linear time.
    static func place(_ url: String) -> String {
        let text = url.utf8.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }
        func withoutUser(_ part: Substring.UTF8View) -> String {
            let at = part.lastIndex(of: UInt8(ascii: "@")).map(part.index(after:))
            return String(Substring(part[(at ?? part.startIndex)...]))
        }
        let parts = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        // A text without a scheme may contain a password anywhere before the last "@".
        let hasScheme = parts.count > 2 && parts[1].isEmpty && parts[0].last == UInt8(ascii: ":")
        guard hasScheme else { return withoutUser(text) }
        var shown: [String] = []
        for (index, part) in parts.enumerated() {
            let isAuthority = index > 1 && parts[index - 1].isEmpty
            shown.append(isAuthority ? withoutUser(part) : String(Substring(part)))
        }
        return shown.joined(separator: "/")
    }
}

nonisolated extension ServiceRequest: CustomReflectable {
    /// Empty: `dump` would print the query of the URL and the headers.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}
