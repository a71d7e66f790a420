// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// ServiceProvider in one file: describe an API as an enum, call it with async/await or a handler.
// For Swift 6.2, iOS 16, macOS 13 or Linux. Copy it into your app. It's yours to edit. When you
// need more, delete it, add the package of the same name and import it: code that uses the file
// compiles unchanged. The package adds (1) ready retries, token refresh, caching and logs,
// (2) files, progress, streams and pages, (3) forms and more parameters, (4) redirects to other
// hosts, (5) stubs and recordings for tests.

import Foundation
#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An HTTP endpoint. Conform an enum with one case per endpoint: `nonisolated enum API: Service`.
/// (A new Xcode project would isolate it to the main actor.) If you conform in an extension, the
/// compiler warns of properties with another type, which would be ignored.
nonisolated protocol Service {
    /// The URL that paths are appended to, such as `https://api.example.com/v2`. A query is kept.
    var baseURL: String { get }
    /// Raw text: `?`, `#` and `%` are escaped, `/` isn't. A segment `.` or `..` is refused.
    var path: String { get }
    var method: ServiceMethod { get }
    /// The query for GET, HEAD and DELETE, and with a `body`; a JSON body for other methods.
    /// Strings, numbers, booleans, dates (ISO 8601), URLs, UUIDs, enums with raw values, arrays and
    /// dictionaries. A nil is left out.
    var parameters: [String: Any]? { get }
    var headers: [String: String] { get }
    var body: ServiceBody? { get }
    /// Changes the finished request, for example its timeout.
    func prepare(_ request: inout ServiceRequest) throws
}

nonisolated extension Service {
    var method: ServiceMethod { .get }
    var parameters: [String: Any]? { nil }
    var headers: [String: String] { [:] }
    var body: ServiceBody? { nil }
    func prepare(_ request: inout ServiceRequest) throws {}
}

nonisolated struct ServiceMethod: RawRepresentable, Hashable, Sendable {
    let rawValue: String
    static let get = Self(rawValue: "GET")
    static let head = Self(rawValue: "HEAD")
    static let post = Self(rawValue: "POST")
    static let put = Self(rawValue: "PUT")
    static let patch = Self(rawValue: "PATCH")
    static let delete = Self(rawValue: "DELETE")
}

/// A body: `.json(NewPost(title: "Hello"))` or `.data(bytes, contentType: "text/csv")`.
nonisolated struct ServiceBody {
    fileprivate let type: String
    /// Called when the request is built, so that the call throws its error.
    fileprivate let makeData: () throws -> Data

    static func data(_ data: Data, contentType: String = "application/octet-stream") -> Self {
        Self(type: contentType) { data }
    }

    static func json(_ value: some Encodable, encoder: JSONEncoder = sortingEncoder) -> Self {
        Self(type: "application/json") { try encoder.encode(value) }
    }

    /// Sorts keys, and writes dates in ISO 8601.
    static let sortingEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        encoder.dateEncodingStrategy = .custom { date, encoder in
            let isWritable = ParameterWriter.writableDates.contains(date.timeIntervalSince1970)
            try ServiceError.require(isWritable, of: .body, reason: "a date can't be written")
            try date.formatted(.iso8601).encode(to: encoder)
        }
        return encoder
    }()
}

/// Loads the endpoints of one service. Calls throw only errors of the type `ServiceError`. Handlers
/// are called once, on the main queue; if their task is cancelled, with `ServiceError.cancelled`.
nonisolated final class ServiceProvider<T: Service>: Sendable {
    typealias Completion<Value> = @MainActor @Sendable (sending ServiceResult<Value>) -> Void

    private let transport: URLSessionTransport
    private let interceptors: [any ServiceInterceptor]
    private let decoder: JSONDecoder

    init(
        transport: URLSessionTransport = .shared,
        interceptors: [any ServiceInterceptor] = [], decoder: JSONDecoder = JSONDecoder()
    ) {
        self.transport = transport
        self.interceptors = interceptors
        self.decoder = decoder
    }

    nonisolated(nonsending) func response(service: T) async throws -> ServiceResponse {
        do {
            return try await send(ServiceRequest(service, decoder))
        } catch {
            throw ServiceError(error)
        }
    }

    @discardableResult nonisolated(nonsending) func load(service: T) async throws -> Data {
        try await response(service: service).data
    }

    /// Decodes off the caller's actor. `SendableMetatype` means that this is allowed.
    nonisolated(nonsending) func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type
    ) async throws -> sending U {
        try await response(service: service).decodeConcurrently(decodeType)
    }

    /// Decodes on the caller's actor, or else on the main actor. The compiler chooses this method
    /// in generic code, and for a type whose decoding belongs to an actor. Leave out `isolation`.
    func load<U: Decodable>(
        service: T, decodeType: U.Type, isolation: isolated (any Actor)? = #isolation
    ) async throws -> U {
        try await response(service: service).decode(in: isolation)
    }

    @discardableResult
    func load(service: T, completion: @escaping Completion<Data>) -> Task<Void, Never> {
        load(service: service, decodeType: Data.self, completion: completion)
    }

    /// Decodes off the main actor.
    @discardableResult func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> Task<Void, Never> {
        start(service, completion) { try $0.decode(decodeType) }
    }

    /// Decodes on the caller's actor, as the other method with `isolation`.
    @discardableResult func load<U: Decodable>(
        service: T, decodeType: U.Type, isolation: isolated (any Actor)? = #isolation,
        completion: @escaping Completion<U>
    ) -> Task<Void, Never> {
        start(service, completion) { try await $0.decode(in: isolation) }
    }

    private func start<U>(
        _ service: T, _ completion: @escaping Completion<U>,
        _ decode: @escaping @concurrent (ServiceResponse) async throws -> sending U
    ) -> Task<Void, Never> {
        // The request is built here, because the service may belong to the caller's actor. An error
        // waits for the handler. (`Swift.`, because your app may have a `Result` of its own.)
        let request = Swift.Result { try ServiceRequest(service, decoder) }
        // It may decode a type of an actor, so it isn't Sendable. Safe because it runs once.
        nonisolated(unsafe) let decode = decode
        @concurrent func result() async -> sending ServiceResult<U> {
            do {
                let response = try await send(request.get())
                guard !response.data.isEmpty else { return .empty }
                return .success(try await decode(response))
            } catch {
                return .failure(ServiceError(error))
            }
        }
        let end: Completion<U> = { result in
            completion(Task.isCancelled ? .failure(.cancelled) : result)
        }
        return Task { await end(result()) }
    }

    /// Sends a request through the interceptors, and checks the status.
    @concurrent private func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        try Task.checkCancellation()
        var next: ServiceNext = { [transport] in try await transport.send($0) }
        for interceptor in interceptors.reversed() {
            next = { [next] in try await interceptor.intercept($0, next: next) }
        }
        let response = try await next(request)
        // An interceptor may have ignored it.
        try Task.checkCancellation()
        guard (200...299).contains(response.statusCode)
        else { throw ServiceError.unacceptableStatus(response) }
        return response
    }
}

/// The result of a call. Empty means that the response has no body.
nonisolated enum ServiceResult<Value> {
    case success(Value)
    case failure(ServiceError)
    case empty
}

/// Wraps calls: adds a token, calls `next` again, or responds in a test. The first is outermost.
nonisolated protocol ServiceInterceptor: Sendable {
    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse
}

typealias ServiceNext = @Sendable (ServiceRequest) async throws -> ServiceResponse

/// An error of a call. Its texts quote no values of headers, queries and bodies.
nonisolated indirect enum ServiceError: LocalizedError, CustomStringConvertible, CustomReflectable {
    case invalidRequest(RequestPart, reason: String)
    /// Only the package's downloads and recordings throw it.
    case file(reason: String)
    case cancelled
    /// No complete response arrived: no network, an unknown host, a timeout, a lost connection.
    case transport(URLError)
    /// Not 200 to 299. The server's own error is `try? error.response?.decode(APIError.self)`.
    case unacceptableStatus(ServiceResponse)
    /// An async call asked for a value, and the response has no body.
    case emptyResponse(ServiceResponse)
    case decoding(any Error, ServiceResponse, as: String)
    /// An interceptor or `prepare` threw an error of its own type.
    case interceptor(any Error)

    enum RequestPart { case baseURL, path, method, parameter, header, body, timeout }

    init(_ error: any Error) {
        switch error {
        case let error as ServiceError: self = error
        case is CancellationError, URLError.cancelled: self = .cancelled
        // Without its URL, which may have a secret query.
        case let error as URLError: self = .transport(URLError(error.code))
        default: self = .interceptor(error)
        }
    }

    fileprivate static func require(
        _ condition: Bool, of part: RequestPart, reason: @autoclosure () -> String
    ) throws {
        guard condition else { throw ServiceError.invalidRequest(part, reason: reason()) }
    }

    var response: ServiceResponse? {
        switch self {
        case .unacceptableStatus(let it), .emptyResponse(let it), .decoding(_, let it, _): it
        case .invalidRequest, .file, .cancelled, .transport, .interceptor: nil
        }
    }

    var statusCode: Int? { response?.statusCode }

    /// A sentence for people, also as `localizedDescription`.
    var errorDescription: String? {
        switch self {
        case .invalidRequest: "The request can't be sent."
        case .file: "The file can't be read or written."
        case .cancelled: "The request was cancelled."
        case .transport(URLError.notConnectedToInternet): "There is no internet connection."
        case .transport(URLError.timedOut): "The server didn't respond in time."
        case .transport: "The connection to the server failed."
        case .unacceptableStatus: "The server refused the request."
        case .emptyResponse, .decoding: "The response can't be read."
        case .interceptor(let error): error.localizedDescription
        }
    }

    var description: String {
        let status = response.map { " Status \($0.statusCode) for '\($0.request)'." } ?? ""
        return switch self {
        case .invalidRequest(let part, let reason): "Invalid \(part): \(reason)."
        case .transport(let error): "\(localizedDescription) URLError \(error.code.rawValue)."
        case .decoding(let error, _, let type): "\(Self.fault(error, in: type)).\(status)"
        default: localizedDescription + status
        }
    }

    /// Empty, because `dump` would print values of the body.
    var customMirror: Mirror { Mirror(self, children: [:]) }

    /// The fault of a body, without its values.
    private static func fault(_ error: any Error, in type: String) -> String {
        switch error as? DecodingError {
        case .keyNotFound(let key, let it):
            "'\(text(type, it.codingPath + [key]))' is missing"
        case .typeMismatch(let expected, let it), .valueNotFound(let expected, let it):
            "'\(text(type, it.codingPath))' isn't a '\(expected)'"
        case .dataCorrupted(let it) where it.codingPath.isEmpty:
            "'\(type)' isn't JSON, or has an invalid value"
        case .dataCorrupted(let it):
            "'\(text(type, it.codingPath))' isn't valid"
        default: "'\(type)' can't be decoded"
        }
    }

    private static func text(_ type: String, _ path: [any CodingKey]) -> String {
        ([type] + path.map(name)).joined(separator: ".")
    }

    /// The name of a key that is a case of an enum. Other keys may be the server's, so they may be
    /// secret.
    private static func name(of key: any CodingKey) -> String {
        let mirror = Mirror(reflecting: key)
        let isCase = mirror.displayStyle == .enum && mirror.children.isEmpty
        return isCase ? key.stringValue : "…"
    }
}

nonisolated struct ServiceResponse: Sendable, CustomStringConvertible, CustomReflectable {
    var request: ServiceRequest
    let statusCode: Int
    fileprivate(set) var headers: [String: String] = [:]
    var data = Data()

    /// Without headers and body, which may be secret. `dump` doesn't show them either.
    var description: String { "\(statusCode), \(data.count) bytes, for \(request)" }
    var customMirror: Mirror { Mirror(self, children: [:]) }

    /// The value of a header field. The case of its name doesn't matter.
    func header(_ name: String) -> String? {
        // By bytes, because comparing many combining marks takes quadratic time.
        let name = name.lowercased().utf8
        let field = headers.first { $0.key.lowercased().utf8.elementsEqual(name) }
        return field?.value.trimmingCharacters(in: CharacterSet(charactersIn: " \t"))
    }

    /// Decodes the body. `Data` is the body itself, and `String` its text.
    func decode<U: Decodable>(_: U.Type) throws -> U {
        guard !data.isEmpty || data is U else { throw ServiceError.emptyResponse(self) }
        let isText = U.self == String.self || U.self == String?.self
        if isText, let text = String(bytes: data, encoding: .utf8), let text = text as? U {
            return text
        }
        do {
            return try data as? U ?? request.decoder.decode(U.self, from: data)
        } catch {
            throw ServiceError.decoding(error, self, as: "\(U.self)")
        }
    }

    @concurrent fileprivate func decodeConcurrently<U: Decodable & SendableMetatype>(
        _ type: U.Type
    ) async throws -> sending U {
        try decode(type)
    }

    /// Decodes on an actor: without one on the main actor, which the type may need.
    fileprivate func decode<U: Decodable>(
        in isolation: isolated (any Actor)?
    ) async throws -> sending U {
        guard isolation != nil else { return try await decode(in: MainActor.shared) }
        // Safe because nothing else has the value.
        nonisolated(unsafe) let value = try decode(U.self)
        return value
    }
}

nonisolated struct ServiceRequest: Sendable, CustomStringConvertible, CustomReflectable {
    var urlRequest: URLRequest
    /// The description before a redirect, because a server has chosen the URL of this one.
    private var original: String?
    fileprivate var decoder = JSONDecoder()

    init(_ urlRequest: URLRequest) { self.urlRequest = urlRequest }

    var description: String {
        original ?? "\(urlRequest.httpMethod ?? "GET") \(urlRequest.url?.path() ?? "/")"
    }

    /// Empty, because `dump` would print headers and the body.
    var customMirror: Mirror { Mirror(self, children: [:]) }

    fileprivate init(_ service: some Service, _ decoder: JSONDecoder) throws {
        let method = service.method
        var body = service.body
        var query = ""
        if let parameters = service.parameters {
            let isJSON = body == nil && ![.get, .head, .delete].contains(method)
            let text = try ParameterWriter(isJSON: isJSON).text(of: parameters) ?? ""
            if isJSON {
                body = .data(Data(text.utf8), contentType: "application/json")
            } else {
                query = text
            }
        }
        urlRequest = URLRequest(url: try Self.url(service.baseURL, service.path, query))
        urlRequest.httpMethod = method.rawValue
        if let body {
            try check(["Content-Type": body.type])
            do {
                urlRequest.httpBody = try body.makeData()
            } catch let error where !(error is ServiceError) {
                throw ServiceError.invalidRequest(.body, reason: "a value can't be encoded")
            }
            urlRequest.setValue(body.type, forHTTPHeaderField: "Content-Type")
        }
        let headers = service.headers
        try check(headers)
        let names = Set(headers.keys.map { $0.lowercased() })
        try ServiceError.require(
            names.count == headers.count, of: .header, reason: "a name is set twice")
        for (name, value) in headers {
            urlRequest.setValue(value, forHTTPHeaderField: name)
        }
        self.decoder = decoder
        try service.prepare(&self)
    }

    private static func url(_ base: String, _ path: String, _ query: String) throws -> URL {
        try ServiceError.require(
            !hasDotSegment(path), of: .path, reason: "it has a segment '.' or '..'")
        let refusal = ServiceError.invalidRequest(.baseURL, reason: "it isn't a valid http(s) URL")
        guard var parts = URLComponents(string: base) else { throw refusal }
        // Foundation repairs some invalid URLs. (Comparing texts with many accents takes minutes,
        // and comparing bytes doesn't.)
        let isUnchanged = parts.string?.utf8.elementsEqual(base.utf8) == true
        parts.scheme = parts.scheme?.lowercased()
        let isHTTP = ["http", "https"].contains(parts.scheme) && parts.host?.isEmpty == false
        guard isUnchanged, isHTTP else { throw refusal }
        if !path.isEmpty {
            let separator = parts.percentEncodedPath.hasSuffix("/") ? "" : "/"
            let path = PercentEncoding.encode(path, keeping: "!$&'()*+,;=:@/")
            parts.percentEncodedPath += separator + path.trimmingPrefix("/")
        }
        let queries = [parts.percentEncodedQuery ?? "", query].filter { !$0.isEmpty }
        parts.percentEncodedQuery = queries.isEmpty ? nil : queries.joined(separator: "&")
        guard let url = parts.url else { throw refusal }
        return url
    }

    /// Whether a path has a segment `.` or `..`, which servers resolve. Some servers read a `\` as
    /// a `/`, or ignore the part of a segment after a `;`.
    private static func hasDotSegment(_ path: String) -> Bool {
        let segments = path.utf8.split { "/\\;".utf8.contains($0) }
        return segments.contains { $0.elementsEqual(".".utf8) || $0.elementsEqual("..".utf8) }
    }

    /// Checks the method and header fields. A line break would start another header or request.
    fileprivate func check(_ headers: [String: String]) throws {
        // RFC 9110 allows more characters. In practice, no one uses them.
        let isToken = { (text: String) in
            !text.isEmpty && text.utf8.allSatisfy(PercentEncoding.isUnreserved)
        }
        try ServiceError.require(urlRequest.url != nil, of: .baseURL, reason: "there is none")
        let method = urlRequest.httpMethod ?? "GET"
        try ServiceError.require(isToken(method), of: .method, reason: "its name isn't allowed")
        let hasBody = urlRequest.httpBody != nil || urlRequest.httpBodyStream != nil
        let isBodyless = !hasBody || !["GET", "HEAD"].contains(method)
        try ServiceError.require(isBodyless, of: .body, reason: "a '\(method)' can't have one")
        for (name, value) in headers {
            let isFraming = ["content-length", "transfer-encoding"].contains(name.lowercased())
            try ServiceError.require(
                isToken(name) && !isFraming, of: .header, reason: "a name isn't allowed")
            let isText = value.utf8.allSatisfy { ($0 >= 0x20 && $0 != 0x7F) || $0 == 0x09 }
            try ServiceError.require(
                isText, of: .header, reason: "'\(name)' has a control character")
        }
    }

    /// The request after a redirect (RFC 9110, section 15.4); nil for other responses and origins.
    fileprivate func redirected(by response: ServiceResponse) -> ServiceRequest? {
        let code = response.statusCode
        guard [301, 302, 303, 307, 308].contains(code), let location = response.header("Location"),
            let url = resolve(location)
        else { return nil }
        var next = self
        next.original = description
        next.urlRequest.url = url
        let becomesGet =
            switch code {
            case 303: urlRequest.httpMethod != "HEAD"
            case 301, 302: urlRequest.httpMethod == "POST"
            default: false
            }
        if becomesGet {
            next.urlRequest.httpMethod = "GET"
            next.urlRequest.httpBody = nil
            for name in (urlRequest.allHTTPHeaderFields ?? [:]).keys
            where name.lowercased().hasPrefix("content-") {
                next.urlRequest.setValue(nil, forHTTPHeaderField: name)
            }
        }
        // A stream can't be sent again.
        return next.urlRequest.httpBodyStream == nil ? next : nil
    }

    /// The URL that a server redirects to; nil for another origin. Its user and password are those
    /// of this request, because a server must not choose them.
    private func resolve(_ location: String) -> URL? {
        guard let old = urlRequest.url, let own = URLComponents(string: old.absoluteString),
            let new = URL(string: Self.legal(location), relativeTo: old),
            var parts = URLComponents(string: new.absoluteString)
        else { return nil }
        parts.scheme = parts.scheme?.lowercased()
        parts.percentEncodedUser = own.percentEncodedUser
        parts.percentEncodedPassword = own.percentEncodedPassword
        // `URLComponents` drops some invalid hosts, so compare the finished URL.
        guard let url = parts.url, Self.origin(of: url) == Self.origin(of: old) else { return nil }
        return url
    }

    /// Escapes the characters that a URL can't contain, and keeps its escapes: `URL` would escape
    /// those again. Only an IPv6 address has brackets.
    private static func legal(_ location: String) -> String {
        let legal = "!$&'()*+,;=:@/?#"
        let start = String(decoding: location.utf8.prefix(9), as: UTF8.self)
        guard start.contains("//["), let end = location.utf8.firstIndex(of: UInt8(ascii: "]"))
        else { return PercentEncoding.encode(location, keeping: legal, keepsEscapes: true) }
        let address = String(location.unicodeScalars[...end])
        let rest = String(location.unicodeScalars[end...].dropFirst())
        return address + PercentEncoding.encode(rest, keeping: legal, keepsEscapes: true)
    }

    private static func origin(of url: URL) -> [String] {
        let parts = URLComponents(string: url.absoluteString)
        let scheme = parts?.scheme?.lowercased() ?? ""
        let port = parts?.port ?? (scheme == "https" ? 443 : 80)
        return [scheme, parts?.encodedHost?.lowercased() ?? "", String(port)]
    }
}

/// Writes parameters as JSON or as a query.
private nonisolated struct ParameterWriter {
    let isJSON: Bool

    /// A value as JSON, or as fields of a query: `name=a`, `name[]=a` for an array, `name[key]=a`
    /// for a dictionary. Nil for a nil, and in a query for null, `[]` and `[:]`.
    func text(of value: Any, _ name: String = "", depth: Int = 0) throws -> String? {
        // A value that contains itself would exhaust the stack.
        try ServiceError.require(
            depth < 64, of: .parameter, reason: "'\(name)' has more than 64 levels")
        // Common types come first, because a failed cast takes time.
        switch value {
        case let text as String:
            return try isJSON ? Self.quoted(text) : field(name, text)
        case _ where Self.isFiniteNSNumber(value):
            let json = try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
            return literal(name, String(decoding: json, as: UTF8.self))
        case let number as Int:
            return literal(name, String(number))
        case let flag as Bool:
            return literal(name, flag ? "true" : "false")
        case let number as Double where number.isFinite:
            return literal(name, "\(number)")
        case let elements as [Any]:
            let texts = try elements.compactMap { element in
                try text(of: element, name + "[]", depth: depth + 1)
            }
            return joined(texts, "[", "]")
        case let members as [String: Any]:
            let texts = try members.sorted { $0.key < $1.key }.compactMap { key, member in
                let inner = name.isEmpty ? key : "\(name)[\(key)]"
                guard let text = try self.text(of: member, inner, depth: depth + 1)
                else { return nil as String? }
                return isJSON ? try Self.quoted(key) + ":" + text : text
            }
            return joined(texts, "{", "}")
        // Other integers, Float and Decimal.
        case let number as any Numeric where Double("\(number)")?.isFinite == true:
            return literal(name, "\(number)")
        case let date as Date where Self.writableDates.contains(date.timeIntervalSince1970):
            return try text(of: date.formatted(.iso8601), name)
        case let url as URL:
            return try text(of: url.absoluteString, name)
        case let id as UUID:
            return try text(of: id.uuidString, name)
        case is NSNull:
            return isJSON ? "null" : nil
        case let raw as any RawRepresentable:
            return try text(of: raw.rawValue, name, depth: depth + 1)
        case Optional<Any>.none:
            return nil
        case Optional<Any>.some(let inner) where Self.isOptional(value):
            return try text(of: inner, name, depth: depth + 1)
        default:
            let reason = "'\(name)' is a '\(type(of: value))' that can't be sent"
            throw ServiceError.invalidRequest(.parameter, reason: reason)
        }
    }

    /// The years 1 to 9999, in seconds since 1970. Formatting traps outside of them.
    static let writableDates = -62_135_769_600.0..<253_402_300_800.0

    /// On Apple's platforms, an `NSNumber` casts to each type of number, and to `Bool`.
    private static func isFiniteNSNumber(_ value: Any) -> Bool {
        type(of: value) is NSNumber.Type && JSONSerialization.isValidJSONObject([value])
    }

    /// Any value matches `.some`, so only its mirror knows.
    private static func isOptional(_ value: Any) -> Bool {
        Mirror(reflecting: value).displayStyle == .optional
    }

    private func joined(_ texts: [String], _ start: String, _ end: String) -> String? {
        guard !isJSON else { return start + texts.joined(separator: ",") + end }
        return texts.isEmpty ? nil : texts.joined(separator: "&")
    }

    /// A number or a boolean.
    private func literal(_ name: String, _ text: String) -> String {
        isJSON ? text : field(name, text)
    }

    private func field(_ name: String, _ text: String) -> String {
        PercentEncoding.encode(name) + "=" + PercentEncoding.encode(text)
    }

    /// A text as in JSON. An encoder takes longer, so it only writes texts with escapes.
    private static func quoted(_ text: String) throws -> String {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
        guard !isPlain else { return "\"\(text)\"" }
        return String(decoding: try JSONEncoder().encode(text), as: UTF8.self)
    }
}

/// Not an extension of `String`, because your app may have one with the same name.
private nonisolated enum PercentEncoding {
    /// Escapes each byte that isn't unreserved or one of the kept characters.
    static func encode(
        _ text: String, keeping kept: String = "", keepsEscapes: Bool = false
    ) -> String {
        let isKept = { (byte: UInt8) in isUnreserved(byte) || kept.utf8.contains(byte) }
        guard !text.utf8.allSatisfy(isKept) else { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var rest = Array(text.utf8)[...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            let isEscape =
                byte == UInt8(ascii: "%")
                && rest.prefix(2).count { UnicodeScalar($0).properties.isASCIIHexDigit } == 2
            if isKept(byte) || keepsEscapes && isEscape {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digits[Int(byte / 16)], digits[Int(byte % 16)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether it is a letter, a digit or one of `-._~` (RFC 3986, section 2.3).
    static func isUnreserved(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: false
        }
    }
}

/// Sends requests with URLSession. For a session of your own, pass a provider
/// `transport: URLSessionTransport(configuration: .ephemeral)`.
nonisolated final class URLSessionTransport: Sendable {
    static let shared = URLSessionTransport()
    private let session: URLSession

    init(configuration: URLSessionConfiguration = .default) {
        #if canImport(FoundationNetworking)
        session = URLSession(configuration: LinuxCall.adapted(configuration))
        #else
        session = URLSession(configuration: configuration)
        #endif
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Follows redirects only within an origin, because requests may have credentials.
    @concurrent fileprivate func send(
        _ request: ServiceRequest, redirects: Int = 20
    ) async throws -> ServiceResponse {
        // Again, because `prepare` and interceptors may have changed it.
        try request.check(request.urlRequest.allHTTPHeaderFields ?? [:])
        let response = try await exchange(request)
        guard redirects > 0, let next = request.redirected(by: response) else { return response }
        return try await send(next, redirects: redirects - 1)
    }

    private func exchange(_ request: ServiceRequest) async throws -> ServiceResponse {
        do {
            try Task.checkCancellation()
            #if canImport(FoundationNetworking)
            let (data, head) = try await LinuxCall().load(request.urlRequest, session)
            #else
            let (data, head) = try await session.data(
                for: request.urlRequest, delegate: RedirectRefusal())
            #endif
            guard let head = head as? HTTPURLResponse else { throw URLError(.badServerResponse) }
            let headers = head.allHeaderFields as? [String: String] ?? [:]
            return ServiceResponse(
                request: request, statusCode: head.statusCode, headers: headers, data: data)
        } catch {
            // Some lost connections have an error of another type.
            let code = Task.isCancelled ? URLError.cancelled : .networkConnectionLost
            throw error as? URLError ?? URLError(code)
        }
    }
}

// An app for Apple's platforms alone can delete the code for Linux: in each of the four parts with
// `#if canImport(FoundationNetworking)`, all lines but those after `#else`.
#if canImport(FoundationNetworking)
/// One request on Linux, where `URLSession.data(for:)` can freeze all sessions if it is cancelled.
private nonisolated final class LinuxCall: NSObject, URLSessionTaskDelegate, @unchecked Sendable {
    typealias Loaded = (data: Data, head: URLResponse?)

    private let lock = NSLock()
    // `@unchecked Sendable`, because these are only used under the lock.
    private var caller: CheckedContinuation<Loaded, any Error>?
    private var task: URLSessionTask?

    /// A copy of a configuration, without the parts that are dangerous on Linux.
    static func adapted(_ original: URLSessionConfiguration) -> URLSessionConfiguration {
        let configuration = original.copy() as? URLSessionConfiguration ?? original
        // With a cache, cancelling a task can crash the process.
        configuration.urlCache = nil
        // It is a file that everyone can read, and other programs send its cookies.
        if configuration.httpCookieStorage === HTTPCookieStorage.shared {
            configuration.httpCookieStorage = nil
        }
        configuration.timeoutIntervalForRequest = wholeSeconds(
            configuration.timeoutIntervalForRequest)
        return configuration
    }

    /// URLSession drops fractions of seconds, and traps at infinity. 604,800 seconds are a week.
    private static func wholeSeconds(_ seconds: TimeInterval) -> TimeInterval {
        min(max(1, seconds.rounded(.up)), 604_800)
    }

    func load(_ request: URLRequest, _ session: URLSession) async throws -> Loaded {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { start(request, session, $0) }
        } onCancel: {
            end(.failure(URLError(.cancelled)))
        }
    }

    private func start(
        _ request: URLRequest, _ session: URLSession,
        _ caller: CheckedContinuation<Loaded, any Error>
    ) {
        var request = request
        let seconds = Self.wholeSeconds(request.timeoutInterval)
        // Setting a timeout replaces the session's, so set it only if it changes.
        if seconds != request.timeoutInterval { request.timeoutInterval = seconds }
        let task = session.dataTask(with: request) { data, response, error in
            // It has ended, so it must not be cancelled anymore.
            self.lock.withLock { self.task = nil }
            if let error {
                self.end(.failure(error))
            } else {
                self.end(.success((data ?? Data(), response)))
            }
        }
        task.delegate = self
        lock.withLock {
            self.caller = caller
            self.task = task
        }
        task.resume()
        // A cancellation before this didn't find the task.
        if Task.isCancelled { end(.failure(URLError(.cancelled))) }
    }

    /// Ends the call: resumes its caller and cancels its task, each only the first time. Cancelling
    /// a task twice crashes the process.
    private func end(_ result: Swift.Result<Loaded, any Error>) {
        lock.withLock { caller.take() }?.resume(with: result)
        let task = lock.withLock { self.task.take() }
        // On another thread: `cancel()` waits for the session's thread, which may be this one.
        DispatchQueue.global().async { task?.cancel() }
    }

    /// Responds with the redirect. The handler isn't called, because refusing a redirect and
    /// cancelling its task crashes the process.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        end(.success((Data(), response)))
    }

    /// Responds with the 401, without calling the handler: a refused Basic login would never end.
    /// This loses the body.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        end(.success((Data(), task.response)))
    }
}
#else
/// URLSession would send credentials to other hosts.
private nonisolated final class RedirectRefusal: NSObject, URLSessionTaskDelegate {
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }
}
#endif
