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

    /// The HTTP method. Default: ``ServiceMethod/get``.
    var method: ServiceMethod { get }

    /// The parameters of the query, form or JSON body; see ``parameterEncoding``. Default: nil.
    ///
    /// Values are strings, numbers, booleans, `Date` (ISO 8601, UTC, whole seconds), `URL`, `UUID`, `Data` (as Base64),
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

/// An HTTP method (RFC 9110, section 9).
///
/// Any HTTP token (letters, digits and some symbols) can be a method:
/// `ServiceMethod(rawValue: "PURGE")`. Building the request fails for any
/// other string. Methods are case-sensitive.
public nonisolated struct ServiceMethod: RawRepresentable, Hashable, Sendable {
    /// The method as it is sent.
    public let rawValue: String

    /// Creates a method from an HTTP token.
    public init(rawValue: String) { self.rawValue = rawValue }

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
}

/// Where parameters go and how they are written.
///
/// ```swift
/// var parameterEncoding: ServiceParameterEncoding { .init(destination: .form) }
/// ```
public nonisolated struct ServiceParameterEncoding: Sendable {
    /// The part of a request that carries the parameters. With a ``Service/body``, that is always the query.
    ///
    /// - `automatic`: the query for GET, HEAD and DELETE; a JSON body for other methods.
    /// - `queryOrForm`: the query for GET, HEAD and DELETE; a form for other methods.
    /// - `query`: the query of the URL.
    /// - `form`: a body of type `application/x-www-form-urlencoded`.
    /// - `json`: a body of type `application/json`.
    public enum Destination: Sendable { case automatic, queryOrForm, query, form, json }

    /// Where the parameters go.
    public var destination: Destination
    /// Writes parameters in a style of its own: as JSON, or as a query or form, percent-encoded. Default: nil, which
    /// writes sorted keys, `key[]` for the elements of an array, and `key[inner]` for the members of a
    /// dictionary.
    public var write: (@Sendable (_ parameters: [String: Any], _ isJSON: Bool) throws -> String)?

    /// Creates an encoding.
    public init(destination: Destination = .automatic) { self.destination = destination }

    /// Encodes parameters as JSON if ``destination`` is JSON, or else as a query or form.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a value that can't be sent.
    public func encode(_ parameters: [String: Any]) throws -> String {
        let isJSON = destination == .json
        guard let write else {
            return try ParameterWriter(isJSON: isJSON).text(of: parameters) ?? ""
        }
        let text = try ServiceError.wrapping(.parameter) { try write(parameters, isJSON) }
        guard !isJSON else { return text }
        // URLComponents traps if a query has other characters.
        return ServicePercentEncoding.encode(text, keeping: "!$&'()*+,;=:@/?", keepsEscapes: true)
    }

    /// Where parameters go in a request with this method.
    func resolvedDestination(for method: ServiceMethod, hasBody: Bool) -> Destination {
        let prefersQuery = hasBody || ["GET", "HEAD", "DELETE"].contains(method.rawValue)
        return switch destination {
        case .automatic where !prefersQuery: .json
        case .queryOrForm where !prefersQuery: .form
        case .form where !hasBody, .json where !hasBody: destination
        default: .query
        }
    }
}

/// Writes parameters in the default style. (`JSONSerialization` takes ten times as long.)
private nonisolated struct ParameterWriter {
    let isJSON: Bool

    /// A value as JSON, or as a part of a query such as `a=1&b[]=2`. Nil for a value that is dropped. The name is the
    /// query key, such as `filter[from]`, and nil for the whole parameters.
    func text(of value: Any, name: String? = nil, depth: Int = 0) throws -> String? {
        switch try ServiceParameterValue(value, name: name ?? "", depth: depth) {
        case nil: return nil
        case .null where isJSON: return "null"
        case .null: return nil
        case .text(let text) where isJSON: return "\"\(Self.escaped(text))\""
        case .literal(let text) where isJSON: return text
        case .text(let text), .literal(let text):
            let name = ServicePercentEncoding.encode(name ?? "")
            return name + "=" + ServicePercentEncoding.encode(text)
        case .list(let elements):
            let texts = try elements.compactMap { element in
                try text(of: element, name: "\(name ?? "")[]", depth: depth + 1)
            }
            return joined(texts, "[", "]")
        case .object(let members):
            var texts: [String] = []
            for key in members.keys.sorted() {
                let inner = name.map { "\($0)[\(key)]" } ?? key
                guard let member = members[key],
                    let text = try text(of: member, name: inner, depth: depth + 1)
                else { continue }
                texts.append(isJSON ? "\"\(Self.escaped(key))\":\(text)" : text)
            }
            return joined(texts, "{", "}")
        }
    }

    /// The texts as JSON between two brackets, or joined by `&`; nil for an empty part of a query.
    private func joined(_ texts: [String], _ start: String, _ end: String) -> String? {
        guard !isJSON else { return start + texts.joined(separator: ",") + end }
        guard !texts.isEmpty else { return nil }
        return texts.joined(separator: "&")
    }

    /// A text as it is between the quotation marks of JSON.
    private static func escaped(_ text: String) -> String {
        // No control character, quotation mark or backslash (RFC 8259, section 7).
        let isPlain = text.hasOnlyBytes { $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }
        guard !isPlain else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"", "\\": escaped += "\\\(scalar)"
            case ..<" ": escaped += String(format: "\\u%04X", scalar.value)
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// One value of ``Service/parameters``, for code that writes parameters in its own way. The elements of a
/// list and the members of an object aren't read yet.
public nonisolated enum ServiceParameterValue {
    /// A text, which is quoted in JSON; a number or a boolean, as in JSON.
    case text(String), literal(String)
    /// Null in JSON; dropped in a query or form.
    case null
    /// An array; a dictionary.
    case list([Any]), object([String: Any])

    /// Reads a value. Nil for an Optional that is nil, which drops the value.
    ///
    /// - Parameters:
    ///   - value: A value of ``Service/parameters``.
    ///   - name: The name in the error, such as `filter[from]`.
    ///   - depth: In how many arrays and dictionaries the value is. More than 64 are an error, because a
    ///     value that contains itself would exhaust the stack.
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)`` for a value that can't be sent. If the value is
    ///   a ``ServiceError``, that error.
    public init?(_ value: Any, name: String, depth: Int) throws {
        try ServiceError.require(depth <= 64, .parameter, "'\(name.prefix(60))…' exceeds 64 levels")
        let type = type(of: value)
        // On Apple platforms an NSNumber casts to every number type.
        if type is NSNumber.Type, let number = value as? NSNumber, number.doubleValue.isFinite {
            // Booleans have their own class. On Apple platforms, `objCType` is the same for Bool and Int8.
            let isBoolean = type == Swift.type(of: NSNumber(value: true))
            self = .literal(isBoolean ? "\(number.boolValue)" : number.stringValue)
            return
        }
        // Common types come first, because a failed cast takes time. On Apple platforms, an NSNumber casts to each of
        // these types.
        switch value {
        case let text as String: self = .text(text)
        case let number as Int where type == Int.self: self = .literal(String(number))
        case let flag as Bool where type == Bool.self: self = .literal("\(flag)")
        case let number as Double where type == Double.self && number.isFinite:
            self = .literal("\(number)")
        case let elements as [Any]: self = .list(elements)
        case let members as [String: Any]: self = .object(members)
        case let number as any Numeric where Double("\(number)")?.isFinite == true:
            self = .literal("\(number)")
        case let date as Date where Self.writableDates.contains(date.timeIntervalSince1970):
            self = .text(date.formatted(.iso8601))
        case let url as URL: self = .text(url.absoluteString)
        case let uuid as UUID: self = .text(uuid.uuidString)
        case let data as Data: self = .text(data.base64EncodedString())
        case is NSNull: self = .null
        case Optional<Any>.none: return nil
        case let error as ServiceError: throw error
        case let raw as any RawRepresentable:
            try self.init(raw.rawValue, name: name, depth: depth + 1)
        case let box as AnyHashable where type == AnyHashable.self:
            try self.init(box.base, name: name, depth: depth)
        case Optional<Any>.some(let inner) where Mirror(reflecting: value).displayStyle == .optional:
            try self.init(inner, name: name, depth: depth + 1)
        default: throw Self.refusal(of: value, name)
        }
    }

    private static func refusal(of value: Any, _ name: String) -> ServiceError {
        let fault = value is any BinaryFloatingPoint ? "isn't finite" : "can't be sent"
        let reason = "'\(name)' is a '\(type(of: value))' that \(fault)"
        return .invalidRequest(.parameter, reason: reason)
    }

    /// The years 1 to 9999. Formatting traps outside of them.
    private static let writableDates = -62_135_769_600.0..<253_402_300_800.0
}

/// Percent-encoding of UTF-8 (RFC 3986, section 2.1).
public nonisolated enum ServicePercentEncoding {
    /// Encodes every character except unreserved ones (RFC 3986, section 2.3) and those in `kept`.
    ///
    /// - Parameters:
    ///   - text: The text.
    ///   - kept: Characters that stay as they are, in ASCII. Default: none.
    ///   - keepsEscapes: Whether a `%` with two digits stays as it is. Default: false.
    public static func encode(
        _ text: String, keeping kept: StaticString = "", keepsEscapes: Bool = false
    ) -> String {
        guard !isUnchanged(text, keeping: kept) else { return text }
        let digits = Array("0123456789ABCDEF".utf8)
        var rest = Array(text.utf8)[...]
        var bytes: [UInt8] = []
        while let byte = rest.popFirst() {
            let isEscape =
                keepsEscapes && byte == 0x25
                && rest.prefix(2).count { UnicodeScalar($0).properties.isASCIIHexDigit } == 2
            if isEscape || isAllowed(byte, kept) {
                bytes.append(byte)
            } else {
                bytes += [0x25, digits[Int(byte >> 4)], digits[Int(byte & 15)]]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Encodes the characters that a URL can't contain (RFC 3986, sections 3.3 to 3.5). What is
    /// percent-encoded already stays as it is.
    static func encodeIllegal(_ url: String) -> String {
        let legal: StaticString = "!$&'()*+,;=:@/?#"
        guard url.prefix(9).contains("//["), let end = url.firstIndex(of: "]")
        else { return encode(url, keeping: legal, keepsEscapes: true) }
        // Only the address of a host has brackets (RFC 3986, section 3.2.2).
        let rest = String(url[end...].dropFirst())
        return String(url[...end]) + encode(rest, keeping: legal, keepsEscapes: true)
    }

    /// Whether a string has only letters, digits, `-._~` and kept characters.
    static func isUnchanged(_ text: String, keeping kept: StaticString) -> Bool {
        text.hasOnlyBytes { isAllowed($0, kept) }
    }

    private static func isAllowed(_ byte: UInt8, _ kept: StaticString) -> Bool {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: true
        default: kept.withUTF8Buffer { $0.contains(byte) }
        }
    }
}

nonisolated extension String {
    /// Whether all bytes in UTF-8 satisfy a condition. (`utf8.allSatisfy` is slower.)
    func hasOnlyBytes(where condition: (UInt8) -> Bool) -> Bool {
        var text = self
        return text.withUTF8 { $0.allSatisfy(condition) }
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
    public init(_ pipeline: ServicePipeline) { self.pipeline = pipeline }

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
        self.init(.init(transport: transport, interceptors: interceptors, decoder: decoder))
    }

    /// Builds the request that `load(service:)` sends, before interceptors change it.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, or the error of ``Service/prepare(_:)``, wrapped
    ///   by ``ServiceError/init(_:of:)``.
    public func request(for service: T) throws -> ServiceRequest { try ServiceRequest(service) }
}

// MARK: - Async calls

nonisolated extension ServiceProvider {
    /// Loads an endpoint, and returns status, headers and body.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    public nonisolated(nonsending) func response(for service: T) async throws -> ServiceResponse {
        try await pipeline.send(request(for: service))
    }

    /// Loads an endpoint, and returns the body. It may be empty.
    ///
    /// - Throws: The same errors as ``response(for:)``.
    @discardableResult
    public nonisolated(nonsending) func load(service: T) async throws -> Data {
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
    ) async throws -> sending U {
        try await response(for: service).decodeConcurrently(decodeType)
    }

    /// Loads an endpoint, and decodes a type on the actor that its `Decodable` conformance is isolated to.
    ///
    /// - Throws: ``ServiceError``.
    @_disfavoredOverload
    public nonisolated(nonsending) func load<U: Decodable>(
        service: T, decodeType: U.Type
    ) async throws -> U {
        try await response(for: service).decode(decodeType)
    }
}

// MARK: - Handlers

nonisolated extension ServiceProvider {
    /// Loads an endpoint, and passes the body to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``run(service:completion:operation:)``.
    @_disfavoredOverload @discardableResult
    public func load(service: T, completion: @escaping Completion<Data>) -> Task<Void, Never> {
        run(service: service, completion: completion) { [pipeline] request in
            try await pipeline.send(request).nonEmpty?.data
        }
    }

    /// Loads an endpoint, decodes the body off the main actor, and passes the value to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode. It doesn't have to be `Sendable`.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``run(service:completion:operation:)``.
    @discardableResult
    public func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> Task<Void, Never> {
        run(service: service, completion: completion) { [pipeline] request in
            try await pipeline.send(request).nonEmpty?.decode(decodeType)
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
    /// - Returns: The running call; see ``run(service:completion:operation:)``.
    @_disfavoredOverload @MainActor @discardableResult
    public func load<U: Decodable>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> Task<Void, Never> {
        let decode: Completion<ServiceResponse> = { result in
            // Safe because it is created here, and passed to one handler on the same actor.
            nonisolated(unsafe) let decoded: ServiceResult<U>
            do {
                decoded = try result.get().map { .success(try $0.decode(decodeType)) } ?? .empty
            } catch {
                decoded = .failure(ServiceError(error))
            }
            completion(decoded)
        }
        return run(service: service, completion: decode) { [pipeline] request in
            try await pipeline.send(request).nonEmpty
        }
    }

    /// Runs an async operation for a service, and passes its value to a handler. The other methods with
    /// handlers call this one.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    ///   - operation: Gets the request, and returns a value. Nil becomes ``ServiceResult/empty``. Its errors
    ///     are wrapped by ``ServiceError/init(_:of:)``.
    /// - Returns: The running call. If it is cancelled on the main actor before the handler has run, the
    ///   handler gets ``ServiceError/cancelled``, even if the response has just arrived.
    public func run<U>(
        service: T, completion: @escaping Completion<U>,
        operation: @escaping @concurrent @Sendable (ServiceRequest) async throws -> sending U?
    ) -> Task<Void, Never> {
        let request = Swift.Result { try ServiceRequest(service) }
        // On the main actor, where the call may have been cancelled.
        let end: Completion<U> = { result in
            guard !Task.isCancelled else { return completion(.failure(.cancelled)) }
            completion(result)
        }
        @concurrent func result() async -> sending ServiceResult<U> {
            do {
                guard let value = try await operation(request.get()) else { return .empty }
                return .success(value)
            } catch {
                return .failure(ServiceError(error))
            }
        }
        // The last call uses its argument up. Otherwise the task would return to another thread to release it.
        return Task { await end(result()) }
    }
}

/// The result of a call, as handlers get it.
///
/// ``ServiceProvider`` also calls it `Result`. (At the top level, that name would hide `Swift.Result`.)
public nonisolated enum ServiceResult<Value> {
    /// The decoded value, or the body.
    case success(Value)
    /// The call failed.
    case failure(ServiceError)
    /// The call succeeded, and the response has no body: a 204, a response to HEAD, a length of 0.
    case empty

    /// Returns the value; nil for ``empty``.
    ///
    /// - Throws: The ``ServiceError`` of a ``failure(_:)``.
    public func get() throws -> Value? {
        switch self {
        case .success(let value): return value
        case .failure(let error): throw error
        case .empty: return nil
        }
    }
}

nonisolated extension ServiceResult: Sendable where Value: Sendable {}

// MARK: - Errors

/// An error of a call. Every error that a provider throws has this type.
///
/// ```swift
/// do {
///     show(try await provider.load(service: .heroes, decodeType: [Hero].self))
/// } catch let error as ServiceError {
///     alert(error.localizedDescription)
/// }
/// ```
///
/// `localizedDescription` is a short sentence for people, and ``description`` is for developers. Both quote
/// nothing that a server sent, and no header, query or body. They show the text of an interceptor's own
/// error as it is.
public nonisolated indirect enum ServiceError: Error, Sendable {
    /// The request can't be built, or a file can't be read or created. The associated values name
    /// the invalid part and give the reason.
    case invalidRequest(RequestPart, reason: String)
    /// The call was cancelled.
    case cancelled
    /// No complete HTTP response arrived: no network, an unknown host, a timeout, a lost connection.
    case transport(URLError)
    /// The status isn't one of ``Service/validStatusCodes``. To read the server's own error:
    /// `try? error.response?.decode(APIError.self)`.
    case unacceptableStatus(ServiceResponse)
    /// An async call asked for a value, and the response has no body. (Handlers get
    /// ``ServiceResult/empty``.)
    case emptyResponse(ServiceResponse)
    /// The body can't be decoded as this type.
    case decoding(any Error, ServiceResponse, as: String)
    /// An interceptor or ``Service/prepare(_:)`` threw an error of its own type.
    case interceptor(any Error)

    /// A part of a request: a property of ``Service``, or the file of a download.
    public enum RequestPart: Sendable {
        case baseURL, path, method, parameter, header, body, timeout, file
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
            self = .invalidRequest(part, reason: "a value\(path): \(context.debugDescription)")
        case (_, let part?): self = .invalidRequest(part, reason: error.localizedDescription)
        case (_, nil): self = .interceptor(error)
        }
    }

    /// Throws ``invalidRequest(_:reason:)`` unless a condition holds.
    public static func require(
        _ condition: Bool, _ part: RequestPart, _ reason: @autoclosure () -> String
    ) throws {
        guard condition else { throw ServiceError.invalidRequest(part, reason: reason()) }
    }

    /// Runs code, and wraps its errors.
    static func wrapping<Value>(_ part: RequestPart?, _ work: () throws -> Value) throws -> Value {
        do {
            return try work()
        } catch {
            throw ServiceError(error, of: part)
        }
    }

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
}

nonisolated extension ServiceError: LocalizedError, CustomStringConvertible, CustomReflectable {
    /// A sentence for people, also as `localizedDescription`.
    public var errorDescription: String? {
        switch self {
        case .invalidRequest(.file, _): "The file can't be read or written."
        case .invalidRequest: "The request can't be sent."
        case .cancelled: "The request was cancelled."
        case .transport(let error): Self.sentence(for: error.code)
        case .unacceptableStatus(let it) where it.statusCode >= 500: "The server has a problem."
        case .unacceptableStatus: "The server refused the request."
        case .emptyResponse: "The response is empty."
        case .decoding: "The response can't be read."
        case .interceptor(let error as any LocalizedError): error.localizedDescription
        case .interceptor: "The request failed."
        }
    }

    private static func sentence(for code: URLError.Code) -> String {
        switch code {
        case .notConnectedToInternet, .dataNotAllowed: "There is no internet connection."
        case .timedOut: "The server didn't respond in time."
        case .cannotFindHost, .cannotConnectToHost: "The server can't be reached."
        // The platform's errors about files: NSURLErrorCannotCreateFile and below.
        case _ where code.rawValue <= -3000: "The file can't be read or written."
        default: "The connection to the server failed."
        }
    }

    /// The error for developers: method, path, status, coding path, and the platform's code and text. On one line
    /// of at most 400 characters.
    public var description: String {
        // Cut first, because splitting many combining marks takes quadratic time. 400 units of UTF-16 may end in
        // the middle of a character; 401 then don't.
        let start = String(details.utf16.prefix(400)) ?? String(details.utf16.prefix(401)) ?? ""
        let lines = start.components(separatedBy: .controlCharacters.union(.newlines))
        return lines.joined(separator: " ")
    }

    /// Empty, because `dump` would print values that a decoder quotes from the response.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    private var details: String {
        switch self {
        case .invalidRequest(let part, let reason): "Invalid \(part): \(reason)."
        case .cancelled: "The request was cancelled."
        case .transport(let error): Self.details(of: error)
        case .unacceptableStatus(let response): "\(Self.answer(response))."
        case .emptyResponse(let response): "\(Self.answer(response)) without a body."
        case .decoding(let error, let response, let type):
            "\(Self.answer(response)). Decoding '\(type)' failed\(Self.details(ofDecoding: error))."
        case .interceptor(let error): "The call failed: \(error.localizedDescription)"
        }
    }

    private static func answer(_ response: ServiceResponse) -> String {
        "The server answered \(response.statusCode) for '\(response.request)'"
    }

    private static func details(of error: URLError) -> String {
        let site = error.failingURL.map { ", \(ServiceRequest.origin(of: $0))" } ?? ""
        let cause = error.userInfo[NSLocalizedDescriptionKey].map { ": \($0)" } ?? ""
        return "\(sentence(for: error.code)) (URLError \(error.code.rawValue)\(site))\(cause)"
    }

    /// Where and why decoding failed, without the decoder's words, which may quote the body.
    private static func details(ofDecoding error: any Error) -> String {
        switch error {
        case DecodingError.keyNotFound(let key, let context):
            "\(text(of: context.codingPath + [key])): the value is missing"
        case DecodingError.valueNotFound(let type, let context):
            "\(text(of: context.codingPath)): expected '\(type)' but found null"
        case DecodingError.typeMismatch(let type, let context):
            "\(text(of: context.codingPath)): the value isn't a '\(type)'"
        case DecodingError.dataCorrupted(let context):
            "\(text(of: context.codingPath)): it isn't valid, or a number doesn't fit its type"
        default: " with an error of type '\(type(of: error))'"
        }
    }

    /// A coding path as in code: ` at 'data.results[3].id'`.
    private static func text(of path: [any CodingKey]) -> String {
        guard !path.isEmpty else { return "" }
        var text = ""
        for key in path {
            if let index = key.intValue, key.stringValue == "Index \(index)" {
                text += "[\(index)]"
            } else {
                text += "." + name(of: key)
            }
        }
        return " at '\(text.drop { $0 == "." })'"
    }

    /// The name of a case, as in the enum `CodingKeys` of a type; `…` for other keys, which a server may have
    /// chosen.
    private static func name(of key: any CodingKey) -> String {
        let mirror = Mirror(reflecting: key)
        guard mirror.displayStyle == .enum, mirror.children.isEmpty else { return "…" }
        return key.stringValue
    }
}

// MARK: - Requests

/// The request of one call: a `URLRequest`, and settings for its response.
///
/// A provider creates it from a ``Service``. Interceptors can change it. To send a request that doesn't
/// belong to a service, create one from a `URLRequest` and pass it to ``ServicePipeline/send(_:)``:
/// `provider.pipeline.send(request)`.
public nonisolated struct ServiceRequest: Sendable {
    /// Decides about a redirect: returns the request that follows it, or nil to return the redirect
    /// itself. If it throws, the call fails with that error, wrapped by ``ServiceError/init(_:of:)``.
    ///
    /// - Parameters:
    ///   - next: The request that follows the redirect. The closure may change it, for example its
    ///     headers.
    ///   - redirect: The redirect. Its ``ServiceResponse/request`` is the request that was redirected.
    ///   - count: Which redirect of the call this is: 1 for the first.
    public typealias RedirectHandler =
        @Sendable (_ next: ServiceRequest, _ redirect: ServiceResponse, _ count: Int) throws ->
        ServiceRequest?

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
    /// Decides about each redirect and sees it. Default: nil, which follows redirects.
    ///
    /// Whatever it decides, at most 20 redirects are followed each time the request is sent, and never one
    /// from https to http or to a URL that isn't http or https. To add to a handler that is set already, call it in yours.
    public var onRedirect: RedirectHandler?
    /// Whether `CurlTransport` and the interceptors of ServiceProviderExtras may send the request twice. Default:
    /// nil, which lets the method and an `Idempotency-Key` decide. URLSession decides by itself. A request
    /// with an `httpBodyStream` can't be sent twice.
    public var isRepeatable: Bool?
    /// The text of the request that was redirected to this one. (A server has chosen this one's URL.)
    var originalDescription: String?
    private var options: [ObjectIdentifier: any Sendable] = [:]

    /// Creates a request that doesn't belong to a service.
    public init(_ urlRequest: URLRequest) { self.urlRequest = urlRequest }

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
        get { options[ObjectIdentifier(Key.self)].flatMap { $0 as? Key.Value } ?? Key.defaultValue }
        set { options.updateValue(newValue, forKey: ObjectIdentifier(Key.self)) }
    }

    /// Sets a header field, and replaces one with the same name.
    ///
    /// Use it instead of `URLRequest.setValue`, which refuses line breaks in values, but not in
    /// names.
    ///
    /// - Parameters:
    ///   - name: A token (RFC 9110, section 5.6.2), except `Content-Length` and `Transfer-Encoding`.
    ///   - value: Text without control characters, except tabs.
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, which names the field but not its value.
    public mutating func setHeader(_ name: String, _ value: String) throws {
        try Self.validate(header: name, value)
        urlRequest.setValue(value, forHTTPHeaderField: name)
    }

    /// Whether the request has a body that can be sent again. False for an `httpBodyStream` and an empty body.
    public var hasBody: Bool { urlRequest.httpBody?.isEmpty == false || upload != nil }
}

/// An option on a ``ServiceRequest``.
public nonisolated protocol ServiceRequestOption {
    /// The type of the option.
    associatedtype Value: Sendable
    /// The value of a request that doesn't set the option.
    static var defaultValue: Value { get }
}

nonisolated extension ServiceRequest: CustomStringConvertible, CustomReflectable {
    /// The method and the path, without the query. After a redirect, those of the first request.
    public var description: String {
        if let originalDescription { return originalDescription }
        let method = urlRequest.httpMethod ?? "GET"
        let parts = URLComponents(string: urlRequest.url?.absoluteString ?? "")
        let path = parts?.percentEncodedPath ?? ""
        // A URL inside the path may contain a password.
        let isSecret = path.contains("//") && path.contains("@")
        guard !path.isEmpty, !isSecret else { return "\(method) /" }
        return "\(method) \(path)"
    }

    /// Empty, because `dump` would print the headers and the query.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

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

nonisolated extension ServiceRequest {
    /// The request that follows a redirect; nil if the response isn't a redirect, or must not be followed.
    ///
    /// - The new URL must be http or https. A redirect from https to http isn't followed.
    /// - A 303 becomes a GET (HEAD stays HEAD), and so does a POST after a 301 or 302. Other requests keep
    ///   their method and body (RFC 9110, section 15.4).
    /// - A redirect to another origin (scheme, host or port; RFC 6454, section 4) keeps only the
    ///   headers Accept, Accept-Language, Content-Type and User-Agent, and isn't followed if the new request
    ///   still has a body. A session still adds its own stored cookies (RFC 6265, section 8.5).
    public func redirected(by response: ServiceResponse) -> ServiceRequest? {
        let code = response.statusCode
        guard Self.redirects.contains(code), !validStatusCodes.contains(code) else { return nil }
        guard let url = response.header("Location").flatMap(resolve) else { return nil }
        var next = self
        next.originalDescription = description
        next.urlRequest.url = url
        let isSameOrigin = Self.origin(of: url) == urlRequest.url.map(Self.origin)
        if !isSameOrigin {
            next.removeHeaders { !Self.harmless.contains($0) }
        }
        if Self.becomesGet(urlRequest.httpMethod, after: code) {
            next.urlRequest.httpMethod = "GET"
            next.urlRequest.httpBody = nil
            next.upload = nil
            next.removeHeaders { $0.hasPrefix("content-") }
        }
        // A stream can't be sent again.
        guard next.urlRequest.httpBodyStream == nil, isSameOrigin || !next.hasBody
        else { return nil }
        return next
    }

    private static let redirects = [301, 302, 303, 307, 308]

    /// Whether the request that follows a redirect is a GET (RFC 9110, section 15.4).
    private static func becomesGet(_ method: String?, after status: Int) -> Bool {
        switch status {
        case 303: method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }

    /// Header fields without credentials. (An allowlist, because any other field may have them.)
    private static let harmless = ["accept", "accept-language", "content-type", "user-agent"]

    /// Removes header fields by their names in lower case. Each on its own, because on Apple platforms
    /// the setter of `allHTTPHeaderFields` never removes a field.
    private mutating func removeHeaders(where matches: (String) -> Bool) {
        for name in (urlRequest.allHTTPHeaderFields ?? [:]).keys where matches(name.lowercased()) {
            urlRequest.setValue(nil, forHTTPHeaderField: name)
        }
    }

    /// Resolves a URL from a server, such as the header `Location` or a page's `next` (RFC 3986, section 5).
    ///
    /// Its percent-encoding stays as it is. Other characters that a URL can't contain are percent-encoded. User
    /// info comes from this request, and only for the same
    /// origin: a server must not choose credentials.
    ///
    /// - Returns: Nil if the URL isn't http or https, has no host, or leads from https to http.
    public func resolve(_ location: String) -> URL? {
        guard let base = urlRequest.url, let url = Self.url(location, relativeTo: base),
            var parts = Self.httpComponents(of: url.absoluteString)
        else { return nil }
        parts.scheme = parts.scheme?.lowercased()
        guard parts.scheme == "https" || !isSecure else { return nil }
        let isSameOrigin = Self.origin(of: url) == Self.origin(of: base)
        let own = isSameOrigin ? URLComponents(string: base.absoluteString) : nil
        parts.percentEncodedUser = own?.percentEncodedUser
        parts.percentEncodedPassword = own?.percentEncodedPassword
        // URLComponents drops a host that it can't decode, such as `xn--`.
        guard let resolved = parts.url, Self.isHTTP(resolved) else { return nil }
        return resolved
    }

    /// Reads a URL from outside the app, such as a link in a JSON body.
    ///
    /// Its percent-encoding stays as it is. Other characters that a URL can't contain are percent-encoded.
    /// (Foundation's `URL(string:)` also encodes each `%` again.) To request
    /// the URL, return its `absoluteString` as ``Service/baseURL`` with an empty path.
    ///
    /// - Returns: Nil if the text can't be a URL.
    public static func url(_ text: String, relativeTo base: URL? = nil) -> URL? {
        // Foundation encodes everything again if one character isn't legal.
        URL(string: ServicePercentEncoding.encodeIllegal(text), relativeTo: base)?.absoluteURL
    }

    /// The origin of a URL: scheme, host and port (RFC 6454, section 4), such as `https://example.com:443`.
    public static func origin(of url: URL) -> String {
        let parts = URLComponents(string: url.absoluteString)
        let scheme = parts?.scheme?.lowercased() ?? ""
        let port = parts?.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(parts?.encodedHost?.lowercased() ?? ""):\(port)"
    }
}

// MARK: - Responses

/// An HTTP response: status, headers and body.
public nonisolated struct ServiceResponse: Sendable {
    /// The request that the server answered: the last one, after redirects. Without its ``ServiceRequest/upload``.
    public var request: ServiceRequest
    /// The status code, such as 200.
    public let statusCode: Int
    /// The body. Empty for a response without a body.
    public var data: Data
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
        self.request = request
        self.statusCode = statusCode
        self.data = data
        makeHeaders = headers
    }

    /// The header fields. These names are case-sensitive; ``header(_:)`` ignores case.
    public var headers: [String: String] { makeHeaders() }

    /// The value of a header field; nil if the response doesn't have it. The case of the name
    /// doesn't matter.
    public func header(_ name: String) -> String? {
        let key = name.lowercased()
        return headers.first { $0.key.lowercased() == key }?.value
    }

    /// The response; nil if it has no body.
    var nonEmpty: ServiceResponse? { data.isEmpty ? nil : self }

    /// The body as UTF-8 text. Nil if the bytes aren't valid.
    public var text: String? { String(data: data, encoding: .utf8) }

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
    public func decode<U: Decodable>(_: U.Type) throws -> U {
        if data.isEmpty, U.self != Data.self {
            guard let none = Any?.none as? U else { throw ServiceError.emptyResponse(self) }
            return none
        }
        let decoder = request.decoder ?? JSONDecoder()
        do {
            return try decoder.decode(U.self, from: self)
        } catch {
            throw ServiceError.decoding(error, self, as: "\(U.self)")
        }
    }

    /// Decodes the body with the call's decoder, off the caller's actor.
    ///
    /// - Throws: The same errors as ``decode(_:)``.
    @concurrent public func decodeConcurrently<U: Decodable & SendableMetatype>(
        _ type: U.Type
    ) async throws -> sending U {
        try decode(type)
    }

    /// The status codes that count as success by default: 200 to 299.
    public static let successfulStatusCodes = Set(200...299)
}

nonisolated extension ServiceResponse: CustomStringConvertible, CustomReflectable {
    /// The status, the size, and the method and path of the request.
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
    /// The default implementation returns the body for `Data`, and its UTF-8 text for `String`. Other types
    /// are decoded from the body.
    ///
    /// - Throws: Any error; the call throws it inside ``ServiceError/decoding(_:_:as:)``.
    func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U
}

nonisolated extension ServiceDecoder {
    /// Returns the body for `Data` and the text for `String`; decodes other types from the body.
    public func decode<U: Decodable>(_ type: U.Type, from response: ServiceResponse) throws -> U {
        if let data = response.data as? U { return data }
        guard type == String.self || type == String?.self else {
            return try decode(type, from: response.data)
        }
        guard let text = response.text, let value = text as? U else {
            throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "not UTF-8"))
        }
        return value
    }
}

nonisolated extension JSONDecoder: ServiceDecoder {}
nonisolated extension PropertyListDecoder: ServiceDecoder {}

// MARK: - Interceptors and transports

/// Runs requests: interceptors, transport, redirects, status check.
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

    /// Sends a request and checks the status of its response.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        var request = request
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
            throw ServiceError(request.reportable(error))
        }
    }

    /// The interceptors, and then the transport with its redirects.
    @inline(never) private func chain() -> ServiceNext {
        var next: ServiceNext = { try await follow($0) }
        for interceptor in interceptors.reversed() {
            next = { [next] in try await interceptor.intercept($0, next: next) }
        }
        return next
    }

    /// Sends a request, and follows up to 20 redirects, as browsers do.
    @concurrent private func follow(_ request: ServiceRequest) async throws -> ServiceResponse {
        var request = request
        var hop = 1
        while true {
            let response = try await exchange(request)
            guard let next = try request.next(after: response, hop: hop) else { return response }
            request = next
            hop += 1
        }
    }

    /// Sends one request with the transport.
    private func exchange(_ request: ServiceRequest) async throws -> ServiceResponse {
        let opened = try request.openingBody()
        do {
            var response = try await transport.send(opened)
            // With its body closed, so that interceptors can send it again.
            response.request.urlRequest = request.urlRequest
            return response
        } catch {
            throw opened.reportable(error)
        }
    }
}

// The functions with `@inline(never)`: inlined, their variables would take memory in each call that waits.
nonisolated extension ServiceRequest {
    /// The request that follows a redirect; nil if the response isn't one, or must not be followed.
    @inline(never) func next(after redirect: ServiceResponse, hop: Int) throws -> Self? {
        guard hop <= 20, var next = redirect.request.redirected(by: redirect) else { return nil }
        if let onRedirect {
            guard let decided = try onRedirect(next, redirect, hop) else { return nil }
            next = decided
        }
        guard next.isSecure || !isSecure else { return nil }
        return next
    }

    var isSecure: Bool { urlRequest.url?.scheme?.lowercased() == "https" }

    /// The valid request, with its body opened for a transport.
    @inline(never) fileprivate func openingBody() throws -> ServiceRequest {
        try validate()
        guard let upload else { return self }
        let body = try ServiceError.wrapping(.body) { try upload() }
        var request = self
        request.urlRequest.httpBodyStream = body.stream
        request.urlRequest.setValue("\(body.size)", forHTTPHeaderField: "Content-Length")
        return request
    }

    /// The error to report: that of the body's stream if it has failed; else the error. A `URLError` keeps only
    /// the scheme, host and port of its URL. (On Linux, it sometimes has no URL.)
    @inline(never) func reportable(_ error: any Error) -> any Error {
        // Foundation on Linux traps when `streamError` is read and there is none.
        let stream = urlRequest.httpBodyStream
        if stream?.streamStatus == .error, let cause = stream?.streamError {
            return ServiceError(cause, of: .body)
        }
        guard let error = error as? URLError else { return error }
        let url = error.failingURL ?? urlRequest.url
        var info: [String: Any] = [:]
        info[NSURLErrorFailingURLErrorKey] = url.flatMap { URL(string: Self.origin(of: $0)) }
        // The reason for a missing network. The text and the reason have no URL.
        for key in [NSLocalizedDescriptionKey, "NSURLErrorNetworkUnavailableReasonKey"] {
            info[key] = error.userInfo[key]
        }
        // Without the user info of the cause, which may have the URL.
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        info[NSUnderlyingErrorKey] = cause.map { NSError(domain: $0.domain, code: $0.code) }
        return URLError(error.code, userInfo: info)
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
///   repeatable (URLSession decides by itself);
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

    /// A part of the request's body has been sent.
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

    /// The body is complete, or the transfer has failed. Called once after each `begin` that didn't throw; without
    /// a successful response, neither is called.
    func end(_ error: (any Error)?)
}

/// Where the body of a successful response goes.
///
/// - `memory`: to ``ServiceResponse/data``. The sink only watches.
/// - `sink`: to the sink.
/// - `stream`: to the sink. The response is returned as soon as its headers have arrived. From then on, only
///   ``ServiceTransferControl/cancel`` stops the transfer, even if the call throws. So call it when the reader goes
///   away.
public nonisolated enum ServiceBodyDestination: Sendable { case memory, sink, stream }

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

/// Collects the events of one transfer and builds the response. Every transport uses one.
///
/// Call its methods in order, from one thread at a time.
public nonisolated final class ServiceResponseBuilder {
    let request: ServiceRequest
    private let control: ServiceTransferControl
    private(set) var response: ServiceResponse?
    private var sink: (any ServiceBodySink)?

    /// Creates a builder for the response to a request.
    public init(for request: ServiceRequest, control: ServiceTransferControl) {
        self.request = request
        self.control = control
    }

    /// A part of the request's body has been sent. `sent` is the number of bytes so far.
    public func didSend(_ sent: Int64) { request.bodySink?.didSend(sent) }

    /// The status and the headers have arrived. They replace earlier ones: an informational response (103)
    /// may come first.
    ///
    /// - Returns: The response to return now, if the sink streams the body; otherwise nil.
    /// - Throws: The sink's error. The transport must then stop the transfer.
    public func didReceive(_ head: ServiceResponse) throws -> ServiceResponse? {
        response = head
        sink = nil
        guard head.statusCode >= 200, request.validStatusCodes.contains(head.statusCode)
        else { return nil }
        guard let sink = request.bodySink else { return nil }
        try sink.begin(head, control: control)
        self.sink = sink
        guard sink.destination == .stream else { return nil }
        return head
    }

    /// A chunk of the body has arrived.
    ///
    /// - Throws: The sink's error. The transport must then stop the transfer.
    public func didReceive(_ chunk: Data) throws {
        try sink?.receive(chunk)
        guard sink == nil || sink?.destination == .memory else { return }
        response?.data.append(chunk)
    }

    /// The transfer has ended.
    ///
    /// - Throws: The error, or a `URLError` if no HTTP response arrived.
    public func end(_ error: (any Error)?) throws -> ServiceResponse {
        sink?.end(error.map(request.reportable))
        guard error == nil, let response else { throw error ?? URLError(.badServerResponse) }
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

    /// Creates a transport with its own session, which ends with the transport.
    ///
    /// - Parameter configuration: Default: `URLSessionConfiguration.default`. Don't put credentials into
    ///   `httpAdditionalHeaders`: they are sent to every host that a redirect names. Cookies are sent to
    ///   all ports of their host. On Linux, `urlCache` isn't used: URLSession's cache can return
    ///   the response of a URL with a different query, and can crash the process.
    public init(configuration: URLSessionConfiguration = .default) {
        session = URLSessionCallDelegate.makeSession(configuration)
        isOwner = true
    }

    /// Creates a transport with your session, which it never invalidates.
    ///
    /// On Apple platforms, your session's delegate handles authentication challenges and metrics. The
    /// transport creates its own session, without your delegate, only if the delegate queue is concurrent.
    /// On Linux, it always does: URLSession delivers data to the session's delegate, never to a task's
    /// delegate.
    public init(session: URLSession) {
        self.session = URLSessionCallDelegate.serialSession(like: session)
        isOwner = self.session !== session
    }

    deinit {
        if isOwner { session.finishTasksAndInvalidate() }
    }

    /// Sends a request. On Linux, timeouts are rounded up to whole seconds.
    ///
    /// - Throws: The sink's error, or a `URLError`: `.cancelled` for a cancelled task,
    ///   `.cannotLoadFromNetwork` for a background session, which doesn't call the delegates of tasks.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        let isBackground = session.configuration.identifier != nil
        guard !isBackground else { throw URLError(.cannotLoadFromNetwork) }
        let call = URLSessionCallDelegate()
        let task = session.dataTask(with: URLSessionCallDelegate.prepared(request.urlRequest))
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

/// The delegate of one call's task.
///
/// On Linux, a session only calls its own delegate, which is one without a call. So each callback looks up the
/// delegate of its task.
nonisolated final class URLSessionCallDelegate: NSObject, URLSessionDataDelegate {
    typealias Continuation = CheckedContinuation<ServiceResponse, any Error>

    private let lock = NSLock()
    // Safe because the next two are only used under the lock.
    /// The task, until someone ends it or it has ended.
    nonisolated(unsafe) private var runningTask: URLSessionTask?
    /// The error that ended the transfer.
    nonisolated(unsafe) private var failure: (any Error)?
    // Safe because the others are set before the task starts, and then only used by its callbacks, which come
    // one after another.
    nonisolated(unsafe) private var continuation: Continuation?
    /// Nil before the call starts and after it has ended.
    nonisolated(unsafe) private var builder: ServiceResponseBuilder?

    func start(_ task: URLSessionTask, _ request: ServiceRequest, _ caller: Continuation) {
        let cancel = { @Sendable in self.end(with: URLError(.cancelled)) }
        let control = ServiceTransferControl(cancel: cancel, pause: Self.pause(task))
        builder = ServiceResponseBuilder(for: request, control: control)
        continuation = caller
        task.delegate = self
        lock.withLock { runningTask = task }
        // A cancellation before this didn't find the task.
        if Task.isCancelled { takeRunningTask()?.cancel() }
        // Resume even a cancelled task: otherwise it stays in the session.
        task.resume()
    }

    /// Cancels the task once, on another thread: cancelling twice crashes the process on Linux, and the
    /// task's `cancel()` waits for the session's queue, which may wait for the caller.
    func cancel() { DispatchQueue.global().async { self.takeRunningTask()?.cancel() } }

    /// Ends the call with an error, even if the rest of the response arrives first.
    private func end(with error: any Error) {
        lock.withLock { failure = failure ?? error }
        cancel()
    }

    /// Returns the task to the first caller, which must then end it.
    func takeRunningTask() -> URLSessionTask? { lock.withLock { runningTask.take() } }

    /// The delegate of a task. On Apple platforms, a task that has ended may have lost its delegate, and this is
    /// the one. On Linux, this may be the session's delegate, which ignores callbacks.
    func delegate(of task: URLSessionTask) -> URLSessionCallDelegate {
        task.delegate as? URLSessionCallDelegate ?? self
    }

    /// Passes an event to the builder of a task, unless its call has failed. The session's callbacks for a
    /// task come one after another, so the builder needs no lock.
    ///
    /// - Returns: The result of the change; nil if the call has failed.
    @discardableResult
    private func update<T>(_ task: URLSessionTask, _ change: (ServiceResponseBuilder) throws -> T?)
        -> T?
    {
        let call = delegate(of: task)
        let hasFailed = call.lock.withLock { call.failure != nil }
        guard let builder = call.builder, !hasFailed else { return nil }
        do {
            return try change(builder)
        } catch {
            call.end(with: error)
            return nil
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let streamed = update(dataTask) { builder in
            try ServiceResponse(response, to: builder.request).flatMap(builder.didReceive)
        }
        if let streamed {
            delegate(of: dataTask).continuation.take()?.resume(returning: streamed)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        update(dataTask) { builder in try builder.didReceive(data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytes: Int64,
        totalBytesSent total: Int64, totalBytesExpectedToSend _: Int64
    ) {
        update(task) { builder in builder.didSend(total) }
    }

    /// The provider follows redirects, the same way on every platform.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        refuseRedirect(of: task, completionHandler)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        completionHandler(update(task) { builder in try Self.newBody(builder.request) })
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let call = delegate(of: task)
        guard let builder = call.builder.take() else { return }
        // It has ended, so it can't be cancelled anymore.
        _ = call.takeRunningTask()
        let failure = call.lock.withLock { call.failure }
        let result = Swift.Result {
            // URLSession on Linux doesn't report the response of a redirect that it can't follow.
            if error == nil, builder.response == nil,
                let head = ServiceResponse(task.response, to: builder.request)
            {
                _ = try builder.didReceive(head)
            }
            return try builder.end(failure ?? error.map(Self.transportError))
        }
        call.continuation.take()?.resume(with: result)
    }

    /// Returns a `URLError` for an error of URLSession, so that it is retried like other transport errors. When an
    /// app returns from the background, its connections are lost, and some calls fail with an error of the domain
    /// `NSPOSIXErrorDomain` or `kCFErrorDomainCFNetwork`.
    private static func transportError(_ error: any Error) -> any Error {
        guard !(error is URLError), !(error is CancellationError) else { return error }
        let cause = error as NSError
        // On Linux, a URLProtocol's `NSError` isn't cast to a `URLError`.
        let known = cause.domain == NSURLErrorDomain ? URLError.Code(rawValue: cause.code) : nil
        return URLError(known ?? .networkConnectionLost, userInfo: [NSUnderlyingErrorKey: cause])
    }
}

nonisolated extension ServiceResponse {
    /// Nil if the response isn't an HTTP response.
    fileprivate init?(_ response: URLResponse?, to request: ServiceRequest) {
        guard let http = response as? HTTPURLResponse else { return nil }
        // A cast from `Any` adds less to an app than one that the compiler specializes.
        let headers = (http.allHeaderFields as Any) as? [String: String] ?? [:]
        self.init(request: request, statusCode: http.statusCode, headers: headers)
    }
}

#if canImport(FoundationNetworking)
/// Workarounds for URLSession on Linux (swift-corelibs-foundation).
nonisolated extension URLSessionCallDelegate {
    static func makeSession(_ configuration: URLSessionConfiguration) -> URLSession {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        let seconds = wholeSeconds(configuration.timeoutIntervalForRequest)
        configuration.timeoutIntervalForRequest = seconds
        configuration.urlCache = nil
        return URLSession(
            configuration: configuration, delegate: URLSessionCallDelegate(),
            delegateQueue: InlineQueue())
    }

    /// URLSession delivers data to the session's delegate, never to a task's delegate.
    static func serialSession(like session: URLSession) -> URLSession {
        makeSession(session.configuration)
    }

    /// URLSession drops fractions, and traps on infinity and NaN. What isn't above 0 becomes its default, 60.
    private static func wholeSeconds(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds.rounded(.up), ServiceRequest.maximumTimeout) : 60
    }

    static func prepared(_ request: URLRequest) -> URLRequest {
        var request = request
        let seconds = wholeSeconds(request.timeoutInterval)
        // Setting a timeout overrides the session's, so set it only if it changes.
        if seconds != request.timeoutInterval { request.timeoutInterval = seconds }
        // URLSession would send a stream in chunks, in spite of its Content-Length. With this header it
        // doesn't, and libcurl leaves out a header that has only spaces.
        if request.value(forHTTPHeaderField: "Content-Length") != nil {
            request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
        }
        return request
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
    func refuseRedirect(of task: URLSessionTask, _ completionHandler: (URLRequest?) -> Void) {
        if delegate(of: task).takeRunningTask() != nil {
            completionHandler(nil)
        }
    }

    /// A Basic challenge without a credential never ends, not even after the timeout. So the 401
    /// that came before it is the response, and the challenge is cancelled.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard delegate(of: task).takeRunningTask() != nil else { return }
        urlSession(session, task: task, didCompleteWithError: nil)
        // Safe because nothing else calls the handler. The handler waits for this method's queue,
        // so call it on another one.
        nonisolated(unsafe) let handler = completionHandler
        DispatchQueue.global().async { handler(.cancelAuthenticationChallenge, nil) }
    }
}

/// Runs operations immediately, on the session's own queue. Otherwise 100 MB and more of a large download
/// wait in memory for the delegate.
private nonisolated final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

#else

nonisolated extension URLSessionCallDelegate {
    static func makeSession(_ configuration: URLSessionConfiguration) -> URLSession {
        URLSession(configuration: configuration)
    }

    /// A concurrent queue would call the delegate in parallel.
    static func serialSession(like session: URLSession) -> URLSession {
        guard session.delegateQueue.maxConcurrentOperationCount == 1
        else { return makeSession(session.configuration) }
        return session
    }

    static func prepared(_ request: URLRequest) -> URLRequest { request }

    static func pause(_ task: URLSessionTask) -> (@Sendable (Bool) -> Void)? {
        { $0 ? task.suspend() : task.resume() }
    }

    static func newBody(_ request: ServiceRequest) throws -> InputStream? {
        guard let body = try request.upload?() else { return nil }
        let size = request.urlRequest.value(forHTTPHeaderField: "Content-Length")
        try ServiceError.require("\(body.size)" == size, .body, "its size has changed")
        return body.stream
    }

    func refuseRedirect(of task: URLSessionTask, _ completionHandler: (URLRequest?) -> Void) {
        completionHandler(nil)
    }
}
#endif
