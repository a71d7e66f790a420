// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
//
// ServiceProvider, a small networking library in Swift: its core as one file to copy into an app.
// Generated from Sources/ServiceProvider by .ci/snippet: don't edit it. To update a copy, replace it
// with Snippet/ServiceProvider.swift of a newer version.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// MARK: - Services

/// An HTTP endpoint: its URL, and the contents of its request.
///
/// Conform an enum with one case per endpoint, or one struct per endpoint. Only ``baseURL`` and
/// ``path`` have no default.
///
/// ```swift
/// enum MarvelService {
///     case characters(name: String)
/// }
///
/// extension MarvelService: Service {
///     var baseURL: String { "https://gateway.example.com/v1/public" }
///     var path: String { "/characters" }
///     var parameters: [String: Any]? {
///         switch self {
///         case .characters(let name): ["name": name]
///         }
///     }
/// }
/// ```
///
/// A service is read once for each call, in the caller's isolation. It doesn't have to be `Sendable`,
/// and may belong to the main actor.
public nonisolated protocol Service {
    /// The URL that paths are appended to, such as `"https://api.example.com/v2"`.
    ///
    /// The scheme is `http` or `https`. A query is kept, and parameters are appended to it. A fragment
    /// is dropped.
    var baseURL: String { get }

    /// The path below ``baseURL``, as raw text.
    ///
    /// Characters that a path can't contain are percent-encoded; `%`, `?` and `#` are encoded as well.
    /// Exactly one slash joins the base URL and a path that isn't empty. A segment `.` or `..` is refused.
    var path: String { get }

    /// A path that is already percent-encoded, used instead of ``path``. Default: nil.
    ///
    /// Use it for a slash inside a segment (`"a%2Fb"`).
    var percentEncodedPath: String? { get }

    /// The HTTP method. Default: ``ServiceMethod/get``.
    var method: ServiceMethod { get }

    /// The parameters of the query, form or JSON body; see ``parameterEncoding``. Default: nil.
    ///
    /// Values are strings, numbers, booleans, `Date`, `URL`, `UUID`, `Data` (as Base64),
    /// `RawRepresentable` values, and arrays and dictionaries of these (`key[]` and `key[inner]` in
    /// a query). A nil drops its key; `NSNull` is null in JSON. Any other value is an error, NaN
    /// and infinity included. If a value is a ``ServiceError``, the call throws it. This lets code
    /// that can't throw, such as this property, report a failure.
    var parameters: [String: Any]? { get }

    /// Where ``parameters`` go and how they are written. Default: the query for GET, HEAD and DELETE, a
    /// JSON body for other methods.
    var parameterEncoding: ServiceParameterEncoding { get }

    /// The header fields. Default: none.
    ///
    /// Names must be tokens, and values free of control characters (RFC 9110, section 5). The transport
    /// sets `Content-Length` and `Transfer-Encoding`, so these are refused.
    var headers: [String: String] { get }

    /// The body. Default: nil. With a body, ``parameters`` go to the query.
    var body: ServiceBody? { get }

    /// The call fails after this many seconds without a byte sent or received. Default: nil, which
    /// uses the session's timeout (60 seconds by default). The longest timeout is a week.
    var timeout: TimeInterval? { get }

    /// The status codes that count as success. Default: 200 to 299.
    ///
    /// A redirect with one of these codes is returned instead of being followed.
    var validStatusCodes: Set<Int> { get }

    /// Changes the finished request before it is sent. Default: does nothing.
    ///
    /// Use it for settings that have no property here, such as ``ServiceRequest/decoder``,
    /// ``ServiceRequest/isRepeatable``, and options that other modules add to a request.
    ///
    /// - Throws: Any error; the call throws it wrapped by ``ServiceError/init(_:of:)``.
    func prepare(_ request: inout ServiceRequest) throws
}

nonisolated extension Service {
    /// Nil, which uses ``Service/path``.
    public var percentEncodedPath: String? { nil }
    /// GET.
    public var method: ServiceMethod { .get }
    /// None.
    public var parameters: [String: Any]? { nil }
    /// The query for GET, HEAD and DELETE, a JSON body for other methods.
    public var parameterEncoding: ServiceParameterEncoding { ServiceParameterEncoding() }
    /// None.
    public var headers: [String: String] { [:] }
    /// None.
    public var body: ServiceBody? { nil }
    /// Nil, which uses the session's timeout.
    public var timeout: TimeInterval? { nil }
    /// 200 to 299.
    public var validStatusCodes: Set<Int> { ServiceResponse.successfulStatusCodes }
    /// Does nothing.
    public func prepare(_ request: inout ServiceRequest) throws {}
}

/// An endpoint as a value, for a URL that needs no type of its own.
///
/// ```swift
/// let provider = ServiceProvider<ServiceEndpoint>()
/// let heroes = try await provider.load(
///     service: ServiceEndpoint("https://example.com/heroes", parameters: ["limit": 5]),
///     decodeType: [Hero].self)
/// ```
public nonisolated struct ServiceEndpoint: Service, CustomStringConvertible, CustomReflectable {
    /// The URL, or the URL that ``path`` is appended to.
    public var baseURL: String
    /// See ``Service/path``. Default: empty.
    public var path = ""
    /// See ``Service/method``. Default: ``ServiceMethod/get``.
    public var method: ServiceMethod
    /// See ``Service/parameters``. Default: nil.
    public var parameters: [String: Any]?
    /// See ``Service/parameterEncoding``. Default: decided by the method.
    public var parameterEncoding = ServiceParameterEncoding()
    /// See ``Service/headers``. Default: none.
    public var headers: [String: String]
    /// See ``Service/body``. Default: nil.
    public var body: ServiceBody?
    /// See ``Service/timeout``. Default: nil.
    public var timeout: TimeInterval?
    /// See ``Service/validStatusCodes``. Default: 200 to 299.
    public var validStatusCodes = ServiceResponse.successfulStatusCodes

    /// Creates an endpoint.
    public init(
        _ url: String, method: ServiceMethod = .get, parameters: [String: Any]? = nil,
        headers: [String: String] = [:], body: ServiceBody? = nil
    ) {
        (baseURL, self.method, self.parameters) = (url, method, parameters)
        (self.headers, self.body) = (headers, body)
    }

    /// The method and the URL, without user info and query.
    public var description: String {
        "\(method.rawValue) \(ServiceRequest.redactedURL(baseURL + path))"
    }

    /// Empty, because `dump` would print the headers and the parameters.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An HTTP method (RFC 9110, section 9).
///
/// Any HTTP token (letters, digits and some symbols) can be a method:
/// `ServiceMethod(rawValue: "PURGE")`. Building the request fails for any
/// other string. Methods are case-sensitive.
public nonisolated struct ServiceMethod: RawRepresentable, Hashable, Sendable {
    /// The method as it is sent.
    public let rawValue: String

    /// Creates a method from an HTTP token.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Reads a resource.
    public static let get = ServiceMethod(rawValue: "GET")
    /// Reads the headers of a resource.
    public static let head = ServiceMethod(rawValue: "HEAD")
    /// Sends data to a resource, often to create another one.
    public static let post = ServiceMethod(rawValue: "POST")
    /// Creates or replaces a resource.
    public static let put = ServiceMethod(rawValue: "PUT")
    /// Changes a part of a resource (RFC 5789).
    public static let patch = ServiceMethod(rawValue: "PATCH")
    /// Removes a resource.
    public static let delete = ServiceMethod(rawValue: "DELETE")
    /// Reads the options of a resource.
    public static let options = ServiceMethod(rawValue: "OPTIONS")

    /// The methods that can be sent twice with the same effect (RFC 9110, section 9.2.2).
    public static let idempotent: Set = [get, head, put, delete, options, .init(rawValue: "TRACE")]
}

/// Where parameters go and how they are written.
///
/// ```swift
/// var parameterEncoding: ServiceParameterEncoding { .init(destination: .form) }
/// ```
public nonisolated struct ServiceParameterEncoding: Sendable {
    /// The part of a request that carries the parameters.
    public enum Destination: Sendable {
        /// The query for GET, HEAD and DELETE; a JSON body for other methods.
        case automatic
        /// The query for GET, HEAD and DELETE; a form for other methods.
        case queryOrForm
        /// The query of the URL.
        case query
        /// A body of type `application/x-www-form-urlencoded`.
        case form
        /// A body of type `application/json`.
        case json
    }

    /// Where the parameters go.
    public var destination: Destination
    /// The top-level keys that come first, in this order. Other keys follow, sorted. Default: none.
    public var order: [String] = []
    /// Names an array element in a query or form. Default: `key[]`.
    public var elementName: @Sendable (_ key: String, _ index: Int) -> String = { key, _ in
        key + "[]"
    }
    /// Names a member of a dictionary in a query or form. Default: `key[member]`.
    public var memberName: @Sendable (_ key: String, _ member: String) -> String = {
        "\($0)[\($1)]"
    }
    /// Whether a query or form has `+` for a space, instead of `%20`. Default: false.
    public var writesSpaceAsPlus = false
    /// Replaces values before they are written. It is called first with the whole dictionary of
    /// parameters, and then with each value in it, nested ones included. Default: nil.
    public var replacement: (@Sendable (_ value: Any, _ isJSON: Bool) -> Any)?

    /// Creates an encoding.
    public init(destination: Destination = .automatic) {
        self.destination = destination
    }

    /// Encodes parameters as JSON if ``destination`` is JSON, or else as a query or form.
    ///
    /// Keys are sorted, so the same parameters give the same text on every run.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a value that can't be sent.
    public func encode(_ parameters: [String: Any]) throws(ServiceError) -> String {
        var writer = ServiceParameterWriter(encoding: self, isJSON: destination == .json)
        let replaced = replacement?(parameters, writer.isJSON) as? [String: Any]
        try writer.write(.object(replaced ?? parameters), name: "", depth: 0)
        let text = String(decoding: writer.bytes, as: UTF8.self)
        let hasPlus = writesSpaceAsPlus && !writer.isJSON
        return hasPlus ? text.replacingOccurrences(of: "%20", with: "+") : text
    }
}

/// Writes parameters as a query, a form or JSON. (`JSONSerialization` takes ten times as long.)
private nonisolated struct ServiceParameterWriter {
    enum Value {
        /// In JSON, text is quoted. Literals (numbers, booleans and null) aren't.
        case text(String), literal(String), list([Any]), object([String: Any]), unsupported(Any)
    }

    let encoding: ServiceParameterEncoding
    let isJSON: Bool
    var bytes: [UInt8] = []

    /// Writes a value. The name is the query key, such as `filter[from]`.
    mutating func write(_ value: Value, name: String, depth: Int) throws(ServiceError) {
        // A value that contains itself would exhaust the stack.
        try ServiceError.require(
            depth <= 64, .parameter, "'\(name.prefix(60))…' is nested too deep")
        switch value {
        case .text(let text) where isJSON: writeQuoted(text)
        case .literal(let text) where isJSON: bytes += text.utf8
        case .text(let text), .literal(let text):
            if !bytes.isEmpty { bytes.append(UInt8(ascii: "&")) }
            bytes += ServicePercentEncoding.encode(name).utf8
            bytes.append(UInt8(ascii: "="))
            bytes += ServicePercentEncoding.encode(text).utf8
        case .list(let elements): try write(elements, name: name, depth: depth)
        case .object(let members): try write(members, name: name, depth: depth)
        case .unsupported(let value):
            let fault = value is any BinaryFloatingPoint ? "isn't finite" : "can't be sent"
            let reason = "'\(name)' is a '\(type(of: value))' that \(fault)"
            throw value as? ServiceError ?? .invalidRequest(.parameter, reason: reason)
        }
    }

    private mutating func write(
        _ members: [String: Any], name: String, depth: Int
    ) throws(ServiceError) {
        var rest = members
        let first = depth == 0 ? encoding.order : []
        let keys = first.filter { rest.removeValue(forKey: $0) != nil } + rest.keys.sorted()
        var separator = "{"
        for key in keys {
            guard let member = members[key], let value = read(member) else { continue }
            if isJSON {
                bytes += separator.utf8
                writeQuoted(key)
                bytes.append(UInt8(ascii: ":"))
                separator = ","
            }
            let name = depth == 0 ? key : encoding.memberName(name, key)
            try write(value, name: name, depth: depth + 1)
        }
        if isJSON { bytes += (separator == "{" ? "{}" : "}").utf8 }
    }

    private mutating func write(
        _ elements: [Any], name: String, depth: Int
    ) throws(ServiceError) {
        var index = 0
        if isJSON { bytes += "[".utf8 }
        for element in elements {
            guard let value = read(element) else { continue }
            if isJSON, index > 0 { bytes.append(UInt8(ascii: ",")) }
            let name = isJSON ? name : encoding.elementName(name, index)
            try write(value, name: name, depth: depth + 1)
            index += 1
        }
        if isJSON { bytes += "]".utf8 }
    }

    private mutating func writeQuoted(_ text: String) {
        let isPlain = text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
        bytes.append(UInt8(ascii: "\""))
        if isPlain { bytes += text.utf8 }
        for byte in text.utf8 where !isPlain {
            if byte == 0x22 || byte == 0x5C { bytes.append(0x5C) }
            bytes += byte < 0x20 ? Array(String(format: "\\u%04X", byte).utf8) : [byte]
        }
        bytes.append(UInt8(ascii: "\""))
    }

    /// Reads a value; returns nil to drop it. Common types come first, because a failed cast takes
    /// time.
    private func read(_ original: Any, depth: Int = 0) -> Value? {
        let value = encoding.replacement?(original, isJSON) ?? original
        let type = type(of: value)
        if type == String.self, let text = value as? String { return .text(text) }
        // On Apple platforms an NSNumber casts to every number type. `value is NSNumber` would create an
        // object for every value.
        if type is NSNumber.Type, let number = value as? NSNumber { return read(number) }
        // An NSNumber in an Optional or an AnyHashable casts to each of these types.
        return switch value {
        case let number as Int where type == Int.self: .literal(String(number))
        case let flag as Bool where type == Bool.self: .literal("\(flag)")
        case let number as Double where type == Double.self && number.isFinite:
            .literal("\(number)")
        case let value as any Numeric where Double("\(value)")?.isFinite == true:
            .literal("\(value)")
        case let text as String: .text(text)
        case let value as [Any]: .list(value)
        case let value as [String: Any]: .object(value)
        // Conversions trap outside the years 1 to 9999.
        case let date as Date:
            (-62_135_769_600..<253_402_300_800).contains(date.timeIntervalSince1970)
                ? .text(date.formatted(.iso8601)) : .unsupported(date)
        case let value as URL: .text(value.absoluteString)
        case let value as UUID: .text(value.uuidString)
        case let value as Data: .text(value.base64EncodedString())
        case let raw as any RawRepresentable where depth < 8: read(raw.rawValue, depth: depth + 1)
        case let box as AnyHashable where type == AnyHashable.self: read(box.base, depth: depth)
        case is NSNull: isJSON ? .literal("null") : nil
        case Optional<Any>.some(let inner) where Mirror(reflecting: value).displayStyle == .optional:
            depth < 8 ? read(inner, depth: depth + 1) : .unsupported(value)
        case Optional<Any>.some: .unsupported(value)
        default: nil
        }
    }

    private func read(_ number: NSNumber) -> Value? {
        // Booleans have their own class. On Apple platforms, `objCType` is the same for Bool and Int8.
        if Swift.type(of: number) == Swift.type(of: NSNumber(value: true)) {
            return read(number.boolValue)
        }
        if let number = number as? NSDecimalNumber { return read(number.decimalValue) }
        let isFraction = ["d", "f"].contains(String(cString: number.objCType))
        return isFraction ? read(number.doubleValue) : .literal(number.stringValue)
    }
}

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
nonisolated enum ServicePercentEncoding {
    /// Encodes every character except unreserved ones (RFC 3986, section 2.3) and those in `kept`.
    static func encode(_ text: String, keeping kept: StaticString = "") -> String {
        if isUnchanged(text, keeping: kept) { return text }
        func digit(_ value: UInt8) -> UInt8 { value < 10 ? value + 0x30 : value + 0x37 }
        var bytes: [UInt8] = []
        for byte in text.utf8 {
            if isAllowed(byte, kept) {
                bytes.append(byte)
            } else {
                bytes += [UInt8(ascii: "%"), digit(byte >> 4), digit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Whether a string has only letters, digits, `-._~` and kept characters.
    static func isUnchanged(_ text: String, keeping kept: StaticString) -> Bool {
        var text = text
        return text.withUTF8 { $0.allSatisfy { isAllowed($0, kept) } }
    }

    private static func isAllowed(_ byte: UInt8, _ kept: StaticString) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: kept.withUTF8Buffer { $0.contains(byte) }
        }
    }
}

/// The body of a request.
///
/// ```swift
/// var body: ServiceBody? { .json(NewPost(title: "Hello")) }
/// ```
public nonisolated struct ServiceBody {
    /// Returns an unopened stream at its first byte, and the number of bytes to send.
    ///
    /// The stream must fail if it has fewer bytes; its `streamError` becomes
    /// ``ServiceError/invalidRequest(_:reason:)``.
    public typealias Upload = @Sendable () throws -> (stream: InputStream, size: Int64)

    let write: (inout ServiceRequest) throws -> String?

    /// Creates a body from a closure, which is called once for each request.
    ///
    /// - Parameter write: Sets `urlRequest.httpBody` or ``ServiceRequest/upload``, and returns the
    ///   `Content-Type` for requests without one. (Without a type, URLSession on Linux says that
    ///   the body is a form.) If the closure sets a header, ``Service/headers`` can't contain that
    ///   header. Any error is wrapped
    ///   by ``ServiceError/init(_:of:)``.
    public init(write: @escaping (inout ServiceRequest) throws -> String?) {
        self.write = write
    }

    /// Bytes as they are.
    public static func data(
        _ data: Data, contentType: String = "application/octet-stream"
    ) -> ServiceBody {
        ServiceBody {
            $0.urlRequest.httpBody = data
            return contentType
        }
    }

    /// A value as JSON.
    ///
    /// `Data` becomes a Base64 string, and a `String` gets quotes. To send bytes or text as they are, use
    /// ``data(_:contentType:)``.
    ///
    /// - Parameters:
    ///   - value: The value to encode.
    ///   - encoder: Default: a `JSONEncoder` that sorts keys, so that equal values give equal bytes.
    public static func json(
        _ value: some Encodable, encoder: JSONEncoder = sortingEncoder
    ) -> ServiceBody {
        ServiceBody {
            $0.urlRequest.httpBody = try encoder.encode(value)
            return "application/json"
        }
    }

    /// A `JSONEncoder` that sorts keys.
    public static let sortingEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()
}

// MARK: - Provider

/// Loads the endpoints of one service.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>()
/// let page = try await provider.load(
///     service: .characters(name: "Hulk"), decodeType: Page.self)
/// ```
///
/// A provider has no state of its own. Keep one, or create one for each call.
public nonisolated final class ServiceProvider<T: Service>: Sendable {
    /// The result of a call.
    public typealias Result<Value> = ServiceResult<Value>
    /// A handler. It runs on the main actor, which means on the main queue.
    public typealias Completion<Value> = @MainActor @Sendable (sending ServiceResult<Value>) -> Void

    /// Runs the requests.
    public let pipeline: ServicePipeline

    /// Creates a provider from a pipeline, such as the changed pipeline of another provider.
    public init(_ pipeline: ServicePipeline) {
        self.pipeline = pipeline
    }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests. Default: URLSession.
    ///   - interceptors: Change requests and responses; the first is the outermost. Default: none.
    ///   - decoder: Decodes the responses. Default: `JSONDecoder()`.
    public convenience init(
        transport: any ServiceTransport = URLSessionTransport.shared,
        interceptors: [any ServiceInterceptor] = [], decoder: any ServiceDecoder = JSONDecoder()
    ) {
        self.init(
            ServicePipeline(transport: transport, interceptors: interceptors, decoder: decoder))
    }

    /// Returns a provider with one more interceptor, the outermost.
    public func adding(_ interceptor: any ServiceInterceptor) -> ServiceProvider {
        var pipeline = pipeline
        pipeline.interceptors.insert(interceptor, at: 0)
        return ServiceProvider(pipeline)
    }

    /// Builds the request that `load(service:)` sends, before interceptors change it.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, or the error of
    ///   ``Service/prepare(_:)``.
    public func request(for service: T) throws(ServiceError) -> ServiceRequest {
        try ServiceRequest(service)
    }
}

// MARK: - Async calls

nonisolated extension ServiceProvider {
    /// Sends a request that you have built, through the interceptors, redirects and the status check.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    public nonisolated(nonsending) func send(
        _ request: ServiceRequest
    ) async throws(ServiceError) -> ServiceResponse {
        try await pipeline.send(request)
    }

    /// Sends a request that you have built, and decodes the body off the main actor.
    ///
    /// - Throws: ``ServiceError``.
    public nonisolated(nonsending) func send<U: Decodable & SendableMetatype>(
        _ request: ServiceRequest, decodeType: U.Type
    ) async throws(ServiceError) -> sending U {
        try await pipeline.decodeConcurrently(decodeType, from: send(request))
    }

    /// Sends a request that you have built, and decodes a type on the actor that its `Decodable`
    /// conformance is isolated to.
    ///
    /// - Throws: ``ServiceError``.
    @_disfavoredOverload
    public nonisolated(nonsending) func send<U: Decodable>(
        _ request: ServiceRequest, decodeType: U.Type
    ) async throws(ServiceError) -> U {
        try await pipeline.decode(decodeType, from: send(request))
    }

    /// Loads an endpoint, and returns status, headers and body.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    public nonisolated(nonsending) func response(
        for service: T
    ) async throws(ServiceError) -> ServiceResponse {
        try await pipeline.send(pipeline.makeRequest(for: service))
    }

    /// Loads an endpoint, and returns the body. It may be empty.
    ///
    /// - Throws: The same errors as ``response(for:)``.
    @discardableResult
    public nonisolated(nonsending) func load(service: T) async throws(ServiceError) -> Data {
        try await response(for: service).data
    }

    /// Loads an endpoint, and decodes the body off the main actor. The value doesn't have to be
    /// `Sendable`.
    ///
    /// An Optional type decodes an empty body as nil.
    ///
    /// - Throws: ``ServiceError``.
    public nonisolated(nonsending) func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type
    ) async throws(ServiceError) -> sending U {
        try await pipeline.decodeConcurrently(decodeType, from: response(for: service))
    }

    /// Loads an endpoint, and decodes a type on the actor that its `Decodable` conformance is isolated to.
    ///
    /// - Throws: ``ServiceError``.
    @_disfavoredOverload
    public nonisolated(nonsending) func load<U: Decodable>(
        service: T, decodeType: U.Type
    ) async throws(ServiceError) -> U {
        try await pipeline.decode(decodeType, from: response(for: service))
    }
}

// MARK: - Handlers

nonisolated extension ServiceProvider {
    /// Loads an endpoint, and passes status, headers and body to a handler, which never gets
    /// ``ServiceResult/empty``.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @discardableResult
    public func response(
        for service: T, completion: @escaping Completion<ServiceResponse>
    ) -> ServiceTask {
        run(service: service, completion: completion) { [pipeline] request throws(ServiceError) in
            try await pipeline.send(request)
        }
    }

    /// Loads an endpoint, and passes the body to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @_disfavoredOverload @discardableResult
    public func load(service: T, completion: @escaping Completion<Data>) -> ServiceTask {
        load(service: service, decodeType: Data.self, completion: completion)
    }

    /// Loads an endpoint, decodes the body off the main actor, and passes the value to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode. It doesn't have to be `Sendable`.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @discardableResult
    public func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> ServiceTask {
        run(service: service, completion: completion) { [pipeline] request throws(ServiceError) in
            let response = try await pipeline.send(request)
            return response.data.isEmpty ? nil : try pipeline.decode(decodeType, from: response)
        }
    }

    /// Loads an endpoint, decodes the body on the main actor, and passes the value to a handler.
    ///
    /// For types with a `Decodable` conformance that is isolated to the main actor.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @_disfavoredOverload @MainActor @discardableResult
    public func load<U: Decodable>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> ServiceTask {
        let decode: Completion<ServiceResponse> = { [pipeline] result in
            // Safe because it is created here, and passed to one handler on the same actor.
            nonisolated(unsafe) let decoded = result.map { response throws(ServiceError) in
                try pipeline.decode(decodeType, from: response)
            }
            completion(decoded)
        }
        return run(service: service, completion: decode) {
            [pipeline] request throws(ServiceError) in
            let response = try await pipeline.send(request)
            return response.data.isEmpty ? nil : response
        }
    }

    /// Runs an async operation for a service, and passes its value to a handler. The other methods with
    /// handlers call this one.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    ///   - operation: Gets the request, and returns a value. Nil becomes ``ServiceResult/empty``.
    /// - Returns: The running call, to cancel it.
    public func run<U>(
        service: T, completion: @escaping Completion<U>,
        operation:
            @escaping @concurrent @Sendable (ServiceRequest) async throws(ServiceError) ->
            sending U?
    ) -> ServiceTask {
        let request = Swift.Result { () throws(ServiceError) in
            try pipeline.makeRequest(for: service)
        }
        // Checked on the main actor: a handler never gets a value after its call was cancelled on
        // the main actor.
        let end: Completion<U> = { [pipeline] result in
            guard Task.isCancelled else { return completion(result) }
            // A failure has been reported already.
            if result.isSuccess { _ = pipeline.reported(.cancelled, for: try? request.get()) }
            completion(.failure(.cancelled))
        }
        let task = Task {
            do throws(ServiceError) {
                let value = try await operation(request.get())
                guard let value else { return await end(.empty) }
                await end(.success(value))
            } catch {
                await end(.failure(error))
            }
        }
        return ServiceTask(task: task)
    }
}

/// The result of a call, as handlers get it.
///
/// ``ServiceProvider`` also calls it `Result`. (At the top level, that name would hide `Swift.Result`.)
public nonisolated enum ServiceResult<Value> {
    /// The decoded value, the body or the response.
    case success(Value)
    /// The call failed.
    case failure(ServiceError)
    /// The call succeeded, and the response has no body: a 204, a response to HEAD, a length of 0.
    case empty
}

nonisolated extension ServiceResult: Sendable where Value: Sendable {}

nonisolated extension ServiceResult {
    /// Whether the call succeeded, with or without a body.
    public var isSuccess: Bool { if case .failure = self { false } else { true } }

    /// Returns the value; nil for ``empty``.
    ///
    /// - Throws: The ``ServiceError`` of a ``failure(_:)``.
    public func get() throws(ServiceError) -> Value? {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw error
        case .empty: return nil
        }
    }

    /// Transforms the value. If the closure throws, the result is a failure.
    public func map<New>(_ transform: (Value) throws(ServiceError) -> New) -> ServiceResult<New> {
        switch self {
        case .success(let value):
            do throws(ServiceError) { return .success(try transform(value)) } catch {
                return .failure(error)
            }
        case .failure(let error): return .failure(error)
        case .empty: return .empty
        }
    }
}

/// A running call.
public nonisolated struct ServiceTask: Sendable {
    let task: Task<Void, Never>

    /// Cancels the call; its handler gets ``ServiceError/cancelled``.
    ///
    /// When this is called on the main actor and the handler hasn't run yet, the handler gets
    /// ``ServiceError/cancelled``, even if the response has just arrived. Calling it again, or after the
    /// call has ended, does nothing.
    public func cancel() {
        task.cancel()
    }
}

// MARK: - Errors

/// An error of a call.
///
/// Its text (`description`, `localizedDescription`) is a sentence for people. A word of 6 or more
/// characters is redacted if the request sent it in the query, in a header that may be secret, or
/// in the first 64 KB of a body in memory. The text of an interceptor's error is shown as it is.
public nonisolated indirect enum ServiceError: Error, Sendable {
    /// The request can't be built, or a file can't be read or created. The associated values name
    /// the invalid part and give the reason.
    case invalidRequest(RequestPart, reason: String)
    /// The call was cancelled.
    case cancelled
    /// No complete HTTP response arrived: no network, an unknown host, a timeout, a lost connection.
    case transport(URLError)
    /// The status isn't one of ``Service/validStatusCodes``. For the server's own error, see
    /// ``decode(_:decoder:)``.
    case unacceptableStatus(ServiceResponse)
    /// An async call asked for a value, and the response has no body. (Handlers get
    /// ``ServiceResult/empty``.)
    case emptyResponse(ServiceResponse)
    /// The body can't be decoded as this type.
    case decoding(any Error, ServiceResponse, as: String)
    /// An interceptor or ``Service/prepare(_:)`` threw an error of its own type.
    case interceptor(any Error)

    /// A part of a request, named as in error texts.
    public enum RequestPart: String, Sendable {
        /// ``Service/baseURL``.
        case baseURL = "base URL"
        /// Other properties of ``Service``, and the file of a download.
        case path, method, parameter, header, body, timeout, file
    }

    /// Wraps any error, unless it is a ``ServiceError`` already.
    ///
    /// A `CancellationError` becomes ``cancelled``.
    ///
    /// - Parameter part: The part of the request that the error is about. If nil (the default),
    ///   `URLError.cancelled` becomes ``cancelled``, other `URLError`s become ``transport(_:)``, and
    ///   all other errors become ``interceptor(_:)``.
    public init(_ error: any Error, of part: RequestPart? = nil) {
        switch (error, part) {
        case (let error as ServiceError, _): self = error
        case (is CancellationError, _), (URLError.cancelled, nil): self = .cancelled
        case (let error as URLError, nil): self = .transport(error)
        case (EncodingError.invalidValue(_, let context), let part?):
            // Without the value, which may be secret.
            let path = Self.text(of: context.codingPath)
            let place = path.isEmpty ? "" : "'\(path)': "
            self = .invalidRequest(part, reason: place + context.debugDescription)
        case (_, let part?): self = .invalidRequest(part, reason: error.localizedDescription)
        case (_, nil): self = .interceptor(error)
        }
    }

    /// Throws ``invalidRequest(_:reason:)`` unless a condition holds.
    public static func require(
        _ condition: Bool, _ part: RequestPart, _ reason: @autoclosure () -> String
    ) throws(ServiceError) {
        if !condition { throw .invalidRequest(part, reason: reason()) }
    }

    /// A coding path as in code: `data.results[3].id`.
    static func text(of path: [any CodingKey]) -> String {
        var text = ""
        for key in path {
            if let index = key.intValue {
                text += "[\(index)]"
            } else {
                text += (text.isEmpty ? "" : ".") + key.stringValue
            }
        }
        return text
    }
}

nonisolated extension ServiceError {
    /// The response, if there was one.
    public var response: ServiceResponse? {
        switch self {
        case .unacceptableStatus(let response), .emptyResponse(let response): response
        case .decoding(_, let response, _): response
        case .invalidRequest, .cancelled, .transport, .interceptor: nil
        }
    }

    /// The status code of the response, if there was one.
    public var statusCode: Int? { response?.statusCode }

    /// Decodes the body of the response, for example as the server's own error type.
    ///
    /// - Parameters:
    ///   - type: The type to decode.
    ///   - decoder: Default: nil, which uses the decoder of the call.
    /// - Returns: Nil without a response, or if its body can't be decoded as this type.
    public func decode<U: Decodable>(
        _ type: U.Type, decoder: (any ServiceDecoder)? = nil
    ) -> U? {
        guard let response else { return nil }
        let decoder = decoder ?? response.request.decoder ?? JSONDecoder()
        return try? decoder.decode(type, from: response.data)
    }
}

nonisolated extension ServiceError: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// A sentence for people: what failed, for which request, and the cause last. One line of at most 400
    /// characters, redacted and without control characters.
    public var description: String {
        let line = sentence.components(separatedBy: Self.unprintable).joined(separator: " ")
        return String(line.unicodeScalars.prefix(400))
    }

    private static let unprintable = CharacterSet.controlCharacters.union(.newlines)

    /// The same as ``description``.
    public var errorDescription: String? { description }

    /// Empty, because `dump` would print values that a decoder quotes from the response.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    private var sentence: String {
        switch self {
        case .invalidRequest(let part, let reason):
            return "Invalid \(part.rawValue): " + reason + (reason.hasSuffix(".") ? "" : ".")
        case .cancelled: return "The request was cancelled."
        case .transport(let error): return Self.sentence(for: error)
        case .unacceptableStatus(let response):
            return Self.answer(response) + ": " + response.explanation
        case .emptyResponse(let response): return Self.answer(response) + " without a body."
        case .decoding(let error, let response, let type):
            return Self.sentence(for: error, response, type)
        case .interceptor(let error): return "The call failed: " + error.localizedDescription
        }
    }

    private static func answer(_ response: ServiceResponse) -> String {
        "The server answered \(response.statusCode) for '\(response.shownRequest)'"
    }

    private static func sentence(
        for error: any Error, _ response: ServiceResponse, _ type: String
    ) -> String {
        var (path, words): ([any CodingKey], String)
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            (path, words) = (context.codingPath + [key], "the value is missing.")
        case DecodingError.typeMismatch(_, let context),
            DecodingError.valueNotFound(_, let context):
            (path, words) = (context.codingPath, context.debugDescription)
        case DecodingError.dataCorrupted(let context):
            (path, words) = (context.codingPath, context.debugDescription)
            // A decoder may quote the value. On Linux, 1.5 for an `Int` is called invalid JSON.
            if !path.isEmpty { words = "the value isn't valid." }
            if words == "The given data was not valid JSON." {
                words = "the body isn't valid JSON, or a number in it doesn't fit its type."
            }
        default:
            words = response.redacted(error.localizedDescription)
            return "The response to '\(response.shownRequest)' was rejected: \(words)"
        }
        let place = path.isEmpty ? "" : " at '\(response.redacted(text(of: path)))'"
        return "Decoding '\(type)' failed\(place): \(response.redacted(words))"
    }

    private static func sentence(for error: URLError) -> String {
        let failing = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL
        let url = failing.flatMap { URLComponents(url: $0, resolvingAgainstBaseURL: true) }
        var (host, request) = ("The host", "The request")
        // With brackets if it's an address of IPv6.
        if let name = url?.host {
            let shown = " '" + name + (url?.port.map { ":\($0)" } ?? "") + "'"
            (host, request) = (host + shown, request + " to" + shown)
        }
        let event =
            switch error.code {
            case .notConnectedToInternet: "There is no network connection"
            case .cannotConnectToHost: host + " refused the connection or can't be reached"
            case .cannotFindHost: host + " was not found"
            case .timedOut: request + " timed out"
            case .networkConnectionLost: request + " lost its connection"
            case _ where error.code.rawValue <= -3000: "The file can't be written"
            default: request + " failed"
            }
        let cause = error.userInfo[NSLocalizedDescriptionKey].map { ": \($0)" } ?? ""
        return event + " (URLError \(error.code.rawValue))" + cause
    }
}

nonisolated extension ServiceResponse {
    /// A text without the secrets of the requests.
    fileprivate func redacted(_ text: String, separator: String = " ") -> String {
        let texts = Set((earlierRequests + [request]).flatMap(\.sentTexts))
        return ServiceRequest.redacted(text, texts, separator)
    }

    /// The last request. After a redirect, a server has chosen its path, and may repeat a secret in it.
    fileprivate var shownRequest: String {
        earlierRequests.isEmpty ? "\(request)" : redacted("\(request)", separator: "/")
    }

    /// The server's message, or the meaning of the status.
    fileprivate var explanation: String {
        if (300..<400).contains(statusCode), let location = header("Location") {
            let url = redacted(ServiceRequest.redactedURL(location), separator: "/")
            return "the redirect to " + (url.isEmpty ? "another URL" : "'\(url)'")
                + " isn't followed."
        }
        let isText = ServiceMediaType(header("Content-Type")).name == "text/plain"
        let text = isText ? String(decoding: data.prefix(4_096), as: UTF8.self) : ""
        // A longer body isn't a message, and takes long to parse.
        let json = data.count <= 65_536 ? try? JSONSerialization.jsonObject(with: data) : nil
        let message = Self.message(in: json ?? text)
        return message.map { redacted($0) }
            ?? HTTPURLResponse.localizedString(forStatusCode: statusCode)
    }

    /// The first message in JSON, at most eight levels deep: problem details (RFC 9457), OAuth, other common APIs.
    private static func message(in json: Any, depth: Int = 0, isErrors: Bool = false) -> String? {
        if let text = json as? String {
            return text.unicodeScalars.allSatisfy(\.properties.isWhitespace) ? nil : text
        }
        guard depth < 8 else { return nil }
        for element in json as? [Any] ?? [] {
            if let text = message(in: element, depth: depth + 1) { return text }
        }
        let members = json as? [String: Any] ?? [:]
        let known = [
            "detail", "message", "error_description", "status_message", "error", "errors", "title",
            "status",
        ]
        // Other names are those of fields, as in {"errors": {"email": ["is taken"]}}.
        let fields = isErrors ? members.keys.filter { !known.contains($0) }.sorted() : []
        for name in known + fields {
            guard let member = members[name],
                let text = message(in: member, depth: depth + 1, isErrors: name == "errors")
            else { continue }
            return known.contains(name) ? text : "\(name): \(text)"
        }
        return nil
    }
}

nonisolated extension ServiceRequest {
    /// The texts that may have secrets: user info, query, body, and headers.
    fileprivate var sentTexts: [[UInt8]] {
        let url = URLComponents(string: urlRequest.url?.absoluteString ?? "")
        let parts = [
            url?.percentEncodedUser, url?.percentEncodedPassword, url?.percentEncodedQuery,
        ]
        var texts = parts.compactMap { $0.map { Array($0.utf8) } }
        // A longer body takes long to search.
        texts.append(Array((urlRequest.httpBody ?? Data()).prefix(65_536)))
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] where !Self.isHarmless(name) {
            texts.append(Array(value.utf8))
            // A server knows Basic credentials as plain text.
            for word in value.utf8.split(separator: UInt8(ascii: " ")) {
                if let plain = Data(base64Encoded: Data(word)) { texts.append(Array(plain)) }
            }
        }
        return texts
    }

    /// The start of a text from a server or a decoder, with `***` in place of words that may be secret: those in
    /// ``sentTexts``, those that contain the start of a value from there, and those with "=" or "@".
    fileprivate static func redacted(
        _ text: String, _ sentTexts: Set<[UInt8]>, _ separator: String
    ) -> String {
        var (sent, starts) = (Data(), Set<UInt64>())
        for text in sentTexts {
            for form in forms(of: String(decoding: text, as: UTF8.self)) {
                sent.append(UInt8(ascii: " "))
                sent += decomposed(form)
                starts.formUnion(startsOfValues(form))
            }
        }
        let isSent = { (text: String) in sent.range(of: decomposed(text.lowercased())) != nil }
        var (shown, isSecret) = ([String](), false)
        for part in String(text.unicodeScalars.prefix(500)).components(separatedBy: separator) {
            // After a secret word, redact short words too: a secret may contain spaces.
            let shortest = isSecret ? 1 : 6
            isSecret = Array(part.lowercased().utf8).withUnsafeBytes { bytes in
                bytes.indices.dropLast(5).contains { starts.contains(six(bytes, $0)) }
            }
            // Check the whole part too: punctuation may split a password into short words.
            let whole = part.trimmingCharacters(in: separators)
            for word in part.components(separatedBy: separators) + [whole]
            where word.utf8.count >= shortest {
                // Names of parameters aren't secret.
                if isSent(word), !isSent(word + "="), !isSent("\"\(word)\":") { isSecret = true }
                if word.utf8.contains(where: "=@".utf8.contains) { isSecret = true }
            }
            shown.append(isSecret ? "***" : part)
        }
        return shown.joined(separator: separator)
    }

    /// A text in lower case: as it was sent, and with the escapes of URLs and JSON decoded, as servers repeat it.
    private static func forms(of text: String) -> [String] {
        var forms = [text]
        if text.utf8.contains(UInt8(ascii: "%")) {
            let bytes = unescaped(Array(text.utf8), Array("%".utf8), digits: 2)
            forms.append(String(decoding: bytes, as: UTF8.self))
        }
        if text.utf8.contains(UInt8(ascii: "\\")) {
            var units = unescaped(Array(text.utf16), Array("\\u".utf16), digits: 4)
            // Those in front of quotes and slashes.
            units.removeAll { $0 == UInt8(ascii: "\\") }
            forms.append(String(decoding: units, as: UTF16.self))
        }
        return forms.map { $0.lowercased() }
    }

    /// Decodes escapes: a mark, and a number of hexadecimal digits. A mark without them stays.
    private static func unescaped<Unit: FixedWidthInteger>(
        _ text: [Unit], _ mark: [Unit], digits: Int
    ) -> [Unit] {
        var (plain, index) = ([Unit](), 0)
        while index < text.count {
            let isMark = text[index...].starts(with: mark)
            let escape = isMark ? text[(index + mark.count)...].prefix(digits) : []
            let values = escape.compactMap {
                UInt8(exactly: $0).flatMap { Unit(String(UnicodeScalar($0)), radix: 16) }
            }
            let isEscape = isMark && values.count == digits
            plain.append(isEscape ? values.reduce(0) { $0 << 4 | $1 } : text[index])
            index += isEscape ? mark.count + digits : 1
        }
        return plain
    }

    /// The bytes of a text with "é" as two characters, because a server may write it as one. Each scalar
    /// is decomposed alone: sorting a long run of combining marks takes quadratic time.
    private static func decomposed(_ text: String) -> Data {
        guard !text.utf8.allSatisfy({ $0 < 0x80 }) else { return Data(text.utf8) }
        var bytes = Data()
        for scalar in text.unicodeScalars {
            let text = String(scalar)
            bytes += (scalar.isASCII ? text : text.decomposedStringWithCanonicalMapping).utf8
        }
        return bytes
    }

    /// The first six bytes of each value in a query, a form, JSON or a header, each as a number.
    private static func startsOfValues(_ text: String) -> [UInt64] {
        // Bytes: splitting 1 MB of text is slow. Separators that aren't ASCII become spaces. A quote ends the last word.
        let isASCII = text.utf8.count == text.unicodeScalars.count
        let words = isASCII ? [text] : text.components(separatedBy: otherSeparators)
        let text = Array((words.joined(separator: " ") + "\"").utf8)
        return text.withUnsafeBytes { bytes in
            var (starts, end) = ([UInt64](), 0)
            // The number of starts before this quoted text and before this word, and the sides of "=" in the word.
            var (quote, word, sides) = (0, 0, 0)
            while end < bytes.count {
                let start = end
                while isInValue(bytes[end]) { end += 1 }
                if end > start {
                    sides += 1
                    // The first side is a name if another one follows.
                    if sides == 2 { starts.removeLast(starts.count - word) }
                    if end - start >= 6 { starts.append(six(bytes, start)) }
                }
                if bytes[end] == UInt8(ascii: "\"") {
                    // In JSON, a colon follows a name.
                    let isName = end + 1 < bytes.count && bytes[end + 1] == UInt8(ascii: ":")
                    if isName { starts.removeLast(starts.count - quote) }
                    quote = starts.count
                }
                if bytes[end] != UInt8(ascii: "=") { (word, sides) = (starts.count, 0) }
                end += 1
            }
            return starts
        }
    }

    private static func six(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> UInt64 {
        UInt64(bytes.loadUnaligned(fromByteOffset: start, as: UInt32.self)) << 16
            | UInt64(bytes.loadUnaligned(fromByteOffset: start + 4, as: UInt16.self))
    }

    /// Whether a byte can be in a value: part of any character but "=" and the ASCII ones in ``separators``.
    private static func isInValue(_ byte: UInt8) -> Bool {
        switch byte {
        // "%", "+", "-./", digits, "@", letters, "_" and "~".
        case 0x25, 0x2B, 0x2D...0x39, 0x40...0x5A, 0x5F, 0x61...0x7A, 0x7E, 0x80...0xFF: true
        default: false
        }
    }

    private static let separators = CharacterSet.alphanumerics
        .union(CharacterSet(charactersIn: "-_.~+/=%@")).inverted
    private static let otherSeparators = CharacterSet.alphanumerics
        .union(CharacterSet(charactersIn: String(decoding: UInt8(0)...0x7F, as: UTF8.self)))
        .inverted
}

// MARK: - Requests

/// The request of one call: a `URLRequest`, and settings for its response.
///
/// A provider creates it from a ``Service``. Interceptors can change it. To send a request that doesn't
/// belong to a service, create one from a `URLRequest` and pass it to ``ServiceProvider/send(_:)``.
public nonisolated struct ServiceRequest: Sendable {
    /// The request to send.
    public var urlRequest: URLRequest
    /// The status codes that count as success. Default: 200 to 299.
    public var validStatusCodes = ServiceResponse.successfulStatusCodes
    /// Decodes the response. Default: nil, which uses the provider's decoder.
    public var decoder: (any ServiceDecoder)?
    /// Opens a body that isn't in memory, each time the request is sent. Default: nil, which uses
    /// `urlRequest.httpBody`.
    public var upload: ServiceBody.Upload?
    /// Receives the body of a successful response. Default: nil, which collects it in
    /// ``ServiceResponse/data``.
    public var bodySink: (any ServiceBodySink)?
    /// Decides which redirects are followed. Default: nil, which follows them.
    public var redirectPolicy: ServiceRedirectPolicy?
    /// Whether the request may be sent twice. Default: nil, which decides by the method and
    /// `Idempotency-Key`; see ``isRepeatable(methods:)``.
    public var isRepeatable: Bool?
    /// The URL that was valid when the request was built, so that it isn't checked twice.
    var checkedURL: URL?
    private var options: [(key: ObjectIdentifier, value: any Sendable)] = []

    /// Creates a request that doesn't belong to a service.
    public init(_ urlRequest: URLRequest) {
        self.urlRequest = urlRequest
    }

    /// An option that another module adds to requests, by its key.
    ///
    /// ```swift
    /// enum Priority: ServiceRequestOption {
    ///     static var defaultValue: Int { 0 }
    /// }
    ///
    /// request[Priority.self] = 2
    /// ```
    public subscript<Key: ServiceRequestOption>(_: Key.Type) -> Key.Value {
        get {
            for option in options where option.key == ObjectIdentifier(Key.self) {
                return option.value as? Key.Value ?? Key.defaultValue
            }
            return Key.defaultValue
        }
        set {
            options.removeAll { $0.key == ObjectIdentifier(Key.self) }
            options.append((ObjectIdentifier(Key.self), newValue))
        }
    }

    /// Sets a header field, and replaces one with the same name.
    ///
    /// Use it instead of `URLRequest.setValue`, which refuses line breaks in values, but not in
    /// names.
    ///
    /// - Parameters:
    ///   - name: A token (RFC 9110, section 5.6.2), except `Content-Length` and `Transfer-Encoding`.
    ///   - value: Text without control characters, except tabs. Spaces around it are removed.
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, which names the field but not its value.
    public mutating func setHeader(_ name: String, _ value: String) throws(ServiceError) {
        try Self.validate(header: name, value)
        urlRequest.setValue(Self.trimmed(value), forHTTPHeaderField: name)
    }

    /// Whether the request has a body that can be sent again. An `httpBodyStream` can't.
    public var hasBody: Bool { urlRequest.httpBody?.isEmpty == false || upload != nil }

    /// Whether the request may be sent twice: ``isRepeatable`` if it is set; otherwise, the method
    /// or an `Idempotency-Key` decides. A request with an `httpBodyStream` is never repeatable.
    ///
    /// - Parameter methods: The methods that may be sent twice. Default: ``ServiceMethod/idempotent``.
    public func isRepeatable(
        methods: Set<ServiceMethod> = ServiceMethod.idempotent
    ) -> Bool {
        let hasKey = urlRequest.value(forHTTPHeaderField: "Idempotency-Key") != nil
        let isSafe =
            hasKey || methods.contains(ServiceMethod(rawValue: urlRequest.httpMethod ?? "GET"))
        return urlRequest.httpBodyStream == nil && (isRepeatable ?? isSafe)
    }
}

/// An option on a ``ServiceRequest``.
public nonisolated protocol ServiceRequestOption {
    /// The type of the option.
    associatedtype Value: Sendable
    /// The value of a request that doesn't set the option.
    static var defaultValue: Value { get }
}

nonisolated extension ServiceRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the path, without the query.
    public var description: String {
        let path = URLComponents(string: redactedURL)?.percentEncodedPath ?? ""
        // A path that is hidden stays empty.
        let isRoot = urlRequest.url?.absoluteURL.path.isEmpty == true
        return "\(urlRequest.httpMethod ?? "GET") \(isRoot ? "/" : path)"
    }

    /// Empty, because `dump` would print the headers and the query.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// The URL without user info, query and fragment, which may be secret.
    public var redactedURL: String { Self.redactedURL(urlRequest.url?.absoluteString ?? "") }

    static func redactedURL(_ text: String) -> String {
        guard var parts = URLComponents(string: text) else { return "" }
        // Without a host, the path may contain a password.
        if parts.host == nil, text.unicodeScalars.contains("@") { return "" }
        // A URL inside the path may contain a password, too.
        let path = parts.percentEncodedPath
        if path.contains("//"), path.unicodeScalars.contains("@") { parts.percentEncodedPath = "" }
        (parts.user, parts.password, parts.query, parts.fragment) = (nil, nil, nil, nil)
        return parts.string ?? ""
    }
}

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

nonisolated extension ServiceRequest {
    /// The longest timeout, in seconds: a week. (URLSession on Linux traps at infinity.)
    public static let maximumTimeout: TimeInterval = 604_800

    /// Checks everything that `URLRequest` doesn't. The provider calls it before each request is sent.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a method or a header name that isn't a
    ///   token, a header value with control characters, a GET or HEAD with a body, a URL without a
    ///   host or without the scheme http or https, and a timeout of 0 or less.
    public func validate() throws(ServiceError) {
        let isReachable = urlRequest.url.map { $0 == checkedURL || Self.isReachable($0) } == true
        try ServiceError.require(
            isReachable, .baseURL, "'\(redactedURL)' isn't a valid http(s) URL")
        try validateFields()
    }

    /// Checks everything but the URL.
    func validateFields() throws(ServiceError) {
        let (method, timeout) = (urlRequest.httpMethod ?? "GET", urlRequest.timeoutInterval)
        let hasBody = hasBody || urlRequest.httpBodyStream != nil
        let isAllowed = !hasBody || !["GET", "HEAD"].contains(method.uppercased())
        try ServiceError.require(Self.isToken(method), .method, "'\(method)' isn't a valid name")
        try ServiceError.require(isAllowed, .body, "a '\(method)' can't have a body")
        try ServiceError.require(timeout > 0, .timeout, "'\(timeout)' isn't above 0")
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
            try Self.validate(header: name, value)
        }
    }

    /// Checks a header field (RFC 9110, section 5).
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a name that isn't a token, a value with
    ///   control characters, and fields that the transport sets.
    public static func validate(header name: String, _ value: String) throws(ServiceError) {
        let isFree = !["content-length", "transfer-encoding"].contains(name.lowercased())
        let isText = value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }
        guard isToken(name) else {
            // Text after a colon may be secret, so it's left out.
            let parts = name.components(separatedBy: CharacterSet(charactersIn: ":"))
            let shown = parts[0] + (parts.count > 1 ? ":" : "")
            throw .invalidRequest(.header, reason: "'\(shown)' isn't a valid name")
        }
        try ServiceError.require(isFree, .header, "the transport sets '\(name)'")
        try ServiceError.require(isText, .header, "a control character in the value of '\(name)'")
    }

    /// Removes spaces and tabs at both ends. (URLSession on Linux doesn't send a field of spaces only.)
    static func trimmed(_ value: String) -> String {
        let isPadded = value.first?.isWhitespace == true || value.last?.isWhitespace == true
        return isPadded ? value.trimmingCharacters(in: CharacterSet(charactersIn: " \t")) : value
    }

    /// Whether a string is an HTTP token (RFC 9110, section 5.6.2).
    private static func isToken(_ text: String) -> Bool {
        !text.isEmpty && ServicePercentEncoding.isUnchanged(text, keeping: "!#$%&'*+^`|")
    }

    /// Whether a URL has the scheme http or https, a host, and either no port or a port from 1 to
    /// 65,535.
    static func isReachable(_ url: URL) -> Bool {
        URLComponents(string: url.absoluteString).map(isReachable) == true
            && url.host?.isEmpty == false
    }

    static func isReachable(_ parts: URLComponents) -> Bool {
        let scheme = parts.scheme?.lowercased()
        guard scheme == "https" || scheme == "http", parts.rangeOfHost?.isEmpty == false else {
            return false
        }
        // URLComponents returns nil for a very large port.
        let hasPort = parts.rangeOfPort?.isEmpty == false
        return !hasPort || (1...65_535).contains(parts.port ?? 0)
    }

    /// The request with its body opened, ready for a transport. Not inlined, because a waiting call would keep
    /// its variables in memory.
    @inline(never) func checkedWithOpenBody() throws(ServiceError) -> ServiceRequest {
        try validate()
        do {
            guard let body = try upload?() else { return self }
            var request = self
            request.urlRequest.httpBodyStream = body.stream
            request.urlRequest.setValue("\(body.size)", forHTTPHeaderField: "Content-Length")
            return request
        } catch {
            throw ServiceError(error, of: .body)
        }
    }

    /// Closes the body's stream if the transport hasn't opened it, for example without a network. Its writer
    /// would wait for a reader for ever.
    func closeUnopenedBody() { urlRequest.httpBodyStream?.closeIfUnopened() }

    /// Returns the error of the body's stream if that has failed. Otherwise, removes the query from the
    /// URL of a `URLError`. (On Linux, the error sometimes has no URL.)
    func redactingURL(of error: any Error) -> any Error {
        // Foundation on Linux traps when `streamError` is read and there is none.
        if let stream = urlRequest.httpBodyStream, stream.streamStatus == .error,
            let cause = stream.streamError
        {
            return ServiceError(cause, of: .body)
        }
        guard let error = error as? URLError else { return error }
        let url = error.userInfo[NSURLErrorFailingURLErrorKey] as? URL ?? urlRequest.url
        let shown = URL(string: Self.redactedURL(url?.absoluteString ?? ""))
        var info = [NSURLErrorFailingURLErrorKey: shown as Any]
        // The last two have the reason for a missing network, and the cause of a TLS error, without a URL.
        for key in [
            NSLocalizedDescriptionKey, "NSURLErrorNetworkUnavailableReasonKey",
            "_kCFStreamErrorCodeKey",
        ] {
            info[key] = error.userInfo[key]
        }
        // Without the user info of the cause, which may have the URL.
        if let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError {
            info[NSUnderlyingErrorKey] = NSError(domain: cause.domain, code: cause.code)
        }
        return URLError(error.code, userInfo: info)
    }
}

nonisolated extension InputStream {
    /// Tells the writer of the stream that no one will read it. Closing the stream has no effect before it
    /// has been opened.
    func closeIfUnopened() {
        guard streamStatus == .notOpen else { return }
        open()
        close()
    }
}

nonisolated extension ServiceRequest {
    /// The request that follows a redirect; nil if the response isn't a redirect, or must not be followed.
    ///
    /// - The new URL must be http or https. A redirect from https to http isn't followed.
    /// - A 303 becomes a GET (HEAD stays HEAD), and so does a POST after a 301 or 302. Other requests keep
    ///   their method and body (RFC 9110, section 15.4).
    /// - A redirect to another origin (scheme, host or port; RFC 6454, section 4) keeps only the
    ///   headers Accept, Accept-Language, Content-Type and User-Agent. If the new request still has
    ///   a body, or needed its `Idempotency-Key` to be repeatable, the redirect isn't followed. A session
    ///   still adds its own stored cookies (RFC 6265, section 8.5).
    public func redirected(by response: ServiceResponse) -> ServiceRequest? {
        let status = response.statusCode
        guard [301, 302, 303, 307, 308].contains(status), !validStatusCodes.contains(status),
            let location = response.header("Location"), let url = resolve(location)
        else { return nil }
        var (next, earlier) = (self, self)
        earlier[EarlierRequests.self] = []
        (earlier.upload, earlier.bodySink) = (nil, nil)
        // This removes the body, too.
        if urlRequest.httpBodyStream != nil { earlier.urlRequest.httpBodyStream = nil }
        // A caller may send the request of a response again and again.
        next[EarlierRequests.self] = (self[EarlierRequests.self] + [earlier]).suffix(20)
        next.urlRequest.url = url
        let method = urlRequest.httpMethod
        let becomesGet = status == 303 ? method != "HEAD" : status < 303 && method == "POST"
        if becomesGet {
            next.urlRequest.httpMethod = "GET"
            next.urlRequest.httpBody = nil
            next.upload = nil
        }
        let isSameOrigin = Self.origin(of: url) == urlRequest.url.map(Self.origin)
        let fields = urlRequest.allHTTPHeaderFields?.filter { name, _ in
            let isAboutBody = becomesGet && name.lowercased().hasPrefix("content-")
            return !isAboutBody && (isSameOrigin || Self.isHarmless(name))
        }
        if let fields { next.replaceFields(with: fields) }
        let canSend = isSameOrigin || !next.hasBody && (!isRepeatable() || next.isRepeatable())
        // A stream can't be sent again.
        return canSend && next.urlRequest.httpBodyStream == nil ? next : nil
    }

    /// Becomes the request that follows a redirect. Returns false if there is none, or the policy refuses it.
    /// Not inlined, because a waiting call would keep its variables in memory.
    @inline(never) mutating func follow(_ response: ServiceResponse, _ count: Int) throws -> Bool {
        guard let next = redirected(by: response) else { return false }
        var decided: ServiceRequest? = next
        if let redirectPolicy { decided = try redirectPolicy.decide(next, response, count) }
        let isSecure = urlRequest.url?.scheme?.lowercased() == "https"
        guard let decided, !isSecure || decided.urlRequest.url?.scheme?.lowercased() == "https"
        else { return false }
        self = decided
        // The policy may have created a new request.
        self[EarlierRequests.self] = next[EarlierRequests.self]
        return true
    }

    /// Whether a header field has no credentials. (An allowlist, because any other field may have
    /// them.)
    static func isHarmless(_ name: String) -> Bool {
        ["accept", "accept-language", "content-type", "user-agent"].contains(name.lowercased())
    }

    /// Resolves a URL from a header of the response, such as `Location` (RFC 3986, section 5).
    ///
    /// User info comes from this request, and only for the same origin: a server must not choose
    /// credentials.
    ///
    /// - Returns: Nil if the URL isn't http or https, has no host, or leads from https to http.
    public func resolve(_ location: String) -> URL? {
        guard let base = urlRequest.url, let own = URLComponents(string: base.absoluteString),
            let url = URL(string: location, relativeTo: base)?.absoluteURL, Self.isReachable(url),
            var parts = URLComponents(string: url.absoluteString),
            parts.scheme?.lowercased() == "https" || own.scheme?.lowercased() == "http"
        else { return nil }
        parts.scheme = parts.scheme?.lowercased()
        let isSameOrigin = Self.origin(of: url) == Self.origin(of: base)
        parts.percentEncodedUser = isSameOrigin ? own.percentEncodedUser : nil
        parts.percentEncodedPassword = isSameOrigin ? own.percentEncodedPassword : nil
        // URLComponents drops a host that it can't decode, such as `xn--`.
        return parts.url.flatMap { Self.isReachable($0) ? $0 : nil }
    }

    /// The origin of a URL: scheme, host and port (RFC 6454, section 4), such as `https://example.com:443`.
    public static func origin(of url: URL) -> String {
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        return "\(url.scheme ?? "")://\(url.host ?? ""):\(port)".lowercased()
    }
}

private nonisolated enum EarlierRequests: ServiceRequestOption {
    static var defaultValue: [ServiceRequest] { [] }
}

nonisolated extension ServiceResponse {
    /// The requests that were redirected to ``request``, in the order they were sent: at most 20. They
    /// have no ``ServiceRequest/upload``, no ``ServiceRequest/bodySink`` and no `httpBodyStream`.
    ///
    /// An interceptor that replaces ``request`` must set them again: error texts, logs and recordings
    /// hide the secrets of all these requests.
    public var earlierRequests: [ServiceRequest] {
        get { request[EarlierRequests.self] }
        set { request[EarlierRequests.self] = newValue }
    }
}

/// Decides which redirects of a request are followed.
///
/// Whatever it decides, a call follows at most 20 redirects, and never one from https to http or to
/// a URL that isn't http or https.
public nonisolated struct ServiceRedirectPolicy: Sendable {
    /// Returns the request to send for a redirect; nil to return the redirect itself.
    ///
    /// - Parameters:
    ///   - next: The request that follows the redirect. The closure may change it, for example its
    ///     headers.
    ///   - response: The redirect.
    ///   - count: Which redirect of the call this is: 1 for the first.
    public typealias Decision =
        @Sendable (_ next: ServiceRequest, _ response: ServiceResponse, _ count: Int) throws ->
        ServiceRequest?

    /// Decides about a redirect. A policy can call it to add to another policy.
    public let decide: Decision

    /// Creates a policy from a closure. If the closure throws, the call fails with that error,
    /// wrapped by ``ServiceError/init(_:of:)``.
    public init(_ decide: @escaping Decision) {
        self.decide = decide
    }
}

// MARK: - Responses

/// An HTTP response: status, headers and body.
public nonisolated struct ServiceResponse: Sendable {
    /// The request that the server answered: the last one, after redirects.
    public var request: ServiceRequest
    /// The body. Empty for a response without a body.
    public var data: Data
    /// The status code, such as 200.
    public let statusCode: Int
    /// The times and sizes of the requests that were redirected, in the order they were sent, and then
    /// those of ``request``. For a stream, those of ``request`` are left out. Empty for a response that
    /// doesn't come from a transport. If an interceptor sends the request twice, the list has both.
    public var metrics: [ServiceMetrics] = []
    private let makeHeaders: @Sendable () -> [String: String]

    /// Creates a response.
    ///
    /// - Parameters:
    ///   - request: The request that the server answered.
    ///   - statusCode: The status code.
    ///   - headers: The header fields. Evaluated each time they are needed. Default: none.
    ///   - data: The body. Default: none.
    public init(
        request: ServiceRequest, statusCode: Int,
        headers: @autoclosure @escaping @Sendable () -> [String: String] = [:], data: Data = Data()
    ) {
        (self.request, self.statusCode, self.data) = (request, statusCode, data)
        makeHeaders = headers
    }

    /// Creates a response from Foundation's type.
    public init(request: ServiceRequest, http: HTTPURLResponse, data: Data = Data()) {
        self.init(
            request: request, statusCode: http.statusCode,
            headers: http.allHeaderFields as? [String: String] ?? [:], data: data)
    }

    /// The header fields. These names are case-sensitive; ``header(_:)`` ignores case.
    public var headers: [String: String] { makeHeaders() }

    /// The value of a header field; nil if the response doesn't have it. The case of the name
    /// doesn't matter.
    public func header(_ name: String) -> String? {
        let (headers, key) = (makeHeaders(), name.lowercased())
        if let value = headers[name] { return value }
        for (name, value) in headers where name.lowercased() == key { return value }
        return nil
    }

    /// The status and the headers as Foundation's type. Nil if Foundation refuses them.
    public var http: HTTPURLResponse? {
        guard let url = request.urlRequest.url else { return nil }
        return HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: "HTTP/1.1", headerFields: headers)
    }

    /// The body as text, in the charset of its `Content-Type` (RFC 9110, section 8.3.2) or else UTF-8.
    ///
    /// A byte order mark is removed. Nil if the bytes aren't valid in the charset, or if the
    /// charset isn't one of UTF-8, US-ASCII, UTF-16 (BE, LE), ISO-8859-1 and -2, windows-1250 to
    /// -1254, and Shift_JIS.
    public var text: String? {
        let type = ServiceMediaType(header("Content-Type"))
        // Foundation on Linux ignores half a character at the end.
        let isWhole = type.charset?.hasPrefix("utf-16") != true || data.count.isMultiple(of: 2)
        guard isWhole, let encoding = type.encoding,
            let text = String(data: data, encoding: encoding)
        else { return nil }
        // Foundation on Linux has removed the mark of UTF-8.
        let isRemoved = encoding == .utf8 && text.utf8.count < data.count
        let hasMark = !isRemoved && text.unicodeScalars.first == "\u{FEFF}"
        return hasMark ? String(text.unicodeScalars.dropFirst()) : text
    }

    /// Decodes the body with the call's decoder, in the caller's isolation.
    ///
    /// Use it in generic functions: `load(service:decodeType:)` decodes off the caller's
    /// actor, so it needs types that are `SendableMetatype`.
    ///
    /// ```swift
    /// func get<T: Decodable>(_ endpoint: API, as type: T.Type) async throws -> T {
    ///     try await provider.response(for: endpoint).decode(type)
    /// }
    /// ```
    ///
    /// - Throws: ``ServiceError/decoding(_:_:as:)``; for an empty body, ``ServiceError/emptyResponse(_:)``,
    ///   unless the type is `Data` or an Optional.
    public func decode<U: Decodable>(_: U.Type) throws(ServiceError) -> U {
        if data.isEmpty, U.self != Data.self {
            if let none = Any?.none as? U { return none }
            throw .emptyResponse(self)
        }
        let decoder = request.decoder ?? JSONDecoder()
        do { return try decoder.decode(U.self, from: self) } catch {
            throw .decoding(error, self, as: "\(U.self)")
        }
    }

    /// The status codes that count as success by default: 200 to 299.
    public static let successfulStatusCodes = Set(200...299)
}

nonisolated extension ServiceResponse: CustomStringConvertible, CustomReflectable {
    /// The status, the size, and the request without its secrets.
    public var description: String { "\(statusCode), \(data.count) bytes, for \(request)" }

    /// Empty, because `dump` would print headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Decodes response bodies. `JSONDecoder` and `PropertyListDecoder` conform.
public nonisolated protocol ServiceDecoder: Sendable {
    /// Decodes a value from a body.
    ///
    /// - Throws: Any error; the call throws it inside ``ServiceError/decoding(_:_:as:)``.
    func decode<U: Decodable>(_ type: U.Type, from data: Data) throws -> U

    /// Decodes a value from a response. Implement it if decoding depends on the status or
    /// headers.
    ///
    /// The default implementation returns the body for `Data`, and the text of the body for
    /// `String` (a JSON string is decoded). Other types are decoded from the body.
    ///
    /// - Throws: Any error; the call throws it inside ``ServiceError/decoding(_:_:as:)``.
    func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U
}

nonisolated extension ServiceDecoder {
    /// Returns the body for `Data` and the text for `String`; decodes other types from the body.
    public func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U {
        if type == Data.self || type == Data?.self, let data = response.data as? U { return data }
        guard type == String.self || type == String?.self else {
            return try decode(type, from: response.data)
        }
        let mediaType = ServiceMediaType(response.header("Content-Type"))
        if mediaType.isJSON, let string = try? decode(type, from: response.data) { return string }
        if let text = response.text, let string = text as? U { return string }
        let reason = "the body can't be read as '\(mediaType.charset ?? "utf-8")' text."
        throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: reason))
    }
}

nonisolated extension JSONDecoder: ServiceDecoder {}
nonisolated extension PropertyListDecoder: ServiceDecoder {}

/// The value of a `Content-Type` header: a media type and its charset (RFC 9110, section 8.3).
public nonisolated struct ServiceMediaType: Sendable {
    /// The type without parameters, in lower case: `text/html`. Empty if the header is missing.
    public let name: String
    /// The charset in lower case. Nil if the header doesn't have one.
    public let charset: String?

    /// Parses the value of a header.
    public init(_ value: String?) {
        var (parts, isQuoted, isEscaped) = ([""], false, false)
        for scalar in (value ?? "").lowercased().unicodeScalars {
            if scalar == ";", !isQuoted {
                parts.append("")
            } else if scalar == "\\", isQuoted, !isEscaped {
                isEscaped = true
                continue
            } else if scalar == "\"", !isEscaped {
                isQuoted.toggle()
            } else if scalar != " ", scalar != "\t" {
                // Only ASCII is valid, and combining marks take long to compare.
                parts[parts.count - 1].unicodeScalars.append(scalar.isASCII ? scalar : "\u{FFFD}")
            }
            isEscaped = false
        }
        name = parts[0]
        let parameter = parts.dropFirst().first { $0 == "charset" || $0.hasPrefix("charset=") }
        charset = parameter.map { String($0.dropFirst("charset=".count)) }
    }

    /// Whether the type is JSON: it ends in `/json` or `+json` (RFC 6839, section 3.1).
    public var isJSON: Bool { name.hasSuffix("/json") || name.hasSuffix("+json") }

    /// The encoding of the charset. UTF-8 if the header has no charset; nil if the charset is
    /// unknown.
    ///
    /// `String.Encoding(ianaName:)` would find more, but needs macOS 26.4 or Swift 6.3.
    public var encoding: String.Encoding? {
        switch charset {
        case nil, "utf-8", "utf8": .utf8
        case "us-ascii", "ascii": .ascii
        case "utf-16": .utf16
        case "utf-16be": .utf16BigEndian
        case "utf-16le": .utf16LittleEndian
        case "iso-8859-1", "latin1": .isoLatin1
        case "iso-8859-2": .isoLatin2
        case "windows-1250": .windowsCP1250
        case "windows-1251": .windowsCP1251
        case "windows-1252": .windowsCP1252
        case "windows-1253": .windowsCP1253
        case "windows-1254": .windowsCP1254
        case "shift_jis": .shiftJIS
        default: nil
        }
    }
}

// MARK: - Interceptors and transports

/// Runs requests: interceptors, redirects, transport, status check, decoding.
///
/// Every ``ServiceProvider`` has one. It isn't generic, so a closure can capture it without
/// capturing the service's type.
public nonisolated struct ServicePipeline: Sendable {
    /// Sends the requests.
    public var transport: any ServiceTransport
    /// The interceptors, outermost first.
    public var interceptors: [any ServiceInterceptor]
    /// Decodes the responses of requests without their own decoder.
    public var decoder: any ServiceDecoder
    /// Called for each call that fails, with its request if it could be built. Default: nil.
    public var onFailure: (@Sendable (ServiceError, ServiceRequest?) -> Void)?

    /// Builds the request for a service.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, or the error of
    ///   ``Service/prepare(_:)``.
    public func makeRequest(for service: some Service) throws(ServiceError) -> ServiceRequest {
        do { return try ServiceRequest(service) } catch { throw reported(error, for: nil) }
    }

    /// Sends a request and checks the status of its response.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    @concurrent public func send(
        _ request: ServiceRequest
    ) async throws(ServiceError) -> ServiceResponse {
        var request = request
        // Errors use this decoder to decode their response.
        request.decoder = request.decoder ?? decoder
        do {
            try Task.checkCancellation()
            var response = try await chain()(request)
            // Releases the body's resources, such as a temporary file.
            response.request.upload = nil
            try Task.checkCancellation()
            guard response.request.validStatusCodes.contains(response.statusCode) else {
                throw ServiceError.unacceptableStatus(response)
            }
            return response
        } catch {
            throw failure(error, of: request)
        }
    }

    /// Sends a request with the transport, and follows up to 20 redirects, as browsers do.
    @concurrent private func exchange(_ request: ServiceRequest) async throws -> ServiceResponse {
        var (request, redirects, metrics) = (request, 0, [ServiceMetrics]())
        while true {
            var response = try await attempt(request.checkedWithOpenBody())
            response.metrics.insert(contentsOf: metrics, at: 0)
            // The request with its body still closed, so that interceptors can send it again.
            response.request = request
            redirects += 1
            metrics = response.metrics
            guard redirects <= 20, try request.follow(response, redirects) else { return response }
        }
    }

    private func attempt(_ request: ServiceRequest) async throws -> ServiceResponse {
        do {
            let response = try await transport.send(request)
            // The transfer of a streamed response goes on.
            if request.bodySink?.destination != .stream { request.closeUnopenedBody() }
            return response
        } catch {
            request.closeUnopenedBody()
            throw request.redactingURL(of: error)
        }
    }

    // Not inlined, because a waiting call would keep their variables in memory.

    @inline(never) private func chain() -> ServiceNext {
        var next: ServiceNext = { try await exchange($0) }
        for interceptor in interceptors.reversed() {
            next = { [next] in try await interceptor.intercept($0, next: next) }
        }
        return next
    }

    @inline(never) private func failure(
        _ error: any Error, of request: ServiceRequest
    ) -> ServiceError {
        reported(ServiceError(request.redactingURL(of: error)), for: request)
    }

    /// Decodes a response, in the caller's isolation.
    ///
    /// - Throws: ``ServiceError/emptyResponse(_:)``, ``ServiceError/decoding(_:_:as:)``.
    public func decode<U: Decodable>(
        _: U.Type, from response: ServiceResponse
    ) throws(ServiceError) -> U {
        var response = response
        response.request.decoder = response.request.decoder ?? decoder
        do throws(ServiceError) { return try response.decode(U.self) } catch {
            throw reported(error, for: response.request)
        }
    }

    /// Decodes a response off the caller's actor.
    ///
    /// - Throws: ``ServiceError/emptyResponse(_:)``, ``ServiceError/decoding(_:_:as:)``.
    @concurrent public func decodeConcurrently<U: Decodable & SendableMetatype>(
        _ type: U.Type, from response: ServiceResponse
    ) async throws(ServiceError) -> sending U {
        try decode(type, from: response)
    }

    /// Calls ``onFailure`` with the error, then returns the error.
    public func reported(_ error: ServiceError, for request: ServiceRequest?) -> ServiceError {
        onFailure?(error, request)
        return error
    }
}

/// Changes requests on their way out and responses on their way back.
///
/// ```swift
/// struct APIVersion: ServiceInterceptor {
///     func intercept(
///         _ request: ServiceRequest, next: @escaping ServiceNext
///     ) async throws -> ServiceResponse {
///         var request = request
///         try request.setHeader("X-Api-Version", "2")
///         return try await next(request)
///     }
/// }
/// ```
///
/// Interceptors run in the order of the list; the first is the outermost. An interceptor can change the
/// request, call `next` again, return a response without calling it, or throw. A ``ServiceError`` reaches the
/// caller as it is. Other errors are wrapped by ``ServiceError/init(_:of:)``.
///
/// The response may have any status. The provider checks it after the outermost interceptor, against the
/// ``ServiceRequest/validStatusCodes`` of the response's request.
public nonisolated protocol ServiceInterceptor: Sendable {
    /// Handles one request.
    ///
    /// - Parameters:
    ///   - request: The request to send.
    ///   - next: Runs the inner interceptors, and then the transport.
    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse
}

/// The rest of the chain: the inner interceptors, and then the transport.
///
/// Use this alias: written out, the closure type means a different type in modules with
/// `NonisolatedNonsendingByDefault`, as in new Xcode projects.
public typealias ServiceNext = @Sendable (ServiceRequest) async throws -> ServiceResponse

/// Sends one request and returns its response.
///
/// A transport
/// - sends the request as it is, and follows no redirect;
/// - sends it again only if the connection was lost before a response, and the request is
///   repeatable;
/// - returns every HTTP response with its body, whatever its status;
/// - throws a `URLError` if no response arrives;
/// - stops when its task is cancelled, and throws `CancellationError` or `URLError.cancelled`.
///
/// The provider does the rest. To support ``ServiceRequest/bodySink``, build the response with a
/// ``ServiceResponseBuilder``.
public nonisolated protocol ServiceTransport: Sendable {
    /// Sends a request.
    ///
    /// - Throws: A `URLError` if no HTTP response arrives.
    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse
}

/// Receives the body of a successful response in chunks, for example to write it to a file.
///
/// Set it as ``ServiceRequest/bodySink``. A transport calls it in order, from one thread at a time.
/// The body of an unsuccessful response goes to ``ServiceResponse/data`` instead, so that the error
/// contains it.
public nonisolated protocol ServiceBodySink: AnyObject, Sendable {
    /// Where the body goes.
    var destination: ServiceBodyDestination { get }

    /// A part of the request's body has been sent. The default implementation does nothing.
    ///
    /// - Parameter sent: How many bytes have been sent so far.
    func didSend(_ sent: Int64)

    /// The status and the headers of a successful response have arrived. Called again if the request is
    /// sent again.
    ///
    /// - Parameters:
    ///   - response: The response without its body.
    ///   - control: Cancels or pauses the transfer.
    /// - Throws: Any error, which ends the transfer.
    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws

    /// A chunk of the body has arrived.
    ///
    /// - Throws: Any error, which ends the transfer.
    func receive(_ chunk: Data) throws

    /// The body is complete, or the transfer has failed.
    func end(_ error: (any Error)?)
}

nonisolated extension ServiceBodySink {
    /// Does nothing.
    public func didSend(_ sent: Int64) {}
}

/// Where the body of a successful response goes.
public nonisolated enum ServiceBodyDestination: Sendable {
    /// To ``ServiceResponse/data``. The sink only watches.
    case memory
    /// To the sink.
    case sink
    /// To the sink. The response is returned as soon as its headers have arrived.
    case stream
}

/// Cancels or pauses the transfer of a response body.
public nonisolated struct ServiceTransferControl: Sendable {
    /// Stops the transfer, which ends with `URLError.cancelled`. Can be called from any thread.
    public let cancel: @Sendable () -> Void
    /// Pauses (true) and resumes (false) the transfer, so that a slow reader slows down the server. Nil if
    /// the transport can't do it (URLSession on Linux).
    ///
    /// It doesn't block or call the sink, so it can be called under a lock.
    public let pause: (@Sendable (Bool) -> Void)?

    /// Creates a control.
    public init(cancel: @escaping @Sendable () -> Void, pause: (@Sendable (Bool) -> Void)? = nil) {
        self.cancel = cancel
        self.pause = pause
    }
}

/// The times and sizes of one request. Each redirect is a request of its own.
///
/// Nil means that the transport doesn't know. URLSession on Linux knows ``start``, ``firstByte``, ``total``,
/// and the bytes of the bodies.
public nonisolated struct ServiceMetrics: Sendable {
    /// When the request started.
    public var start = Date()
    /// Seconds for the DNS lookup. Nil for a reused connection.
    public var nameLookup: TimeInterval?
    /// Seconds to connect, without TLS. Nil for a reused connection.
    public var connect: TimeInterval?
    /// Seconds for the TLS handshake. Nil for a reused connection, and without TLS.
    public var secureConnect: TimeInterval?
    /// Seconds from the start until the headers of the response arrived.
    public var firstByte: TimeInterval?
    /// Seconds from the start until the whole response arrived.
    public var total: TimeInterval = 0
    /// The bytes sent, headers included.
    public var sentBytes: Int64 = 0
    /// The bytes received, headers included, before decompression.
    public var receivedBytes: Int64 = 0
    /// The protocol: `http/1.1`, `h2` or `h3`.
    public var protocolName: String?
    /// Whether an earlier request opened the connection.
    public var isReusedConnection: Bool?
    /// The IP address of the server, or of the proxy.
    public var remoteAddress: String?
    /// The client's port. Requests with the same port shared a connection.
    public var localPort: Int?

    /// Creates the metrics of a request that starts now.
    public init() {}

    /// Seconds since the start. Never below 0, even if the date was set back.
    public var elapsed: TimeInterval { max(0, -start.timeIntervalSinceNow) }
}

/// Collects the events of one transfer and builds the response. Every transport uses one.
///
/// Call its methods in order, from one thread at a time.
public nonisolated final class ServiceResponseBuilder {
    let request: ServiceRequest
    /// The metrics of the transfer so far. Set the values that the builder can't know.
    public var metrics = ServiceMetrics()
    private let control: ServiceTransferControl
    private(set) var response: ServiceResponse?
    private var sink: (any ServiceBodySink)?

    /// Creates a builder for the response to a request.
    public init(for request: ServiceRequest, control: ServiceTransferControl) {
        self.request = request
        self.control = control
    }

    /// A part of the request's body has been sent. `sent` is the number of bytes so far.
    public func didSend(_ sent: Int64) {
        metrics.sentBytes = sent
        request.bodySink?.didSend(sent)
    }

    /// The status and the headers have arrived. They replace earlier ones: an informational response (103)
    /// may come first.
    ///
    /// - Returns: The response to return now, if the sink streams the body; otherwise nil.
    /// - Throws: The sink's error. The transport must then stop the transfer.
    public func didReceive(_ head: ServiceResponse) throws -> ServiceResponse? {
        (response, sink) = (head, nil)
        metrics.firstByte = metrics.elapsed
        let isSuccess = request.validStatusCodes.contains(head.statusCode)
        guard isSuccess, head.statusCode >= 200, let sink = request.bodySink else { return nil }
        try sink.begin(head, control: control)
        self.sink = sink
        return sink.destination == .stream ? head : nil
    }

    /// A chunk of the body has arrived.
    ///
    /// - Throws: The sink's error. The transport must then stop the transfer.
    public func didReceive(_ chunk: Data) throws {
        metrics.receivedBytes += Int64(chunk.count)
        try sink?.receive(chunk)
        if sink?.destination ?? .memory == .memory { response?.data.append(chunk) }
    }

    /// The transfer has ended.
    ///
    /// - Throws: The error, or a `URLError` if no HTTP response arrived.
    public func end(_ error: (any Error)?) throws -> ServiceResponse {
        sink?.end(error.map(request.redactingURL))
        if let error { throw error }
        guard var response else { throw URLError(.badServerResponse) }
        metrics.total = metrics.elapsed
        response.metrics = [metrics]
        return response
    }
}

// MARK: - URLSession

/// Sends requests with URLSession: the default transport.
public nonisolated final class URLSessionTransport: ServiceTransport {
    /// The transport that providers use by default.
    public static let shared = URLSessionTransport()

    private let session: URLSession
    private let isOwner: Bool
    private let isBackground: Bool

    /// Creates a transport with its own session, which ends with the transport.
    ///
    /// - Parameter configuration: Default: `URLSessionConfiguration.default`. Don't put credentials into
    ///   `httpAdditionalHeaders`: they are sent to every host that a redirect names. Cookies are sent to
    ///   all ports of their host. On Linux, `urlCache` isn't used: URLSession's cache can return
    ///   the response of a URL with a different query, and can crash the process.
    public convenience init(configuration: URLSessionConfiguration = .default) {
        self.init(owned: URLSessionCall.makeSession(configuration))
    }

    init(owned session: URLSession) {
        self.session = session
        (isOwner, isBackground) = (true, session.configuration.identifier != nil)
    }

    /// Creates a transport with your session, which it never invalidates.
    ///
    /// On Linux, URLSession delivers data to the session's delegate, never to a task's delegate. So
    /// the transport creates a session with the same configuration, but without `urlCache`, and
    /// your session's delegate isn't called. On Apple platforms, the transport creates its own
    /// session only if your session's delegate queue is concurrent.
    public init(session: URLSession) {
        self.session = URLSessionCall.adopt(session)
        isOwner = self.session !== session
        isBackground = session.configuration.identifier != nil
    }

    deinit {
        if isOwner { session.finishTasksAndInvalidate() }
    }

    /// Sends a request. On Linux, timeouts are rounded up to whole seconds.
    ///
    /// - Throws: The sink's error, or a `URLError`: `.cancelled` for a cancelled task,
    ///   `.cannotLoadFromNetwork` for a background session.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        guard !isBackground else {
            let reason = "a background session doesn't call the delegates of its tasks"
            throw URLError(.cannotLoadFromNetwork, userInfo: [NSLocalizedDescriptionKey: reason])
        }
        var urlRequest = request.urlRequest
        URLSessionCall.prepare(&urlRequest)
        let (call, task) = (URLSessionCall(), session.dataTask(with: urlRequest))
        defer { call.synchronize() }
        // Not `URLSession.data(for:)`, which can freeze all sessions on Linux when it is cancelled.
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { call.start(task, request, $0) }
        } onCancel: {
            call.cancel()
        }
    }
}

nonisolated extension URLSessionTransport: CustomReflectable {
    /// Empty: on Linux, reading the parts of a session that runs a task can crash the process.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Runs one call, and is the delegate of its task.
///
/// On Linux, a session only calls its own delegate. That delegate is a `URLSessionCall` that never
/// starts, so each callback looks up the call of its task.
nonisolated final class URLSessionCall: NSObject, URLSessionDataDelegate {
    private struct State {
        var continuation: CheckedContinuation<ServiceResponse, any Error>?
        /// The task, until someone cancels it or it has ended.
        var cancellable: URLSessionTask?
        /// Nil before the call starts and after it has ended.
        var builder: ServiceResponseBuilder?
        /// The error that ended the transfer.
        var failure: (any Error)?
        /// The streams of the body after the request's own.
        var newBodies: [InputStream] = []
    }

    private let lock = NSLock()
    // Safe because it is only used under the lock.
    nonisolated(unsafe) private var state = State()

    func start(
        _ task: URLSessionTask, _ request: ServiceRequest,
        _ continuation: CheckedContinuation<ServiceResponse, any Error>
    ) {
        // First, because the task can be cancelled as soon as the state has it.
        task.delegate = self
        let control = ServiceTransferControl(cancel: cancel, pause: Self.pause(task))
        let builder = ServiceResponseBuilder(for: request, control: control)
        lock.withLock {
            state = State(continuation: continuation, cancellable: task, builder: builder)
        }
        // A cancellation before this didn't find the task.
        if Task.isCancelled { takeCancellable()?.cancel() }
        // Resume even a cancelled task: otherwise it stays in the session.
        task.resume()
    }

    /// Cancels the task once, on another thread: cancelling twice crashes the process on Linux, and the
    /// task's `cancel()` waits for the session's queue, which may wait for the caller.
    @Sendable func cancel() {
        DispatchQueue.global().async { self.takeCancellable()?.cancel() }
    }

    /// Returns the task to the first caller, which must then end it.
    func takeCancellable() -> URLSessionTask? { lock.withLock { state.cancellable.take() } }

    /// Takes the lock, so that ThreadSanitizer sees the order of the callbacks and the code after the
    /// call. (In Swift 6.3, ThreadSanitizer doesn't see a continuation that is resumed before it is
    /// awaited.)
    func synchronize() { lock.withLock {} }

    /// Ends the call with an error.
    func fail(_ error: any Error) {
        lock.withLock { state.failure = error }
        cancel()
    }

    /// The call of a task. On Apple platforms, a task that has ended may have lost its delegate, and this
    /// is the call. On Linux, this may be the session's delegate, which ignores callbacks.
    func call(of task: URLSessionTask) -> URLSessionCall {
        task.delegate as? URLSessionCall ?? self
    }

    /// Passes an event to the builder of a task, unless its call has failed. The session's callbacks for a
    /// task come one after another, so the builder needs no lock.
    func update(
        _ task: URLSessionTask, _ change: (URLSessionCall, ServiceResponseBuilder) throws -> Void
    ) {
        let call = call(of: task)
        let state = call.lock.withLock { call.state }
        guard let builder = state.builder, state.failure == nil else { return }
        do { try change(call, builder) } catch { call.fail(error) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        update(dataTask) { call, builder in
            guard let http = response as? HTTPURLResponse else { return }
            let head = ServiceResponse(request: builder.request, http: http)
            guard let response = try builder.didReceive(head) else { return }
            call.lock.withLock { call.state.continuation.take() }?.resume(returning: response)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        update(dataTask) { try $1.didReceive(data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytes: Int64,
        totalBytesSent total: Int64, totalBytesExpectedToSend _: Int64
    ) {
        update(task) { $1.didSend(total) }
    }

    /// The provider follows redirects, the same way on every platform.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        if mayRefuseRedirect(of: task) { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        var stream: InputStream?
        update(task) { call, builder in
            guard let body = try Self.newBody(builder.request) else { return }
            call.lock.withLock { call.state.newBodies.append(body) }
            stream = body
        }
        completionHandler(stream)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let call = call(of: task)
        let ended = call.lock.withLock {
            defer { call.state = State() }
            return call.state
        }
        for body in ended.newBodies { body.closeIfUnopened() }
        guard let builder = ended.builder else { return }
        let result = Swift.Result {
            // URLSession on Linux doesn't report the response of a redirect that it can't follow.
            if error == nil, builder.response == nil, let http = task.response as? HTTPURLResponse {
                _ = try builder.didReceive(ServiceResponse(request: builder.request, http: http))
            }
            return try builder.end(ended.failure ?? error.map(Self.transportError))
        }
        ended.continuation?.resume(with: result)
    }

    /// Returns a `URLError` for an error of URLSession, so that it is retried like other transport errors.
    ///
    /// When an app returns from the background, its connections are lost, and some calls fail with an error of
    /// the domain `NSPOSIXErrorDomain` or `kCFErrorDomainCFNetwork`.
    private static func transportError(_ error: any Error) -> any Error {
        if error is CancellationError { return error }
        if let known = error as? URLError { return corrected(known) }
        let cause = error as NSError
        // On Linux, a URLProtocol's `NSError` isn't cast to a `URLError`.
        let isKnown = cause.domain == NSURLErrorDomain
        let code: URLError.Code? = isKnown ? URLError.Code(rawValue: cause.code) : nil
        return URLError(code ?? .networkConnectionLost, userInfo: [NSUnderlyingErrorKey: cause])
    }
}

#if canImport(FoundationNetworking)
/// Workarounds for URLSession on Linux (swift-corelibs-foundation).
nonisolated extension URLSessionCall {
    static func makeSession(_ configuration: URLSessionConfiguration) -> URLSession {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        let seconds = wholeSeconds(configuration.timeoutIntervalForRequest)
        configuration.timeoutIntervalForRequest = seconds
        configuration.urlCache = nil
        return URLSession(
            configuration: configuration, delegate: URLSessionCall(),
            delegateQueue: InlineQueue())
    }

    /// URLSession delivers data to the session's delegate, never to a task's delegate.
    static func adopt(_ session: URLSession) -> URLSession { makeSession(session.configuration) }

    /// URLSession drops fractions, and traps on infinity and NaN.
    private static func wholeSeconds(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds.rounded(.up), ServiceRequest.maximumTimeout) : 60
    }

    static func prepare(_ request: inout URLRequest) {
        let seconds = wholeSeconds(request.timeoutInterval)
        // Setting a timeout overrides the session's, so set it only if it changes.
        if seconds != request.timeoutInterval { request.timeoutInterval = seconds }
        // URLSession refuses a scheme in upper case.
        if let url = request.url, let scheme = url.scheme, scheme != scheme.lowercased() {
            let rest = url.absoluteString.dropFirst(scheme.count)
            request.url = URL(string: scheme.lowercased() + rest)
        }
        // URLSession would send a stream in chunks, in spite of its Content-Length. With this header it
        // doesn't, and libcurl leaves out a header that has only spaces.
        guard request.value(forHTTPHeaderField: "Content-Length") != nil else { return }
        request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
    }

    /// Nil, because suspending a task would send its request again.
    static func pause(_ task: URLSessionTask) -> (@Sendable (Bool) -> Void)? { nil }

    /// A reused connection has closed without a response. This throws, because URLSession would
    /// send the request again with an empty or partial body, and the server may already have
    /// received it.
    static func newBody(_ request: ServiceRequest) throws -> InputStream? {
        throw URLError(.networkConnectionLost)
    }

    /// Cancelling a task and then refusing its redirect crashes the process ("we're not waiting for
    /// it"). Each of them ends the task, so do only one.
    func mayRefuseRedirect(of task: URLSessionTask) -> Bool {
        call(of: task).takeCancellable() != nil
    }

    /// URLSession reports the same error code for an invalid response and for a connection that
    /// closes without a response. This method tells them apart.
    static func corrected(_ error: URLError) -> URLError {
        guard error.code == .badServerResponse,
            error.localizedDescription == "Empty reply from server"
        else { return error }
        return URLError(.networkConnectionLost, userInfo: error.userInfo)
    }

    /// A Basic challenge without a credential never ends, not even after the timeout. So the 401
    /// that came before it is the response, and the challenge is cancelled.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isFirst = mayRefuseRedirect(of: task)
        urlSession(session, task: task, didCompleteWithError: nil)
        // Safe because nothing else calls the handler. The handler waits for this method's queue,
        // so call it on another one.
        nonisolated(unsafe) let handler = completionHandler
        if isFirst { DispatchQueue.global().async { handler(.cancelAuthenticationChallenge, nil) } }
    }
}

nonisolated extension ServiceRequest {
    /// Replaces all header fields. In one go: `setValue` looks at all fields each time.
    mutating func replaceFields(with fields: [String: String]) {
        urlRequest.allHTTPHeaderFields = fields
    }
}

/// Runs operations immediately, on the session's own queue. Otherwise 100 MB and more of a large download
/// wait in memory for the delegate.
private nonisolated final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

#else

nonisolated extension URLSessionTransport {
    /// Responds to an authentication challenge: for a password, a client certificate, or trust in a
    /// server.
    ///
    /// It is called once for each protection space (host, port, method and realm) that a call
    /// meets. If the server refuses the credential, the response has status 401. After
    /// `.cancelAuthenticationChallenge`, the call throws `URLError.serverCertificateUntrusted` for
    /// trust in a server, and `URLError.userAuthenticationRequired` otherwise.
    public typealias ChallengeHandler =
        @concurrent @Sendable (URLAuthenticationChallenge) async -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        )

    /// Creates a transport with its own session, and a closure that responds to authentication
    /// challenges. Apple platforms only: on Linux, `CurlTransport` has settings for credentials.
    ///
    /// ```swift
    /// let transport = URLSessionTransport { challenge in
    ///     let space = challenge.protectionSpace
    ///     guard space.host == "example.com",
    ///         space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
    ///     else { return (.performDefaultHandling, nil) }
    ///     return (.useCredential, URLCredential(user: "me", password: "…", persistence: .forSession))
    /// }
    /// ```
    public convenience init(
        configuration: URLSessionConfiguration = .default,
        onChallenge: @escaping ChallengeHandler
    ) {
        let delegate = URLSessionChallenges(onChallenge)
        self.init(
            owned: URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil))
    }
}

/// The delegate of a session: responds to the challenges of its tasks. (A task's own delegate comes
/// first, but `URLSessionCall` doesn't handle challenges.)
private nonisolated final class URLSessionChallenges: NSObject, URLSessionTaskDelegate {
    private let respond: URLSessionTransport.ChallengeHandler

    init(_ respond: @escaping URLSessionTransport.ChallengeHandler) { self.respond = respond }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // Otherwise a server that refuses each credential would never end the call.
        guard challenge.previousFailureCount == 0 else {
            return completionHandler(.rejectProtectionSpace, nil)
        }
        Task { [respond] in
            let (disposition, credential) = await respond(challenge)
            if disposition == .cancelAuthenticationChallenge {
                // URLSession would report `.cancelled`, as for a cancelled call.
                let method = challenge.protectionSpace.authenticationMethod
                let isTrust = method == NSURLAuthenticationMethodServerTrust
                let code =
                    isTrust
                    ? URLError.serverCertificateUntrusted : .userAuthenticationRequired
                (task.delegate as? URLSessionCall)?.fail(URLError(code))
            }
            completionHandler(disposition, credential)
        }
    }
}

nonisolated extension URLSessionCall {
    static func makeSession(_ configuration: URLSessionConfiguration) -> URLSession {
        URLSession(configuration: configuration)
    }

    /// A concurrent queue would call the delegate in parallel.
    static func adopt(_ session: URLSession) -> URLSession {
        let isSerial = session.delegateQueue.maxConcurrentOperationCount == 1
        return isSerial ? session : makeSession(session.configuration)
    }

    static func prepare(_ request: inout URLRequest) {}

    static func pause(_ task: URLSessionTask) -> (@Sendable (Bool) -> Void)? {
        { $0 ? task.suspend() : task.resume() }
    }

    static func newBody(_ request: ServiceRequest) throws -> InputStream? {
        try request.upload?().stream
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        // Earlier ones belong to attempts that URLSession has repeated.
        guard let last = metrics.transactionMetrics.last else { return }
        update(task) { _, builder in
            func seconds(_ start: Date?, _ end: Date?) -> TimeInterval? {
                start.flatMap { end?.timeIntervalSince($0) }
            }
            builder.metrics.nameLookup = seconds(
                last.domainLookupStartDate, last.domainLookupEndDate)
            let connected = last.secureConnectionStartDate ?? last.connectEndDate
            builder.metrics.connect = seconds(last.connectStartDate, connected)
            builder.metrics.secureConnect = seconds(
                last.secureConnectionStartDate, last.secureConnectionEndDate)
            builder.metrics.sentBytes =
                last.countOfRequestHeaderBytesSent + last.countOfRequestBodyBytesSent
            builder.metrics.receivedBytes =
                last.countOfResponseHeaderBytesReceived + last.countOfResponseBodyBytesReceived
            builder.metrics.protocolName = last.networkProtocolName
            builder.metrics.isReusedConnection = last.isReusedConnection
            builder.metrics.remoteAddress = last.remoteAddress
            builder.metrics.localPort = last.localPort
        }
    }

    func mayRefuseRedirect(of task: URLSessionTask) -> Bool { true }

    static func corrected(_ error: URLError) -> URLError { error }
}

nonisolated extension ServiceRequest {
    /// Replaces all header fields. The setter of `allHTTPHeaderFields` can't: it adds and changes
    /// fields, but never removes one.
    mutating func replaceFields(with fields: [String: String]) {
        for name in (urlRequest.allHTTPHeaderFields ?? [:]).keys where fields[name] == nil {
            urlRequest.setValue(nil, forHTTPHeaderField: name)
        }
        for (name, value) in fields { urlRequest.setValue(value, forHTTPHeaderField: name) }
    }
}
#endif
