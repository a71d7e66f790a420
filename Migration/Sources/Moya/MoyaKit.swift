// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Runs endpoint code that was written for Moya 15 on ServiceProvider. Use it in one of
// three ways:
//
// - Depend on the product `Moya` of the package in ServiceProvider's folder `Migration`. Your code
//   stays as it is, with `import Moya`. For `import Alamofire`, add the product `Alamofire`.
// - Copy this file into a target of your own named `Moya`, and compile it with `-D MOYA_MODULE`.
// - Copy this file into your app, and remove `import Moya`.
//
// The file needs the products ServiceProvider, ServiceProviderExtras and ServiceProviderTransfers.
// To move on, conform one target at a time to `Service`, and load it with a `ServiceProvider`.
// Delete this file when no target is left.
//
// Missing are, of Moya: `CredentialsPlugin`, the `stream` of a form's part, `stubRequest`, `requestNormal` and
// `inflightRequests` of a provider, what `trackInflights` does, `sessionHeaders`, `authenticate` and `cURLDescription` of
// a `RequestType`, `Endpoint` as a `Hashable`, `convertResponseToResult`, `RequestMultipartFormData`, the properties of a
// log and ReactiveSwift. (CombineMoya.swift has the parts for Combine. The README of `Migration` says how to use RxMoya.) Of
// Alamofire: `AF` and other requests without a target, `RequestAdapter` and `RequestRetrier` alone, `RetryPolicy`,
// `Interceptor`, `AuthenticationInterceptor`, `EventMonitor`, `SessionDelegate`, `ServerTrustManager`, the `custom`
// encodings of `URLEncoding`, and other members and parameters of `Session`, `Request` and `AFError`. (The README of
// `Migration` says what to write instead.)
//
// Declarations without documentation do the same as in Moya.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

#if os(macOS)
import AppKit
#elseif canImport(UIKit)
import UIKit
#endif

#if MOYA_MODULE
// Some files of an app import only Moya. Only the types that Moya's interface names are exported, because others, such
// as `Service`, would be ambiguous in an app with a type of that name in another module.
@_exported import Foundation
@_exported import struct ServiceProvider.ServiceMethod
@_exported import struct ServiceProvider.ServiceParameterEncoding
@_exported import struct ServiceProviderExtras.ServiceParameterStyle
@_exported import struct ServiceProviderTransfers.ServiceDownloadOptions

#if canImport(FoundationNetworking)
@_exported import FoundationNetworking
#endif
#endif

// MARK: - Targets

/// An endpoint. Each call reads it in the caller's isolation.
public nonisolated protocol TargetType {
    var baseURL: URL { get }
    var path: String { get }
    var method: ServiceMethod { get }
    var sampleData: Data { get }
    var task: MoyaTask { get }
    var validationType: ValidationType { get }
    var headers: [String: String]? { get }
}

nonisolated extension TargetType {
    public var sampleData: Data { Data() }
    public var validationType: ValidationType { .none }
}

/// The status codes that count as success: all, 200 to 299, 200 to 399, or a list. (An empty list stands for all.)
public nonisolated enum ValidationType: Equatable, Sendable {
    case none, successCodes, successAndRedirectCodes, customCodes([Int])

    fileprivate var codes: Set<Int>? {
        switch self {
        case .none, .customCodes([]): nil
        case .successCodes: Set(200...299)
        case .successAndRedirectCodes: Set(200...399)
        case .customCodes(let codes): Set(codes)
        }
    }
}

nonisolated extension URL {
    /// The URL of a target. An invalid URL, such as a relative one, is refused when it is sent, not when it is stubbed.
    public init<T: TargetType>(target: T) {
        let parts = RequestParts(baseURL: target.baseURL.absoluteString, path: target.path)
        if let url = try? parts.request().urlRequest.url {
            self = url
        } else if target.path.isEmpty {
            self = target.baseURL
        } else {
            self = target.baseURL.appendingPathComponent(target.path)
        }
    }
}

public nonisolated enum MoyaTask {
    case requestPlain, requestData(Data), requestJSONEncodable(any Encodable)
    case requestCustomJSONEncodable(any Encodable, encoder: JSONEncoder)
    case requestParameters(parameters: [String: Any], encoding: any ParameterEncoding)
    case requestCompositeData(bodyData: Data, urlParameters: [String: Any])
    case requestCompositeParameters(
        bodyParameters: [String: Any], bodyEncoding: any ParameterEncoding,
        urlParameters: [String: Any])
    case uploadFile(URL), uploadMultipart([MultipartFormData])
    case uploadCompositeMultipart([MultipartFormData], urlParameters: [String: Any])
    case downloadDestination(DownloadDestination)
    case downloadParameters(
        parameters: [String: Any], encoding: any ParameterEncoding, destination: DownloadDestination
    )
}

public nonisolated struct MultipartFormData {
    public enum FormDataProvider { case data(Data), file(URL) }

    public let provider: FormDataProvider, name: String, fileName, mimeType: String?

    public init(
        provider: FormDataProvider, name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        self.provider = provider
        self.name = name
        self.fileName = fileName
        self.mimeType = mimeType
    }

    fileprivate var part: ServiceBody.Part {
        switch provider {
        case .data(let data): .data(data, name: name, fileName: fileName, contentType: mimeType)
        case .file(let url) where fileName != nil && mimeType != nil:
            .file(url, name: name, fileName: fileName, contentType: mimeType)
        // As in Moya: one of them alone has no effect.
        case .file(let url): .file(url, name: name)
        }
    }
}

nonisolated extension ServiceMethod {
    public static let connect = Self(rawValue: "CONNECT"), trace = Self(rawValue: "TRACE")
    public var supportsMultipart: Bool { [.post, .put, .patch, .connect].contains(self) }
}

public typealias DownloadDestination =
    @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (
        destinationURL: URL, options: ServiceDownloadOptions
    )

nonisolated extension ServiceDownloadOptions {
    public static let createIntermediateDirectories = createFolders
    public static let removePreviousFile = overwrite
}

public nonisolated enum MultiTarget: TargetType, AccessTokenAuthorizable {
    case target(any TargetType)
    public init(_ target: any TargetType) { self = .target(target) }

    public var target: any TargetType {
        switch self {
        case .target(let target): target
        }
    }
    public var baseURL: URL { target.baseURL }
    public var path: String { target.path }
    public var method: ServiceMethod { target.method }
    public var sampleData: Data { target.sampleData }
    public var task: MoyaTask { target.task }
    public var validationType: ValidationType { target.validationType }
    public var headers: [String: String]? { target.headers }
    public var authorizationType: AuthorizationType? {
        (target as? any AccessTokenAuthorizable)?.authorizationType
    }
}

nonisolated open class Endpoint {
    public typealias SampleResponseClosure = () -> EndpointSampleResponse

    /// The URL, percent-encoded.
    public let url: String
    public let sampleResponseClosure: SampleResponseClosure, method: ServiceMethod, task: MoyaTask,
        httpHeaderFields: [String: String]?

    public init(
        url: String, sampleResponseClosure: @escaping SampleResponseClosure, method: ServiceMethod,
        task: MoyaTask, httpHeaderFields: [String: String]?
    ) {
        self.url = url
        self.sampleResponseClosure = sampleResponseClosure
        self.method = method
        self.task = task
        self.httpHeaderFields = httpHeaderFields
    }

    open func adding(newHTTPHeaderFields fields: [String: String]) -> Endpoint {
        with(task, (httpHeaderFields ?? [:]).merging(fields) { $1 })
    }

    open func replacing(task: MoyaTask) -> Endpoint { with(task, httpHeaderFields) }

    private func with(_ task: MoyaTask, _ fields: [String: String]?) -> Endpoint {
        Endpoint(
            url: url, sampleResponseClosure: sampleResponseClosure, method: method, task: task,
            httpHeaderFields: fields)
    }

    private static func validate(header name: String, value: String) throws {
        do {
            try ServiceRequest.validate(header: name, value: value)
        } catch {
            let cause = AlamofireError.urlRequestValidationFailed(reason: error)
            throw MoyaError.underlying(cause, nil)
        }
    }

    /// The request, without the body of an upload. Its URL and header fields are checked when it is sent, because a stub
    /// needs no server.
    public func urlRequest() throws -> URLRequest {
        guard let location = URL(string: url) else { throw MoyaError.requestMapping(url) }
        var request = URLRequest(url: location)
        request.httpMethod = method.rawValue
        for (name, value) in httpHeaderFields ?? [:] {
            request.setValue(value, forHTTPHeaderField: name)
            // On Linux, `URLRequest` drops a field with a line break, and later checks wouldn't see it.
            if request.value(forHTTPHeaderField: name) == nil {
                try Self.validate(header: name, value: value)
            }
        }
        do {
            try request.add(task)
        } catch let error as ServiceError {
            throw MoyaError.requestMapping("\(error)")
        }
        return request
    }
}

public nonisolated enum EndpointSampleResponse {
    case networkResponse(Int, Data), response(HTTPURLResponse, Data), networkError(NSError)
}

/// Builds a request.
private nonisolated struct RequestParts: Service {
    var baseURL = "http://localhost", path = "", method = ServiceMethod.get
    var headers: [String: String] = [:]
    var body: ServiceBody?
    var finish: (inout ServiceRequest) throws -> Void = { _ in }

    func prepare(_ request: inout ServiceRequest) throws { try finish(&request) }
    func request() throws -> ServiceRequest { try ServiceProvider().request(service: self) }
}

nonisolated extension URLRequest {
    /// Adds the parameters and the body of a task, unless the body is a file or a form.
    fileprivate mutating func add(_ task: MoyaTask) throws {
        switch task {
        case .requestData(let data): setBody(data)
        case .requestJSONEncodable(let value): try setJSON(value, Self.moyaEncoder)
        case .requestCustomJSONEncodable(let value, let encoder): try setJSON(value, encoder)
        case .requestParameters(let parameters, let encoding),
            .downloadParameters(let parameters, let encoding, _):
            try add(parameters, encoding)
        case .requestCompositeData(let data, let query):
            setBody(data)
            try add(query, URLEncoding.queryString)
        case .requestCompositeParameters(let parameters, let encoding, let query):
            try add(query, URLEncoding.queryString)
            try add(parameters, encoding)
        case .uploadCompositeMultipart(_, let query): try add(query, URLEncoding.queryString)
        case .requestPlain, .uploadFile, .uploadMultipart, .downloadDestination: break
        }
        try refuseDots()
    }

    fileprivate mutating func setBody(_ data: Data, type: String = "application/octet-stream") {
        httpBody = data
        let ownType = value(forHTTPHeaderField: "Content-Type")
        setValue(ownType ?? type, forHTTPHeaderField: "Content-Type")
    }

    /// Moya's encoder writes dates as seconds since 2001. Sorted keys give equal values equal bytes.
    private static let moyaEncoder = {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return encoder
    }()

    private mutating func setJSON(_ value: any Encodable, _ encoder: JSONEncoder) throws {
        let json = Result { try encoder.encode(value) }
            .mapError { MoyaError.encodableMapping(ServiceError($0, of: .body)) }
        setBody(try json.get(), type: "application/json")
    }

    private mutating func add(_ values: [String: Any], _ encoding: any ParameterEncoding) throws {
        self = try Result { try encoding.encode(self, with: values) }
            .mapError(MoyaError.parameterEncoding).get()
    }

    /// Refuses a path that a server may resolve to that of another endpoint. Some servers read a backslash as a slash,
    /// or ignore what follows a ";".
    fileprivate func refuseDots() throws {
        var path = URLComponents(string: url?.absoluteString ?? "")?.percentEncodedPath ?? ""
        path = path.lowercased()
        for (escape, character) in [("%2e", "."), ("%2f", "/"), ("%5c", "\\"), ("%3b", ";")] {
            path = path.replacingOccurrences(of: escape, with: character, options: .literal)
        }
        let segments = path.components(separatedBy: CharacterSet(charactersIn: "/\\;"))
        let hasDots = segments.contains(".") || segments.contains("..")
        try ServiceError.require(!hasDots, of: .path, reason: "it has a segment '.' or '..'")
    }
}

// MARK: - Parameters

public nonisolated protocol ParameterEncoding {
    func encode(_ urlRequest: any AlamofireURLRequestConvertible, with parameters: [String: Any]?)
        throws
        -> URLRequest
}

public nonisolated protocol AlamofireURLRequestConvertible {
    func asURLRequest() throws -> URLRequest
}

nonisolated extension URLRequest: AlamofireURLRequestConvertible {
    public func asURLRequest() -> URLRequest { self }
}

/// Writes parameters as a query or form. Values of other types than text, numbers, booleans, arrays and dictionaries are
/// written as their description. An Optional that is nil isn't written.
public nonisolated struct URLEncoding: ParameterEncoding, Sendable {
    /// Where the parameters go. Depending on the method: GET, HEAD and DELETE have a query, others a form.
    public enum Destination: Sendable { case methodDependent, queryString, httpBody }
    public typealias ArrayEncoding = ServiceParameterEncoding.Arrays
    public typealias BoolEncoding = ServiceParameterEncoding.Booleans
    public let destination: Destination
    private let style: ServiceParameterStyle

    public init(
        destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric
    ) {
        self.destination = destination
        style = ServiceParameterStyle(
            arrays: arrayEncoding, booleans: boolEncoding, replacing: alamofireValue)
    }

    public static let `default` = URLEncoding(),
        queryString = URLEncoding(destination: .queryString),
        httpBody = URLEncoding(destination: .httpBody)

    public func encode(
        _ urlRequest: any AlamofireURLRequestConvertible, with parameters: [String: Any]?
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        var text = try style.encode(parameters, isJSON: false)
        // Alamofire doesn't escape these.
        text = text.replacingOccurrences(of: "%2F", with: "/", options: .literal)
        text = text.replacingOccurrences(of: "%3F", with: "?", options: .literal)
        let hasQuery = ["GET", "HEAD", "DELETE"].contains(request.httpMethod ?? "GET")
        guard destination == .queryString || destination == .methodDependent && hasQuery else {
            let type = "application/x-www-form-urlencoded; charset=utf-8"
            request.setBody(Data(text.utf8), type: type)
            return request
        }
        var parts = URLComponents(string: request.url?.absoluteString ?? "")
        let queries = [parts?.percentEncodedQuery ?? "", text].filter { !$0.isEmpty }
        parts?.percentEncodedQuery = queries.isEmpty ? nil : queries.joined(separator: "&")
        request.url = parts?.url
        return request
    }
}

nonisolated extension ServiceParameterEncoding.Arrays {
    public static let noBrackets = repeated, indexInBrackets = indexed
}

/// Writes parameters as a JSON body, on one line, with sorted keys.
public nonisolated struct JSONEncoding: ParameterEncoding, Sendable {
    public static let `default` = JSONEncoding(), prettyPrinted = JSONEncoding()

    /// Creates an encoding. The options have no effect.
    public init(options: JSONSerialization.WritingOptions = []) {}

    public func encode(
        _ urlRequest: any AlamofireURLRequestConvertible, with parameters: [String: Any]?
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        let style = ServiceParameterStyle(replacing: alamofireValue)
        let text = try style.encode(parameters, isJSON: true)
        request.setBody(Data(text.utf8), type: "application/json")
        return request
    }
}

/// The value that Alamofire writes for a value.
@Sendable private nonisolated func alamofireValue(_ value: Any, isJSON: Bool) -> Any {
    let base = (value as? AnyHashable)?.base ?? value
    switch base {
    // It comes again as a Double, unless it is a boolean.
    case is NSNumber where type(of: base) is NSNumber.Type: return value
    case let number as any BinaryFloatingPoint:
        let whole = Int64(exactly: Double(number)) ?? .max
        return whole.magnitude < 1 << 53 ? whole : value
    case is String, is Bool, is any Numeric, is [String: Any], is [Any]: return value
    default:
        let isOptional = Mirror(reflecting: base).displayStyle == .optional
        return isJSON || isOptional ? value : "\(base)"
    }
}

// MARK: - Responses

#if os(macOS)
public typealias ImageType = NSImage
#elseif canImport(UIKit)
public typealias ImageType = UIImage
#endif
#if os(macOS) || canImport(UIKit)
public typealias Image = ImageType
#endif

public nonisolated final class Response: Sendable, Equatable, CustomStringConvertible,
    CustomDebugStringConvertible, CustomReflectable
{
    public let statusCode: Int
    /// The body. Empty for a download.
    public let data: Data
    public let request: URLRequest?, response: HTTPURLResponse?

    public init(
        statusCode: Int, data: Data, request: URLRequest? = nil, response: HTTPURLResponse? = nil
    ) {
        self.statusCode = statusCode
        self.data = data
        self.request = request
        self.response = response
    }

    /// - Parameter request: The request that was sent. (That of the response is another one after a redirect.)
    fileprivate convenience init(_ response: ServiceResponse, to request: URLRequest? = nil) {
        self.init(
            statusCode: response.statusCode, data: response.data,
            request: request ?? response.request.urlRequest, response: response.http)
    }

    public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }
    public var debugDescription: String { description }
    /// Empty, because `dump` would print headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    public static func == (left: Response, right: Response) -> Bool {
        left.statusCode == right.statusCode && left.data == right.data
            && left.response == right.response
    }

    public func filter(statusCodes: some RangeExpression<Int>) throws -> Response {
        guard statusCodes.contains(statusCode) else { throw MoyaError.statusCode(self) }
        return self
    }

    public func filter(statusCode: Int) throws -> Response {
        try filter(statusCodes: statusCode...statusCode)
    }

    public func filterSuccessfulStatusCodes() throws -> Response {
        try filter(statusCodes: 200...299)
    }

    public func filterSuccessfulStatusAndRedirectCodes() throws -> Response {
        try filter(statusCodes: 200...399)
    }

    public func mapJSON(failsOnEmptyData: Bool = true) throws -> Any {
        guard !data.isEmpty || failsOnEmptyData else { return NSNull() }
        return try Result {
            try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed)
        }
        .mapError { _ in MoyaError.jsonMapping(self) }.get()
    }

    #if os(macOS) || canImport(UIKit)
    public func mapImage() throws -> Image {
        guard let image = Image(data: data) else { throw MoyaError.imageMapping(self) }
        return image
    }
    #endif

    public func mapString(atKeyPath path: String? = nil) throws -> String {
        var text = String(data: data, encoding: .utf8)
        if let path {
            text = try value(at: path) as? String
        }
        guard let text else { throw MoyaError.stringMapping(self) }
        return text
    }

    public func map<D: Decodable>(
        _ type: D.Type, atKeyPath path: String? = nil, using decoder: JSONDecoder = JSONDecoder(),
        failsOnEmptyData: Bool = true
    ) throws -> D {
        for empty in ["{}", "[{}]"] where data.isEmpty && !failsOnEmptyData {
            if let value = try? decoder.decode(D.self, from: Data(empty.utf8)) {
                return value
            }
        }
        do {
            let value = try path.flatMap { try jsonValue(at: $0, failsOnEmptyData) }
            return try decoder.decode(D.self, from: value ?? data)
        } catch {
            throw error as? MoyaError ?? .objectMapping(error, self)
        }
    }

    /// The JSON at a path of keys. Nil if it's missing, and that isn't a failure.
    private func jsonValue(at path: String, _ failsOnEmptyData: Bool) throws -> Data? {
        guard let value = try value(at: path, failsOnEmptyData) else {
            guard failsOnEmptyData else { return nil }
            throw MoyaError.jsonMapping(self)
        }
        return try JSONSerialization.data(withJSONObject: value, options: .fragmentsAllowed)
    }

    /// The value at a path of keys. Nil if it's missing, or the body isn't an object.
    private func value(at path: String, _ failsOnEmptyData: Bool = true) throws -> Any? {
        guard let object = try mapJSON(failsOnEmptyData: failsOnEmptyData) as? [String: Any] else {
            return nil
        }
        return path.split(separator: ".").reduce(object) { value, key in
            value.flatMap { Self.member(String(key), of: $0) }
        }
    }

    /// The value of a key. For a list, those of its elements.
    private static func member(_ key: String, of value: Any) -> Any? {
        guard let elements = value as? [Any] else { return (value as? [String: Any])?[key] }
        return elements.map { member(key, of: $0) ?? NSNull() }
    }
}

public nonisolated enum MoyaError: Error {
    case imageMapping(Response), jsonMapping(Response), stringMapping(Response)
    case objectMapping(any Error, Response), encodableMapping(any Error), statusCode(Response)
    // The call failed with an AFError, or with the error of a ServiceInterceptor.
    case underlying(any Error, Response?)
    case requestMapping(String), parameterEncoding(any Error)
    public var response: Response? { parts.response }
    fileprivate var cause: (any Error)? { parts.cause }

    private var parts: (cause: (any Error)?, response: Response?) {
        switch self {
        case .imageMapping(let response), .jsonMapping(let response), .stringMapping(let response),
            .statusCode(let response):
            (nil, response)
        case .objectMapping(let error, let response): (error, response)
        case .underlying(let error, let response): (error, response)
        case .encodableMapping(let error), .parameterEncoding(let error): (error, nil)
        case .requestMapping: (nil, nil)
        }
    }

    /// - Parameter sent: The request that was sent. Default: nil, which uses that of the response.
    fileprivate init(_ error: ServiceError, sent: URLRequest? = nil) {
        switch error {
        case .interceptor(let cause): self = cause as? MoyaError ?? .underlying(cause, nil)
        case .transport(let cause):
            self = .underlying(AlamofireError.sessionTaskFailed(error: cause), nil)
        case .cancelled: self = .underlying(AlamofireError.explicitlyCancelled, nil)
        case .unacceptableStatus(let response):
            let reason = AlamofireError.ResponseValidationFailureReason
                .unacceptableStatusCode(code: response.statusCode)
            let cause = AlamofireError.responseValidationFailed(reason: reason)
            self = .underlying(cause, Response(response, to: sent))
        case .invalidRequest, .file:
            self = .underlying(AlamofireError.urlRequestValidationFailed(reason: error), nil)
        case .decoding, .emptyResponse:
            self = .underlying(error, error.response.map { Response($0, to: sent) })
        }
    }
}

nonisolated extension MoyaError: LocalizedError, CustomNSError, CustomStringConvertible,
    CustomReflectable
{
    public var errorDescription: String? {
        switch self {
        case .imageMapping, .jsonMapping, .stringMapping: "The response can't be read."
        case .statusCode(let response): "The server answered \(response.statusCode)."
        // Not its text, which may be a URL with a secret.
        case .requestMapping: "The endpoint can't be turned into a request."
        default: cause?.localizedDescription
        }
    }

    /// The sentence, and the underlying error. (The error code is the position of the case.)
    public var errorUserInfo: [String: Any] {
        var info: [String: Any] = [:]
        info[NSLocalizedDescriptionKey] = errorDescription
        info[NSUnderlyingErrorKey] = cause
        return info
    }

    /// The same sentence, because `print` would show values that a body has in place of others.
    public var description: String { localizedDescription }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An error of Alamofire, as Moya passes it on in `.underlying`. A call may fail with `sessionTaskFailed` (a `URLError`), `responseValidationFailed`, `explicitlyCancelled`,
/// `requestAdaptationFailed`, `requestRetryFailed`, `downloadedFileMoveFailed`, `createUploadableFailed` for a file, and
/// `urlRequestValidationFailed`, for example for a GET with a body. The other cases are here for a `switch`.
public nonisolated enum AlamofireError: Error {
    public enum ResponseValidationFailureReason: Sendable {
        case unacceptableStatusCode(code: Int), customValidationFailed(error: any Error)
    }

    case createUploadableFailed(error: any Error), createURLRequestFailed(error: any Error)
    case downloadedFileMoveFailed(error: any Error, source: URL, destination: URL)
    case explicitlyCancelled, invalidURL(url: any Sendable)
    case multipartEncodingFailed(reason: any Error), parameterEncodingFailed(reason: any Error)
    case parameterEncoderFailed(reason: any Error), requestAdaptationFailed(error: any Error)
    case requestRetryFailed(retryError: any Error, originalError: any Error)
    case responseValidationFailed(reason: ResponseValidationFailureReason)
    case responseSerializationFailed(reason: any Error)
    case serverTrustEvaluationFailed(reason: any Error)
    case sessionDeinitialized, sessionInvalidated(error: (any Error)?)
    case sessionTaskFailed(error: any Error), urlRequestValidationFailed(reason: any Error)

    public var underlyingError: (any Error)? {
        switch self {
        case .createUploadableFailed(let error), .createURLRequestFailed(let error),
            .downloadedFileMoveFailed(let error, _, _), .multipartEncodingFailed(let error),
            .parameterEncodingFailed(let error), .parameterEncoderFailed(let error),
            .requestAdaptationFailed(let error), .requestRetryFailed(let error, _),
            .responseValidationFailed(.customValidationFailed(let error)),
            .responseSerializationFailed(let error), .serverTrustEvaluationFailed(let error),
            .sessionTaskFailed(let error), .urlRequestValidationFailed(let error):
            error
        case .sessionInvalidated(let error): error
        case .explicitlyCancelled, .invalidURL, .responseValidationFailed, .sessionDeinitialized:
            nil
        }
    }
}

nonisolated extension AlamofireError: LocalizedError {
    public var errorDescription: String? {
        switch self {
        case .responseValidationFailed(.unacceptableStatusCode(let code)):
            "The server answered \(code)."
        case .explicitlyCancelled: ServiceError.cancelled.localizedDescription
        // Not the text, which may have a secret.
        case .invalidURL: "The URL isn't valid."
        default: underlyingError?.localizedDescription ?? "The session has ended."
        }
    }
}

// MARK: - Plugins

/// Watches and changes calls.
///
/// `prepare` and `willSend` run before each attempt, after the session's `RequestInterceptor`, as in Moya. `didReceive`
/// and `process` run once. All run on the handler's queue, which is the main queue by default. For a stub, the first two
/// run in the caller's isolation, unless the provider's `requestClosure` calls back later.
public nonisolated protocol PluginType {
    func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest
    func willSend(_ request: any RequestType, target: any TargetType)
    func didReceive(_ result: MoyaResult, target: any TargetType)
    func process(_ result: MoyaResult, target: any TargetType) -> MoyaResult
}

nonisolated extension PluginType {
    public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest { request }
    public func willSend(_ request: any RequestType, target: any TargetType) {}
    public func didReceive(_ result: MoyaResult, target: any TargetType) {}
    public func process(_ result: MoyaResult, target: any TargetType) -> MoyaResult { result }
}

public nonisolated protocol RequestType {
    var request: URLRequest? { get }
}

nonisolated extension ServiceRequest: RequestType {
    public var request: URLRequest? { urlRequest }
}

public nonisolated protocol AccessTokenAuthorizable {
    var authorizationType: AuthorizationType? { get }
}

/// The kind of a token: the word in front of it. The word may be empty.
public nonisolated enum AuthorizationType: Equatable, Sendable {
    case basic, bearer, custom(String)

    public var value: String {
        switch self {
        case .basic: "Basic"
        case .bearer: "Bearer"
        case .custom(let value): value
        }
    }
}

public nonisolated struct AccessTokenPlugin: PluginType {
    public typealias TokenClosure = (any TargetType) -> String
    private let token: TokenClosure
    public init(tokenClosure: @escaping TokenClosure) { token = tokenClosure }

    public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        guard let type = (target as? any AccessTokenAuthorizable)?.authorizationType else {
            return request
        }
        var request = request
        let inner = (target as? MultiTarget)?.target ?? target
        let text = "\(type.value) \(token(inner))"
        // On Linux, `URLRequest` drops a field with a line break.
        let value = text.trimmingCharacters(in: .whitespacesAndNewlines)
        request.setValue(value, forHTTPHeaderField: "Authorization")
        return request
    }
}

public nonisolated enum NetworkActivityChangeType: Sendable { case began, ended }

public nonisolated struct NetworkActivityPlugin: PluginType {
    public typealias NetworkActivityClosure = (
        _ change: NetworkActivityChangeType, _ target: any TargetType
    ) -> Void

    private let closure: NetworkActivityClosure

    public init(networkActivityClosure: @escaping NetworkActivityClosure) {
        closure = networkActivityClosure
    }

    public func willSend(_ request: any RequestType, target: any TargetType) {
        closure(.began, target)
    }

    public func didReceive(_ result: MoyaResult, target: any TargetType) {
        closure(.ended, target)
    }
}

/// Logs calls, with `***` in place of secrets. (Formatters get bodies as they are.)
public nonisolated final class NetworkLoggerPlugin: PluginType {
    public struct Configuration {
        public typealias OutputType = (_ target: any TargetType, _ items: [String]) -> Void

        public struct LogOptions: OptionSet, Sendable {
            public let rawValue: Int
            public init(rawValue: Int) { self.rawValue = rawValue }
            public static let requestMethod = Self(rawValue: 1), requestBody = Self(rawValue: 2),
                requestHeaders = Self(rawValue: 4), formatRequestAscURL = Self(rawValue: 8),
                successResponseBody = Self(rawValue: 16), errorResponseBody = Self(rawValue: 32)
            public static let `default` = Self(rawValue: 5), verbose = Self(rawValue: 55)
        }

        public struct Formatter {
            public typealias DataFormatterType = (Data) -> String
            public typealias EntryFormatterType = (
                _ identifier: String, _ message: String, _ target: any TargetType
            ) -> String

            fileprivate let entry: EntryFormatterType
            fileprivate let requestData, responseData: DataFormatterType?

            public init(
                entry: @escaping EntryFormatterType = { name, text, _ in "\(name): \(text)" },
                requestData: DataFormatterType? = nil, responseData: DataFormatterType? = nil
            ) {
                self.entry = entry
                self.requestData = requestData
                self.responseData = responseData
            }
        }

        fileprivate let formatter: Formatter, output: OutputType, options: LogOptions

        public init(
            formatter: Formatter = Formatter(),
            output: @escaping OutputType = { _, items in print(items.joined(separator: "\n")) },
            logOptions: LogOptions = .default
        ) {
            self.formatter = formatter
            self.output = output
            options = logOptions
        }
    }

    private let configuration: Configuration

    public init(configuration: Configuration = Configuration()) {
        self.configuration = configuration
    }

    public static var `default`: NetworkLoggerPlugin { NetworkLoggerPlugin() }
    public static var verbose: NetworkLoggerPlugin {
        NetworkLoggerPlugin(configuration: Configuration(logOptions: .verbose))
    }

    public func willSend(_ request: any RequestType, target: any TargetType) {
        guard let sent = request.request.map({ ServiceRequest($0) }) else { return }
        let options = configuration.options
        let fields = sent.urlRequest.allHTTPHeaderFields ?? [:]
        let line = "\(sent.urlRequest.httpMethod ?? "GET") \(sent.shownURL)"
        log("Request", options.contains(.formatRequestAscURL) ? sent.curl() : line, target)
        if options.contains(.requestHeaders) {
            let lines = fields.map { "\($0): \(sent.redacting($1, ofHeader: $0))" }
            log("Request Headers", lines.sorted().joined(separator: ", "), target)
        }
        if options.contains(.requestBody), let body = sent.urlRequest.httpBody {
            let text = configuration.formatter.requestData?(body)
            log("Request Body", text ?? sent.text(body, fields["Content-Type"]), target)
        }
    }

    public func didReceive(_ result: MoyaResult, target: any TargetType) {
        var option = Configuration.LogOptions.successResponseBody
        var response = try? result.get()
        if case .failure(let error) = result {
            option = .errorResponseBody
            response = error.response
            log("Error", error.description, target)
        }
        guard let response, let sent = response.request.map({ ServiceRequest($0) }) else { return }
        log("Response", "\(response.statusCode) \(sent.shownURL)", target)
        guard configuration.options.contains(option) else { return }
        let type = response.response?.value(forHTTPHeaderField: "Content-Type")
        let text = configuration.formatter.responseData?(response.data)
        log("Response Body", text ?? sent.text(response.data, type), target)
    }

    private func log(_ name: String, _ text: String, _ target: any TargetType) {
        // Without characters that a terminal would obey.
        let scalars = text.unicodeScalars.filter { scalar in
            scalar == "\n" || ![.control, .format].contains(scalar.properties.generalCategory)
        }
        configuration.output(target, [configuration.formatter.entry(name, String(scalars), target)])
    }
}

nonisolated extension ServiceRequest {
    fileprivate var shownURL: String { redacting(url: urlRequest.url?.absoluteString ?? "") }

    /// The start of a body without its secrets, or its size. (To find secrets in a larger body would take too long.)
    fileprivate func text(_ body: Data, _ type: String?) -> String {
        let text = body.count > 1 << 20 ? nil : redacting(body, ofType: type)
        return text.map { String($0.unicodeScalars.prefix(4_096)) } ?? "\(body.count) bytes"
    }
}

public nonisolated final class Session: Sendable {
    /// The session of providers without their own. It uses `URLSessionTransport.shared`.
    public static let `default` = Session(transport: URLSessionTransport.shared)
    /// A copy of the configuration, which can't be changed. The default one if the session has a transport.
    public let sessionConfiguration: URLSessionConfiguration
    private let transport: any ServiceTransport, interceptors: [any ServiceInterceptor]
    private let interceptor: (any RequestInterceptor)?
    private let redirectHandler: (any AlamofireRedirectHandler)?
    /// Calls the interceptor and the redirect handler. Many apps have one without a lock.
    fileprivate let rootQueue = DispatchQueue(label: "ServiceProvider.Session")

    /// Creates a session. (Its providers start requests in any case.)
    public init(
        configuration: URLSessionConfiguration = .default, startRequestsImmediately: Bool = true,
        interceptor: (any RequestInterceptor)? = nil,
        redirectHandler: (any AlamofireRedirectHandler)? = nil
    ) {
        self.redirectHandler = redirectHandler
        sessionConfiguration = configuration.copy() as? URLSessionConfiguration ?? configuration
        transport = URLSessionTransport(configuration: configuration)
        interceptors = []
        self.interceptor = interceptor
    }

    /// Not in Alamofire: creates a session with a transport, and with interceptors such as `ServiceRetry()`, which run
    /// around the last one.
    public init(
        transport: any ServiceTransport, interceptors: [any ServiceInterceptor] = [],
        interceptor: (any RequestInterceptor)? = nil,
        redirectHandler: (any AlamofireRedirectHandler)? = nil
    ) {
        self.redirectHandler = redirectHandler
        sessionConfiguration = .default
        self.transport = transport
        self.interceptors = interceptors
        self.interceptor = interceptor
    }

    /// - Parameter prepared: Runs the plugins, after the session's interceptors.
    fileprivate func pipeline(_ prepared: PreparedCall) -> ServicePipeline {
        var all = interceptors
        if let interceptor {
            all.append(InterceptedCall(interceptor: interceptor, session: self))
        }
        all.append(prepared)
        if let redirectHandler {
            all.append(RedirectedCall(handler: redirectHandler, queue: rootQueue))
        }
        return ServiceProvider<RequestParts>(transport: transport, interceptors: all).pipeline
    }
}

/// Changes requests before they are sent, and decides whether they are sent again. A session calls it on one queue of
/// its own, as in Alamofire.
@preconcurrency public nonisolated protocol RequestInterceptor: Sendable {
    /// Passes the changed request, or an error, to a closure. Default: the request as it is.
    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (_ result: Result<URLRequest, any Error>) -> Void)
    /// Passes the decision about a request to a closure, if there was no response, or its status isn't valid. Default:
    /// not to send it again.
    func retry(
        _ request: AlamofireRequest, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (AlamofireRetryResult) -> Void)
}

nonisolated extension RequestInterceptor {
    public func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (_ result: Result<URLRequest, any Error>) -> Void
    ) { completion(.success(urlRequest)) }

    public func retry(
        _ request: AlamofireRequest, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (AlamofireRetryResult) -> Void
    ) { completion(.doNotRetry) }
}

/// Whether a request is sent again. An error makes the call fail with `requestRetryFailed`.
public nonisolated enum AlamofireRetryResult: Sendable {
    case retry, retryWithDelay(TimeInterval), doNotRetry, doNotRetryWithError(any Error)
}

public nonisolated final class AlamofireRequest: Sendable {
    public let request: URLRequest?, response: HTTPURLResponse?
    public let retryCount: Int
    /// In place of Alamofire's `URLSessionTask`.
    public var task: (response: URLResponse?, currentRequest: URLRequest?)? { (response, request) }

    fileprivate init(_ request: URLRequest, _ response: HTTPURLResponse?, _ retryCount: Int) {
        self.request = request
        self.response = response
        self.retryCount = retryCount
    }
}

/// A value that threads share.
private nonisolated final class Shared<Value: Sendable>: @unchecked Sendable {
    // Unchecked, because the variable is only used under the lock.
    private let lock = NSLock()
    private var stored: Value?

    var value: Value? {
        get { lock.withLock { stored } }
        set { lock.withLock { stored = newValue } }
    }
}

/// The last request of a call that was sent, as the plugins have left it.
private nonisolated enum SentRequestKey: ServiceRequestOption {
    static var defaultValue: Shared<URLRequest>? { nil }
}

nonisolated extension ServiceRequest {
    /// The last request of this call that was sent.
    fileprivate var sent: URLRequest? { self[SentRequestKey.self]?.value }
}

/// The status codes that count as success for the target. Nil for all.
private nonisolated enum CodesKey: ServiceRequestOption {
    static var defaultValue: Set<Int>? { nil }
}

/// Runs the plugins before each attempt: the innermost interceptor, as in Moya.
private nonisolated struct PreparedCall: ServiceInterceptor {
    let prepare: @Sendable (URLRequest) async throws -> URLRequest

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var attempt = request
        attempt.urlRequest = try await prepare(request.urlRequest)
        try attempt.urlRequest.refuseDots()
        attempt[SentRequestKey.self]?.value = attempt.urlRequest
        return try await next(attempt)
    }
}

/// The value that a closure gets, which is started on a queue. (With a continuation, a closure that is called twice
/// would trap, and one that is never called would keep the call from being cancelled.)
private nonisolated func value<Value: Sendable>(
    on queue: DispatchQueue,
    _ start: @escaping @Sendable (@escaping @Sendable (Value) -> Void) -> Void
) async throws -> Value {
    let (values, callback) = AsyncStream.makeStream(of: Value.self)
    queue.async {
        start { value in
            callback.yield(value)
        }
    }
    for await value in values {
        return value
    }
    throw CancellationError()
}

/// Alamofire's `RedirectHandler`: decides about each redirect, on the queue of the session's interceptor.
@preconcurrency public nonisolated protocol AlamofireRedirectHandler: Sendable {
    /// Passes the next request to a closure; nil to use the response of the redirect. The task has the request only.
    func task(
        _ task: URLSessionTask, willBeRedirectedTo request: URLRequest,
        for response: HTTPURLResponse,
        completion: @escaping @Sendable (URLRequest?) -> Void)
}

/// Follows redirects as a handler decides. No handler can leave https, as everywhere in ServiceProvider.
private nonisolated struct RedirectedCall: ServiceInterceptor {
    let handler: any AlamofireRedirectHandler
    let queue: DispatchQueue

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        var count = 0
        while true {
            request.onRedirect = { _, _, _ in nil }
            let response = try await next(request)
            count += 1
            guard count <= 20, var following = request.redirected(by: response),
                let decided = try await decision(about: following, after: response),
                Self.isSecure(decided) || !Self.isSecure(request.urlRequest)
            else { return response }
            following.urlRequest = decided
            request = following
        }
    }

    private func decision(
        about next: ServiceRequest, after response: ServiceResponse
    ) async throws -> URLRequest? {
        guard let http = response.http else { return nil }
        let task = URLSession.shared.dataTask(with: response.request.urlRequest)
        task.cancel()
        return try await value(on: queue) {
            handler.task(
                task, willBeRedirectedTo: next.urlRequest, for: http, completion: $0)
        }
    }

    private static func isSecure(_ request: URLRequest) -> Bool {
        request.url?.scheme?.lowercased() == "https"
    }
}

/// Runs a `RequestInterceptor`.
private nonisolated struct InterceptedCall: ServiceInterceptor {
    let interceptor: any RequestInterceptor
    let session: Session

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var retryCount = 0
        while true {
            var attempt = request
            var failure: MoyaError?
            let outcome: Result<ServiceResponse, any Error>
            do {
                attempt.urlRequest = try await adapted(request.urlRequest)
                let response = try await next(attempt)
                // Not `hasValidStatus`: the status of a redirect, or of a download's error, may be valid for the target.
                let isValid = request[CodesKey.self]?.contains(response.statusCode) != false
                failure =
                    isValid ? nil : MoyaError(.unacceptableStatus(response), sent: request.sent)
                outcome = .success(response)
            } catch {
                failure = MoyaError(ServiceError(error), sent: request.sent)
                outcome = .failure(error)
            }
            let sent = request.sent ?? attempt.urlRequest
            guard let failure, try await isRetried(sent, failure, retryCount) else {
                return try outcome.get()
            }
            retryCount += 1
        }
    }

    private func adapted(_ request: URLRequest) async throws -> URLRequest {
        do {
            let adapted = try await value(on: session.rootQueue) {
                interceptor.adapt(request, for: session, completion: $0)
            }
            try adapted.get().refuseDots()
            return try adapted.get()
        } catch {
            throw MoyaError.underlying(AlamofireError.requestAdaptationFailed(error: error), nil)
        }
    }

    /// Whether a request is sent again. Waits until then.
    private func isRetried(
        _ request: URLRequest, _ failure: MoyaError, _ retryCount: Int
    ) async throws -> Bool {
        guard !_Concurrency.Task.isCancelled else { return false }
        let cause = failure.cause ?? failure
        let failed = AlamofireRequest(request, failure.response?.response, retryCount)
        let decision: AlamofireRetryResult = try await value(on: session.rootQueue) {
            interceptor.retry(failed, for: session, dueTo: cause, completion: $0)
        }
        switch decision {
        case .retry: return true
        case .retryWithDelay(let seconds):
            try await ServiceClock().sleep(seconds)
            return true
        case .doNotRetry: return false
        case .doNotRetryWithError(let error):
            let error = AlamofireError.requestRetryFailed(retryError: error, originalError: cause)
            throw MoyaError.underlying(error, failure.response)
        }
    }
}

// MARK: - Header fields

/// Alamofire's `HTTPHeader`: a header field.
public nonisolated struct AlamofireHeader: Hashable, Sendable {
    public let name: String, value: String

    public init(name: String, value: String) {
        self.name = name
        self.value = value
    }

    public static func accept(_ value: String) -> Self { Self(name: "Accept", value: value) }
    public static func acceptLanguage(_ value: String) -> Self {
        Self(name: "Accept-Language", value: value)
    }
    public static func authorization(_ value: String) -> Self {
        Self(name: "Authorization", value: value)
    }
    public static func authorization(bearerToken: String) -> Self {
        authorization("Bearer \(bearerToken)")
    }
    public static func authorization(username: String, password: String) -> Self {
        let credential = Data("\(username):\(password)".utf8).base64EncodedString()
        return authorization("Basic \(credential)")
    }
    public static func contentType(_ value: String) -> Self {
        Self(name: "Content-Type", value: value)
    }
    public static func userAgent(_ value: String) -> Self { Self(name: "User-Agent", value: value) }
}

/// Alamofire's `HTTPHeaders`: header fields in order. The case of their names doesn't matter.
public nonisolated struct AlamofireHeaders: Hashable, Sendable, Sequence, ExpressibleByArrayLiteral,
    ExpressibleByDictionaryLiteral
{
    private var fields: [AlamofireHeader] = []

    /// Empty, because URLSession sets the fields that Alamofire's have.
    public static let `default` = Self()

    public init() {}
    public init(_ headers: [AlamofireHeader]) { headers.forEach { update($0) } }
    public init(_ dictionary: [String: String]) {
        dictionary.forEach { update(name: $0.key, value: $0.value) }
    }
    public init(arrayLiteral elements: AlamofireHeader...) { self.init(elements) }
    public init(dictionaryLiteral elements: (String, String)...) {
        elements.forEach { update(name: $0.0, value: $0.1) }
    }

    public mutating func add(name: String, value: String) { update(name: name, value: value) }
    public mutating func add(_ header: AlamofireHeader) { update(header) }
    public mutating func update(name: String, value: String) {
        update(AlamofireHeader(name: name, value: value))
    }
    public mutating func update(_ header: AlamofireHeader) {
        if let index = index(of: header.name) {
            fields[index] = header
        } else {
            fields.append(header)
        }
    }
    public mutating func remove(name: String) {
        if let index = index(of: name) { fields.remove(at: index) }
    }

    public func value(for name: String) -> String? { index(of: name).map { fields[$0].value } }
    public subscript(name: String) -> String? {
        get { value(for: name) }
        set {
            remove(name: name)
            if let newValue { update(name: name, value: newValue) }
        }
    }

    public var dictionary: [String: String] {
        Dictionary(fields.map { ($0.name, $0.value) }) { $1 }
    }
    public func makeIterator() -> [AlamofireHeader].Iterator { fields.makeIterator() }

    private func index(of name: String) -> Int? {
        fields.firstIndex { $0.name.lowercased() == name.lowercased() }
    }
}

// `print` and `dump` would show credentials.
nonisolated extension AlamofireHeader: CustomStringConvertible, CustomReflectable {
    public var description: String { name }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

nonisolated extension AlamofireHeaders: CustomStringConvertible, CustomReflectable {
    public var description: String { fields.map(\.name).joined(separator: ", ") }
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

nonisolated extension URLSessionConfiguration {
    /// Alamofire's configurations.
    public static var af: AlamofireConfigurations { AlamofireConfigurations() }

    public var headers: AlamofireHeaders {
        get { AlamofireHeaders(httpAdditionalHeaders as? [String: String] ?? [:]) }
        set { httpAdditionalHeaders = newValue.dictionary }
    }
}

/// The configurations in Alamofire's `af`: those of URLSession, which sets the header fields.
public nonisolated struct AlamofireConfigurations: Sendable {
    public var `default`: URLSessionConfiguration { .default }
    public var ephemeral: URLSessionConfiguration { .ephemeral }
}

nonisolated extension URLRequest {
    public var method: ServiceMethod? {
        get { httpMethod.map(ServiceMethod.init(rawValue:)) }
        set { httpMethod = newValue?.rawValue }
    }

    public var headers: AlamofireHeaders {
        get { AlamofireHeaders(allHTTPHeaderFields ?? [:]) }
        set {
            for name in (allHTTPHeaderFields ?? [:]).keys {
                setValue(nil, forHTTPHeaderField: name)
            }
            for header in newValue {
                setValue(header.value, forHTTPHeaderField: header.name)
            }
        }
    }
}

nonisolated extension HTTPURLResponse {
    public var headers: AlamofireHeaders {
        AlamofireHeaders(allHeaderFields as? [String: String] ?? [:])
    }
}

// MARK: - Provider

/// Controls whether a call is stubbed: not at all, before `request` returns (or on the call's queue), after some seconds.
public nonisolated enum StubBehavior: Equatable, Sendable {
    case never, immediate, delayed(seconds: TimeInterval)
}

public nonisolated protocol Cancellable {
    var isCancelled: Bool { get }
    /// Cancels the call. Its handler gets `.underlying(AFError.explicitlyCancelled, nil)`.
    func cancel()
}

public nonisolated final class CancellableToken: Cancellable, @unchecked Sendable {
    // Unchecked, because the variables are only used under the lock.
    private let lock = NSLock()
    private var action: (() -> Void)?
    private var wasCancelled = false
    public init(action: @escaping () -> Void) { self.action = action }
    public var isCancelled: Bool { lock.withLock { wasCancelled } }

    public func cancel() {
        let action = lock.withLock {
            defer { self.action = nil }
            wasCancelled = true
            return self.action
        }
        action?()
    }

    /// Sets the closure, and runs it if the token was cancelled already.
    fileprivate func onCancel(_ action: @escaping () -> Void) {
        lock.withLock { self.action = action }
        guard isCancelled else { return }
        cancel()
    }
}

public nonisolated struct ProgressResponse {
    public let response: Response?
    /// The bytes that were sent of a file or a form. For other tasks, those that were received.
    public let progressObject: Progress?

    public init(progress: Progress? = nil, response: Response? = nil) {
        progressObject = progress
        self.response = response
    }

    fileprivate init(_ state: ServiceProgress?, isUpload: Bool, response: Response? = nil) {
        let total = isUpload ? state?.totalToSend : state?.totalToReceive
        let object = Progress(totalUnitCount: total ?? 0)
        object.completedUnitCount = (isUpload ? state?.sent : state?.received) ?? 0
        self.init(progress: object, response: response)
    }

    /// From 0 to 1. It stays 0 while the size isn't known.
    public var progress: Double {
        if completed { return 1 }
        guard let progressObject, progressObject.totalUnitCount > 0 else { return 0 }
        return progressObject.fractionCompleted
    }
    public var completed: Bool { response != nil }
}

/// A name of this file only.
public typealias MoyaResult = Result<Response, MoyaError>
public typealias Completion = (_ result: MoyaResult) -> Void

nonisolated extension Result where Failure == MoyaError {
    /// The value of a success. (It comes from the `Result` of older versions of Moya.)
    public var value: Success? { try? get() }
    /// The error of a failure.
    public var error: MoyaError? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

/// A handler of progress. It is called on the queue of the call's handler.
public typealias ProgressBlock = (_ progress: ProgressResponse) -> Void

public nonisolated protocol MoyaProviderType: AnyObject {
    associatedtype Target: TargetType

    func request(
        _ target: Target, callbackQueue: DispatchQueue?, progress: ProgressBlock?,
        completion: @escaping Completion
    ) -> any Cancellable
}

/// Loads targets.
///
/// Unchecked, because Moya's closures and plugins aren't `Sendable`. The closures are called in the caller's isolation.
/// Plugins are called on the handler's queue, which is the main queue by default. Call the provider of a main-actor app
/// from the main actor.
nonisolated open class MoyaProvider<Target: TargetType>: MoyaProviderType, @unchecked Sendable {
    public typealias EndpointClosure = (Target) -> Endpoint
    public typealias RequestResultClosure = @Sendable (Result<URLRequest, MoyaError>) -> Void
    public typealias RequestClosure = (Endpoint, @escaping RequestResultClosure) -> Void
    public typealias StubClosure = (Target) -> StubBehavior
    public let endpointClosure: EndpointClosure, requestClosure: RequestClosure,
        stubClosure: StubClosure
    public let session: Session, plugins: [any PluginType], trackInflights: Bool
    private let callbackQueue: DispatchQueue?

    public init(
        endpointClosure: @escaping EndpointClosure = {
            MoyaProvider.defaultEndpointMapping(for: $0)
        },
        requestClosure: @escaping RequestClosure = {
            MoyaProvider.defaultRequestMapping(for: $0, closure: $1)
        },
        stubClosure: @escaping StubClosure = { _ in .never }, callbackQueue: DispatchQueue? = nil,
        session: Session = .default, plugins: [any PluginType] = [], trackInflights: Bool = false
    ) {
        self.endpointClosure = endpointClosure
        self.requestClosure = requestClosure
        self.stubClosure = stubClosure
        self.callbackQueue = callbackQueue
        self.session = session
        self.plugins = plugins
        self.trackInflights = trackInflights
    }

    open func endpoint(_ token: Target) -> Endpoint { endpointClosure(token) }

    /// Loads a target. If the request can't be built, or is stubbed immediately without a queue, the handler is called
    /// before this method returns.
    @discardableResult
    open func request(
        _ target: Target, callbackQueue: DispatchQueue? = nil, progress: ProgressBlock? = nil,
        completion: @escaping Completion
    ) -> any Cancellable {
        let endpoint = endpoint(target)
        let stub = stubClosure(target)
        let sample = stub == .never ? nil : endpoint.sampleResponseClosure()
        // Safe as in Moya: once the request is built, only the handler's queue uses it.
        nonisolated(unsafe) let call = MoyaCall(
            target: target, task: endpoint.task, codes: target.validationType.codes, stub: stub,
            sample: sample, plugins: plugins, session: session,
            queue: callbackQueue ?? self.callbackQueue, progress: progress, completion: completion)
        requestClosure(endpoint) { call.start($0) }
        return call.token
    }

    public static func defaultEndpointMapping(for target: Target) -> Endpoint {
        Endpoint(
            url: URL(target: target).absoluteString,
            sampleResponseClosure: { .networkResponse(200, target.sampleData) },
            method: target.method, task: target.task, httpHeaderFields: target.headers)
    }

    public static func defaultRequestMapping(
        for endpoint: Endpoint, closure: RequestResultClosure
    ) {
        let result = Result { try endpoint.urlRequest() }
        closure(result.mapError { $0 as? MoyaError ?? .underlying($0, nil) })
    }

    public static func defaultAlamofireSession() -> Session { .default }
    public static var neverStub: StubClosure { { _ in .never } }
    public static var immediatelyStub: StubClosure { { _ in .immediate } }
    public static func delayedStub(_ seconds: TimeInterval) -> StubClosure {
        { _ in .delayed(seconds: seconds) }
    }
}

/// One call, after its target was read.
private nonisolated struct MoyaCall {
    let target: any TargetType, task: MoyaTask, codes: Set<Int>?
    let stub: StubBehavior, sample: EndpointSampleResponse?
    let plugins: [any PluginType], session: Session
    let queue: DispatchQueue?, progress: ProgressBlock?, completion: Completion
    let token = CancellableToken {}
    private let lastProgress = Shared<ServiceProgress>()

    /// Sends a request, or uses the stub.
    func start(_ built: Result<URLRequest, MoyaError>) {
        guard !token.isCancelled else { return endBeforeSending() }
        switch built {
        // As in Moya, plugins don't see a request that can't be built.
        case .failure(let error): completion(processed(.failure(error)))
        case .success(let request):
            if let sample {
                use(sample, for: request)
            } else {
                send(request)
            }
        }
    }

    private func use(_ sample: EndpointSampleResponse, for urlRequest: URLRequest) {
        let result = response(of: sample, prepared(urlRequest))
        switch stub {
        case .delayed(let seconds): end(result, after: seconds)
        case .immediate where queue == nil: end(result)
        case .never, .immediate: end(result, after: 0)
        }
    }

    /// The request as the plugins change it. They see it, too.
    private func prepared(_ urlRequest: URLRequest) -> URLRequest {
        let request = plugins.reduce(urlRequest) { $1.prepare($0, target: target) }
        for plugin in plugins {
            plugin.willSend(ServiceRequest(request), target: target)
        }
        return request
    }

    /// The request with the task's file or form, and the settings for its response.
    private func sent(_ urlRequest: URLRequest) throws -> ServiceRequest {
        var parts = RequestParts()
        var destination: DownloadDestination?
        switch task {
        case .uploadFile(let url):
            parts.body = .file(url)
            parts.headers["Content-Type"] = urlRequest.value(forHTTPHeaderField: "Content-Type")
        case .uploadMultipart(let form), .uploadCompositeMultipart(let form, _):
            parts.body = .multipart(form.map(\.part))
        case .downloadDestination(let file), .downloadParameters(_, _, let file):
            destination = file
        default: break
        }
        parts.finish = { [codes] request in
            let body = request.urlRequest
            let type = body.value(forHTTPHeaderField: "Content-Type")
            request.urlRequest = urlRequest
            request[DownloadKey.self] = destination
            request[CodesKey.self] = codes
            if let codes {
                // Redirects are followed, whatever the target says.
                request.validStatusCodes = codes.subtracting(redirects)
            } else {
                request.acceptsAnyStatus = true
            }
            guard let type else { return }
            request.urlRequest.httpBody = body.httpBody
            // The type of a form has its boundary.
            request.urlRequest.setValue(type, forHTTPHeaderField: "Content-Type")
        }
        guard parts.body != nil else { return try parts.request() }
        return try Result { try parts.request() }
            .mapError {
                MoyaError.underlying(AlamofireError.createUploadableFailed(error: $0), nil)
            }.get()
    }

    private var isUpload: Bool {
        switch task {
        case .uploadFile, .uploadMultipart, .uploadCompositeMultipart: true
        default: false
        }
    }

    /// Sends a request. Handlers and plugins are called on a queue, which the caller may block until then.
    private func send(_ urlRequest: URLRequest) {
        // Safe as in Moya: from now on, only the queue uses it.
        nonisolated(unsafe) let call = self
        let queue = queue ?? .main
        let end: @Sendable (MoyaResult) -> Void = { call.end($0, after: 0) }
        var request: ServiceRequest
        do {
            request = try sent(urlRequest)
        } catch {
            return end(.failure(MoyaError(ServiceError(error))))
        }
        let sentRequest = Shared<URLRequest>()
        request[SentRequestKey.self] = sentRequest
        var pipeline = session.pipeline(PreparedCall { try await call.prepared($0, on: queue) })
        if progress != nil {
            let isUpload = isUpload
            let report = ProgressReport { [lastProgress] state in
                lastProgress.value = state
                queue.async { call.progress?(ProgressResponse(state, isUpload: isUpload)) }
            }
            pipeline.interceptors.insert(report, at: 0)
        }
        let task = _Concurrency.Task { [request, pipeline, codes] in
            do {
                let response = try await pipeline.load(request)
                end(.success(Response(response, to: sentRequest.value)))
            } catch ServiceError.unacceptableStatus(let response)
                where codes?.contains(response.statusCode) != false
                && request[DownloadKey.self] == nil
            {
                // A redirect that isn't followed, or a status of 600 and above. A download has no file then.
                end(.success(Response(response, to: sentRequest.value)))
            } catch {
                end(.failure(MoyaError(ServiceError(error), sent: sentRequest.value)))
            }
        }
        token.onCancel { task.cancel() }
    }

    /// Prepares a request on the handler's queue, where a plugin of a main-actor app may be. Throws if the call was
    /// cancelled before that.
    private func prepared(
        _ urlRequest: URLRequest, on queue: DispatchQueue
    ) async throws -> URLRequest {
        guard !plugins.isEmpty else { return urlRequest }
        // Safe for the same reason as in `send`.
        nonisolated(unsafe) let call = self
        let request: URLRequest? = await withCheckedContinuation { continuation in
            queue.async {
                let isCancelled = call.token.isCancelled
                continuation.resume(returning: isCancelled ? nil : call.prepared(urlRequest))
            }
        }
        guard let request else { throw CancellationError() }
        return request
    }

    private func response(of sample: EndpointSampleResponse, _ request: URLRequest) -> MoyaResult {
        let response: Response
        switch sample {
        case .networkError(let error): return .failure(.underlying(error, nil))
        case .networkResponse(let status, let data):
            response = Response(statusCode: status, data: data, request: request)
        case .response(let http, let data):
            response = Response(
                statusCode: http.statusCode, data: data, request: request, response: http)
        }
        guard codes?.contains(response.statusCode) != false else {
            return .failure(.underlying(MoyaError.statusCode(response), response))
        }
        return .success(response)
    }

    /// Ends the call on its queue, after some seconds.
    private func end(_ result: MoyaResult, after seconds: TimeInterval) {
        // Safe for the same reason as in `send`.
        nonisolated(unsafe) let call = self
        (queue ?? .main).asyncAfter(deadline: .now() + max(seconds, 0)) {
            if !call.token.isCancelled {
                call.end(result)
            } else if call.sample == nil {
                call.end(.failure(MoyaError(.cancelled)))
            } else {
                call.endBeforeSending()
            }
        }
    }

    /// Ends a call that was cancelled while it had no request, or was stubbed. Moya uses this error then.
    private func endBeforeSending() {
        let result = MoyaResult.failure(.underlying(URLError(.cancelled), nil))
        notifyPlugins(of: result)
        completion(processed(result))
    }

    private func end(_ result: MoyaResult) {
        notifyPlugins(of: result)
        if sample == nil {
            let response = try? result.get()
            let state = lastProgress.value
            progress?(ProgressResponse(state, isUpload: isUpload, response: response))
        }
        completion(processed(result))
    }

    private func notifyPlugins(of result: MoyaResult) {
        for plugin in plugins {
            plugin.didReceive(result, target: target)
        }
    }

    private func processed(_ result: MoyaResult) -> MoyaResult {
        plugins.reduce(result) { $1.process($0, target: target) }
    }
}

/// Reports the progress of each call that runs through it.
private nonisolated struct ProgressReport: ServiceInterceptor {
    let report: @Sendable (ServiceProgress) -> Void

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        request.reportProgress(report)
        return try await next(request)
    }
}

private nonisolated let redirects: Set = [301, 302, 303, 307, 308]

/// Whether a download of this status has a file: not a redirect that isn't followed, or a status of 600 and above.
private nonisolated func hasFile(_ response: ServiceResponse) -> Bool {
    (100...599).contains(response.statusCode) && !redirects.contains(response.statusCode)
}

/// The destination of a download.
private nonisolated enum DownloadKey: ServiceRequestOption {
    static var defaultValue: DownloadDestination? { nil }
}

nonisolated extension ServicePipeline {
    @concurrent fileprivate func load(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard let destination = request[DownloadKey.self] else { return try await send(request) }
        let manager = FileManager.default
        let file = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? manager.removeItem(at: file) }
        let parts = RequestParts { parts in
            parts = request
        }
        let response: ServiceResponse
        do {
            response = try await ServiceProvider(self).download(service: parts, to: file)
        } catch ServiceError.unacceptableStatus(let other)
            where request.acceptsAnyStatus && hasFile(other)
        {
            // Alamofire writes the body of any status to the file.
            try other.data.write(to: file)
            response = other
        }
        guard let http = response.http else { return response }
        let (target, options) = destination(file, http)
        do {
            if options.contains(.createFolders) {
                let folder = target.deletingLastPathComponent()
                try manager.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            if options.contains(.overwrite) {
                try? manager.removeItem(at: target)
            }
            try manager.moveItem(at: file, to: target)
        } catch {
            let cause = AlamofireError.downloadedFileMoveFailed(
                error: error, source: file, destination: target)
            throw MoyaError.underlying(cause, nil)
        }
        return response
    }
}

// In an app's module, `Task` and `Method` would hide Swift's `Task` and the Objective-C runtime's `Method` in all files.
#if MOYA_MODULE
public typealias Task = MoyaTask
public typealias Method = ServiceMethod
#else
/// Takes the place of the module, for names such as `Moya.Task`.
public nonisolated enum Moya {
    public typealias Task = MoyaTask
    public typealias Method = ServiceMethod
    public typealias Response = MoyaResponse
    public typealias MultipartFormData = MoyaMultipartFormData
    public typealias ParameterEncoding = MoyaParameterEncoding
}

public typealias Parameters = [String: Any]
public typealias URLRequestConvertible = AlamofireURLRequestConvertible
public typealias AFError = AlamofireError
public typealias Request = AlamofireRequest
public typealias RetryResult = AlamofireRetryResult
public typealias HTTPHeaders = AlamofireHeaders
public typealias HTTPHeader = AlamofireHeader
public typealias RedirectHandler = AlamofireRedirectHandler

// Other names, because `typealias Response = Response` would refer to itself.
public typealias MoyaResponse = Response
public typealias MoyaMultipartFormData = MultipartFormData
public typealias MoyaParameterEncoding = ParameterEncoding
#endif
