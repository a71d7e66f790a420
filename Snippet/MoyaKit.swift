// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Runs endpoints that were written for Moya 15 on ServiceProvider: copy this file, and remove `import Moya`. It declares
// Moya's names `TargetType`, `MoyaProvider`, `Response`, `MoyaError`, `PluginType` and so on, and Alamofire's
// `URLEncoding` and `JSONEncoding`. To move on, conform one target at a time to `Service` and load it with a
// `ServiceProvider`; delete this file when none is left.

import Foundation
import ServiceProvider
import ServiceProviderBodies
import ServiceProviderDiagnostics
import ServiceProviderExtras
import ServiceProviderTesting
import ServiceProviderTransfers

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// MARK: - Targets

/// An endpoint. Each call reads it in the caller's isolation.
public nonisolated protocol TargetType {
    /// The URL that the path is appended to.
    var baseURL: URL { get }
    /// The path, as raw text.
    var path: String { get }
    /// The HTTP method.
    var method: ServiceMethod { get }
    /// The body of stubbed responses. Default: empty.
    var sampleData: Data { get }
    /// The parameters and the body.
    var task: MoyaTask { get }
    /// The status codes that count as success. Default: all.
    var validationType: ValidationType { get }
    /// The header fields.
    var headers: [String: String]? { get }
}

nonisolated extension TargetType {
    /// Empty.
    public var sampleData: Data { Data() }
    /// No check.
    public var validationType: ValidationType { .none }
}

/// The status codes that count as success.
public nonisolated enum ValidationType: Equatable, Sendable {
    /// All; 200 to 299; 200 to 399.
    case none, successCodes, successAndRedirectCodes
    /// These codes. All, if there are none.
    case customCodes([Int])

    fileprivate var codes: Set<Int> {
        switch self {
        case .none, .customCodes([]): Set(100...999)
        case .successCodes: Set(200...299)
        case .successAndRedirectCodes: Set(200...399)
        case .customCodes(let codes): Set(codes)
        }
    }
}

/// The parameters and the body of a target.
public nonisolated enum MoyaTask {
    /// No parameters and no body.
    case requestPlain
    /// Bytes as the body.
    case requestData(Data)
    /// JSON as the body.
    case requestJSONEncodable(any Encodable)
    /// JSON as the body.
    case requestCustomJSONEncodable(any Encodable, encoder: JSONEncoder)
    /// Parameters, in the query or the body.
    case requestParameters(parameters: [String: Any], encoding: any ParameterEncoding)
    /// Bytes as the body, and a query.
    case requestCompositeData(bodyData: Data, urlParameters: [String: Any])
    /// Parameters in the body, and a query.
    case requestCompositeParameters(
        bodyParameters: [String: Any], bodyEncoding: any ParameterEncoding,
        urlParameters: [String: Any])
    /// A file as the body.
    case uploadFile(URL)
    /// A form with files.
    case uploadMultipart([MultipartFormData])
    /// A form with files, and a query.
    case uploadCompositeMultipart([MultipartFormData], urlParameters: [String: Any])
    /// A response that is written to a file.
    case downloadDestination(DownloadDestination)
    /// Parameters, and a response that is written to a file.
    case downloadParameters(
        parameters: [String: Any], encoding: any ParameterEncoding,
        destination: DownloadDestination)
}

/// A part of a form. (Moya's `.stream` isn't here.)
public nonisolated struct MultipartFormData {
    /// The content of a part.
    public enum FormDataProvider {
        /// Bytes.
        case data(Data)
        /// A file.
        case file(URL)
    }

    /// The content.
    public let provider: FormDataProvider
    /// The name of the form's field.
    public let name: String
    /// The name of the file, and the type of the content.
    public let fileName, mimeType: String?

    /// Creates a part.
    public init(
        provider: FormDataProvider, name: String, fileName: String? = nil, mimeType: String? = nil
    ) {
        (self.provider, self.name) = (provider, name)
        (self.fileName, self.mimeType) = (fileName, mimeType)
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
    /// Whether a request with this method can have a form with files.
    public var supportsMultipart: Bool {
        ["POST", "PUT", "PATCH", "CONNECT"].contains(rawValue)
    }
}

/// Chooses the file of a download, when it has arrived.
public typealias DownloadDestination =
    @Sendable (_ temporaryURL: URL, _ response: HTTPURLResponse) -> (
        destinationURL: URL, options: ServiceDownloadOptions
    )

nonisolated extension ServiceDownloadOptions {
    /// Creates missing folders.
    public static let createIntermediateDirectories = createFolders
    /// Replaces an existing file.
    public static let removePreviousFile = overwrite
}

/// A target of any type.
public nonisolated enum MultiTarget: TargetType, AccessTokenAuthorizable {
    /// The target.
    case target(any TargetType)

    /// Wraps a target.
    public init(_ target: any TargetType) { self = .target(target) }

    /// The wrapped target.
    public var target: any TargetType {
        switch self {
        case .target(let target): target
        }
    }
    /// That of the target.
    public var baseURL: URL { target.baseURL }
    /// That of the target.
    public var path: String { target.path }
    /// That of the target.
    public var method: ServiceMethod { target.method }
    /// That of the target.
    public var sampleData: Data { target.sampleData }
    /// That of the target.
    public var task: MoyaTask { target.task }
    /// That of the target.
    public var validationType: ValidationType { target.validationType }
    /// Those of the target.
    public var headers: [String: String]? { target.headers }
    /// That of the target.
    public var authorizationType: AuthorizationType? {
        (target as? any AccessTokenAuthorizable)?.authorizationType
    }
}

// MARK: - Parameters

/// The parameters of a request, of the types that `Service.parameters` allows.
public typealias Parameters = [String: Any]

/// Adds parameters to a request.
public nonisolated protocol ParameterEncoding {
    /// Returns the request with the parameters.
    func encode(_ urlRequest: any URLRequestConvertible, with parameters: Parameters?) throws
        -> URLRequest
}

/// A value that can become a `URLRequest`.
public nonisolated protocol URLRequestConvertible {
    /// Returns the request.
    func asURLRequest() throws -> URLRequest
}

nonisolated extension URLRequest: URLRequestConvertible {
    /// Returns itself.
    public func asURLRequest() -> URLRequest { self }
}

/// Writes parameters as a query or form.
public nonisolated struct URLEncoding: ParameterEncoding {
    /// Where the parameters go. Depending on the method: GET, HEAD and DELETE have a query, others a form.
    public enum Destination { case methodDependent, queryString, httpBody }
    /// How arrays are written: `key[]=a`, `key=a`, `key[0]=a`.
    public enum ArrayEncoding { case brackets, noBrackets, indexInBrackets }
    /// How booleans are written: `1`, `true`.
    public enum BoolEncoding { case numeric, literal }

    private let destination: Destination
    private let encoding: ServiceParameterEncoding

    /// Creates an encoding.
    public init(
        destination: Destination = .methodDependent, arrayEncoding: ArrayEncoding = .brackets,
        boolEncoding: BoolEncoding = .numeric
    ) {
        self.destination = destination
        let arrays: ServiceParameterEncoding.Arrays =
            switch arrayEncoding {
            case .brackets: .brackets
            case .noBrackets: .repeated
            case .indexInBrackets: .indexed
            }
        let style = ServiceParameterStyle(
            arrays: arrays, booleans: boolEncoding == .numeric ? .numeric : .literal)
        encoding = ServiceParameterEncoding(destination: .query, style: style.writingWholeNumbers)
    }

    /// A query for GET, HEAD and DELETE, a form for other methods.
    public static var `default`: URLEncoding { URLEncoding() }
    /// A query.
    public static var queryString: URLEncoding { URLEncoding(destination: .queryString) }
    /// A form.
    public static var httpBody: URLEncoding { URLEncoding(destination: .httpBody) }

    /// Returns the request with the parameters.
    public func encode(
        _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        let text = try encoding.encode(parameters)
        let hasQuery = ["GET", "HEAD", "DELETE"].contains(request.httpMethod ?? "GET")
        guard destination == .queryString || destination == .methodDependent && hasQuery else {
            request.setBody(text, contentType: "application/x-www-form-urlencoded; charset=utf-8")
            return request
        }
        guard !text.isEmpty, let url = request.url,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return request }
        let own = parts.percentEncodedQuery ?? ""
        parts.percentEncodedQuery = own.isEmpty ? text : "\(own)&\(text)"
        request.url = parts.url
        return request
    }
}

/// Writes parameters as a JSON body.
public nonisolated struct JSONEncoding: ParameterEncoding {
    /// On one line, with sorted keys.
    public static var `default`: JSONEncoding { JSONEncoding() }
    /// The same.
    public static var prettyPrinted: JSONEncoding { JSONEncoding() }

    /// Creates an encoding.
    ///
    /// - Parameter options: Has no effect: the JSON is always on one line, with sorted keys.
    public init(options: JSONSerialization.WritingOptions = []) {}

    /// Returns the request with the parameters.
    public func encode(
        _ urlRequest: any URLRequestConvertible, with parameters: Parameters?
    ) throws -> URLRequest {
        var request = try urlRequest.asURLRequest()
        guard let parameters else { return request }
        let style = ServiceParameterStyle().writingWholeNumbers
        let text = try style.encode(parameters, isJSON: true)
        request.setBody(text, contentType: "application/json")
        return request
    }
}

nonisolated extension ServiceParameterStyle {
    /// The same style, which writes `10.0` as `10`.
    fileprivate var writingWholeNumbers: Self {
        var style = self
        let replacement = self.replacement
        style.replacement = { value, isJSON in
            let value = replacement?(value, isJSON) ?? value
            let base = (value as? AnyHashable)?.base ?? value
            // An NSNumber comes again as a Double, unless it is a boolean.
            guard !(type(of: base) is NSNumber.Type), let number = base as? any BinaryFloatingPoint,
                let whole = Int64(exactly: Double(number)), whole.magnitude < 1 << 53
            else { return value }
            return whole
        }
        return style
    }
}

nonisolated extension URLRequest {
    fileprivate mutating func setBody(_ text: String, contentType: String) {
        httpBody = Data(text.utf8)
        guard value(forHTTPHeaderField: "Content-Type") == nil else { return }
        setValue(contentType, forHTTPHeaderField: "Content-Type")
    }
}

// MARK: - Responses

/// A response.
public nonisolated final class Response: Sendable, Equatable, CustomStringConvertible,
    CustomReflectable
{
    /// The status code.
    public let statusCode: Int
    /// The body. Empty for a download.
    public let data: Data
    /// The request that the server answered.
    public let request: URLRequest?
    /// The status and the headers.
    public let response: HTTPURLResponse?

    /// Creates a response.
    public init(
        statusCode: Int, data: Data, request: URLRequest? = nil, response: HTTPURLResponse? = nil
    ) {
        (self.statusCode, self.data) = (statusCode, data)
        (self.request, self.response) = (request, response)
    }

    /// The status and the size.
    public var description: String { "Status Code: \(statusCode), Data Length: \(data.count)" }
    /// Empty, because `dump` would print headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    /// Compares status, body and headers.
    public static func == (left: Response, right: Response) -> Bool {
        left.statusCode == right.statusCode && left.data == right.data
            && left.response == right.response
    }

    /// Returns the response if its status is one of these codes.
    public func filter(statusCodes: some RangeExpression<Int>) throws(MoyaError) -> Response {
        guard statusCodes.contains(statusCode) else { throw .statusCode(self) }
        return self
    }

    /// Returns the response if it has this status.
    public func filter(statusCode: Int) throws(MoyaError) -> Response {
        try filter(statusCodes: statusCode...statusCode)
    }

    /// Returns the response if its status is 200 to 299.
    public func filterSuccessfulStatusCodes() throws(MoyaError) -> Response {
        try filter(statusCodes: 200...299)
    }

    /// Returns the response if its status is 200 to 399.
    public func filterSuccessfulStatusAndRedirectCodes() throws(MoyaError) -> Response {
        try filter(statusCodes: 200...399)
    }

    /// Parses the body with `JSONSerialization`.
    public func mapJSON(failsOnEmptyData: Bool = true) throws(MoyaError) -> Any {
        if data.isEmpty, !failsOnEmptyData { return NSNull() }
        do { return try JSONSerialization.jsonObject(with: data, options: .fragmentsAllowed) } catch
        { throw .jsonMapping(self) }
    }

    /// Returns the body as text, or the string at a path of keys.
    public func mapString(atKeyPath path: String? = nil) throws(MoyaError) -> String {
        var text: String?
        if let path {
            text = try value(at: path) as? String
        } else {
            text = String(data: data, encoding: .utf8)
        }
        guard let text else { throw .stringMapping(self) }
        return text
    }

    /// Decodes the body, or the value at a path of keys.
    public func map<D: Decodable>(
        _ type: D.Type, atKeyPath path: String? = nil, using decoder: JSONDecoder = JSONDecoder(),
        failsOnEmptyData: Bool = true
    ) throws(MoyaError) -> D {
        if data.isEmpty, !failsOnEmptyData {
            for text in ["{}", "[{}]"] {
                if let value = try? decoder.decode(D.self, from: Data(text.utf8)) { return value }
            }
        }
        do {
            if let path {
                if let value = try value(at: path, failsOnEmptyData) {
                    let json = try JSONSerialization.data(
                        withJSONObject: value, options: .fragmentsAllowed)
                    return try decoder.decode(D.self, from: json)
                }
                if failsOnEmptyData { throw MoyaError.jsonMapping(self) }
            }
            return try decoder.decode(D.self, from: data)
        } catch { throw error as? MoyaError ?? .objectMapping(error, self) }
    }

    /// The value at a path of keys. Nil if there is none, or the body isn't an object.
    private func value(
        at path: String, _ failsOnEmptyData: Bool = true
    ) throws(MoyaError) -> Any? {
        guard let object = try mapJSON(failsOnEmptyData: failsOnEmptyData) as? [String: Any] else {
            return nil
        }
        return path.split(separator: ".").reduce(object) { value, key in
            value.flatMap { Self.member(String(key), of: $0) }
        }
    }

    /// The value of a key. For a list, those of its elements.
    private static func member(_ key: String, of value: Any) -> Any? {
        if let elements = value as? [Any] {
            return elements.map { member(key, of: $0) ?? NSNull() }
        }
        return (value as? [String: Any])?[key]
    }
}

/// An error of a call or of a response's methods.
public nonisolated enum MoyaError: Error, LocalizedError, CustomStringConvertible,
    CustomReflectable
{
    /// The body can't be read as an image, JSON or text.
    case imageMapping(Response), jsonMapping(Response), stringMapping(Response)
    /// The body can't be decoded.
    case objectMapping(any Error, Response)
    /// A body or parameters can't be encoded.
    case encodableMapping(any Error), parameterEncoding(any Error)
    /// A filter refused the status.
    case statusCode(Response)
    /// The call failed with a `URLError`, or with a `ServiceError`, for example because the status
    /// isn't valid.
    case underlying(any Error, Response?)
    /// The request can't be built.
    case requestMapping(String)

    /// The response, if there was one.
    public var response: Response? {
        switch self {
        case .imageMapping(let response), .jsonMapping(let response), .stringMapping(let response),
            .objectMapping(_, let response), .statusCode(let response):
            response
        case .underlying(_, let response): response
        case .encodableMapping, .parameterEncoding, .requestMapping: nil
        }
    }

    /// The error as a sentence.
    public var errorDescription: String? {
        switch self {
        case .imageMapping, .jsonMapping, .stringMapping: "The response can't be read."
        case .statusCode(let response): "The server answered \(response.statusCode)."
        case .requestMapping(let text): text
        case .objectMapping(let error, _), .encodableMapping(let error),
            .parameterEncoding(let error), .underlying(let error, _):
            error.localizedDescription
        }
    }

    /// The same sentence, because `print` would show values that a body has in place of others.
    public var description: String { localizedDescription }
    /// Empty, for the same reason.
    public var customMirror: Mirror { Mirror(self, children: [:]) }

    fileprivate init(_ error: ServiceError) {
        switch error {
        case .invalidRequest(.parameter, _): self = .parameterEncoding(error)
        case .invalidRequest(.body, _): self = .encodableMapping(error)
        case .invalidRequest(.baseURL, _), .invalidRequest(.path, _), .invalidRequest(.header, _):
            self = .requestMapping(error.description)
        case .transport(let cause): self = .underlying(cause, nil)
        case .cancelled: self = .underlying(URLError(.cancelled), nil)
        case .interceptor(let cause): self = cause as? MoyaError ?? .underlying(cause, nil)
        default: self = .underlying(error, error.response.map(Response.init))
        }
    }
}

nonisolated extension Response {
    fileprivate convenience init(_ response: ServiceResponse) {
        self.init(
            statusCode: response.statusCode, data: response.data,
            request: response.request.urlRequest, response: response.http)
    }
}

// MARK: - Plugins

/// Watches and changes calls.
///
/// `prepare` and `willSend` are called in the caller's isolation, `didReceive` and `process` where the handler is.
public nonisolated protocol PluginType {
    /// Changes a request. Default: returns it unchanged.
    func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest
    /// The request is about to be sent. Default: does nothing.
    func willSend(_ request: any RequestType, target: any TargetType)
    /// The call has ended. Default: does nothing.
    func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType)
    /// Changes the result of a call. Default: returns it unchanged.
    func process(
        _ result: Result<Response, MoyaError>, target: any TargetType
    ) -> Result<Response, MoyaError>
}

nonisolated extension PluginType {
    /// Returns the request.
    public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest { request }
    /// Does nothing.
    public func willSend(_ request: any RequestType, target: any TargetType) {}
    /// Does nothing.
    public func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {}
    /// Returns the result.
    public func process(
        _ result: Result<Response, MoyaError>, target: any TargetType
    ) -> Result<Response, MoyaError> { result }
}

/// A request, as plugins see it.
public nonisolated protocol RequestType {
    /// The request.
    var request: URLRequest? { get }
}

private nonisolated struct PreparedRequest: RequestType, CustomStringConvertible, CustomReflectable
{
    let request: URLRequest?
    /// The method and the path.
    var description: String { request.map { "\(ServiceRequest($0))" } ?? "" }
    /// Empty, because `dump` would print headers and body.
    var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// A target that needs a token.
public nonisolated protocol AccessTokenAuthorizable {
    /// The kind of token. Nil for none.
    var authorizationType: AuthorizationType? { get }
}

/// The kind of a token.
public nonisolated enum AuthorizationType: Equatable, Sendable {
    /// `Authorization: Basic …` and `Authorization: Bearer …`.
    case basic, bearer
    /// Another word in front of the token. It may be empty.
    case custom(String)

    /// The word in front of the token.
    public var value: String {
        switch self {
        case .basic: "Basic"
        case .bearer: "Bearer"
        case .custom(let value): value
        }
    }
}

/// Adds a token to the requests of targets that need one.
public nonisolated struct AccessTokenPlugin: PluginType {
    /// Returns the token for a target.
    public typealias TokenClosure = (any TargetType) -> String

    private let token: TokenClosure

    /// Creates a plugin.
    public init(tokenClosure: @escaping TokenClosure) { token = tokenClosure }

    /// Sets `Authorization`.
    public func prepare(_ request: URLRequest, target: any TargetType) -> URLRequest {
        guard let type = (target as? any AccessTokenAuthorizable)?.authorizationType else {
            return request
        }
        var request = request
        let inner = (target as? MultiTarget)?.target ?? target
        let value = (type.value + " " + token(inner)).trimmingCharacters(in: .whitespaces)
        request.setValue(value, forHTTPHeaderField: "Authorization")
        return request
    }
}

/// Whether a call begins or ends.
public nonisolated enum NetworkActivityChangeType: Sendable {
    /// The request is about to be sent; the call has ended.
    case began, ended
}

/// Calls a closure when a call begins and when it ends.
public nonisolated struct NetworkActivityPlugin: PluginType {
    /// Gets the change of a target's call.
    public typealias NetworkActivityClosure = (
        _ change: NetworkActivityChangeType, _ target: any TargetType
    ) -> Void

    private let closure: NetworkActivityClosure

    /// Creates a plugin.
    public init(networkActivityClosure: @escaping NetworkActivityClosure) {
        closure = networkActivityClosure
    }

    /// Calls the closure.
    public func willSend(_ request: any RequestType, target: any TargetType) {
        closure(.began, target)
    }

    /// Calls the closure.
    public func didReceive(_ result: Result<Response, MoyaError>, target: any TargetType) {
        closure(.ended, target)
    }
}

/// Writes a log to standard error, with `ServiceLog`, which shows no secrets.
public nonisolated struct NetworkLoggerPlugin: PluginType {
    /// The settings of a log.
    public struct Configuration {
        /// What is logged.
        public struct LogOptions: OptionSet, Sendable {
            /// The options as bits.
            public let rawValue: Int
            /// Creates options from bits.
            public init(rawValue: Int) { self.rawValue = rawValue }
            /// The line about the request, which is always written; the headers.
            public static let requestMethod = Self(rawValue: 1), requestHeaders = Self(rawValue: 4)
            /// Both bodies.
            public static let requestBody = Self(rawValue: 2), successResponseBody = requestBody
            /// Both bodies.
            public static let errorResponseBody = requestBody
            /// The line and the headers; everything.
            public static let `default` = Self(rawValue: 5), verbose = Self(rawValue: 7)
        }

        fileprivate let level: ServiceLog.Level

        /// Creates settings.
        public init(logOptions: LogOptions = .default) {
            let level = logOptions.contains(.requestHeaders) ? ServiceLog.Level.headers : .line
            self.level = logOptions.contains(.requestBody) ? .bodies : level
        }
    }

    fileprivate let log: ServiceLog

    /// Creates a log.
    public init(configuration: Configuration = Configuration()) {
        log = ServiceLog(configuration.level)
    }
}

// MARK: - Provider

/// Controls whether a call is stubbed.
public nonisolated enum StubBehavior: Sendable {
    /// Never: the request is sent. Immediate: the stub responds before `request` returns, unless it has a queue.
    case never, immediate
    /// After some seconds.
    case delayed(seconds: TimeInterval)
}

/// A running call.
public nonisolated protocol Cancellable {
    /// Whether the call was cancelled.
    var isCancelled: Bool { get }
    /// Cancels the call. Its handler gets `.underlying(URLError(.cancelled), nil)`.
    func cancel()
}

/// Unchecked, because `isCancelled` is only used under the lock.
private nonisolated final class CancellableTask: Cancellable, @unchecked Sendable {
    private let lock = NSLock()
    private let cancelTask: @Sendable () -> Void
    private var wasCancelled = false

    init(cancelTask: @escaping @Sendable () -> Void = {}) { self.cancelTask = cancelTask }

    var isCancelled: Bool { lock.withLock { wasCancelled } }

    func cancel() {
        lock.withLock { wasCancelled = true }
        cancelTask()
    }
}

/// The progress of a call.
public nonisolated struct ProgressResponse {
    /// The response, once the call has succeeded.
    public let response: Response?
    /// The bytes of the request's body, or those of the response if the request has none. Nil in the last report.
    public let progressObject: Progress?

    /// From 0 to 1. It stays 0 while the size isn't known.
    public var progress: Double { completed ? 1 : progressObject?.fractionCompleted ?? 0 }
    /// Whether the call has succeeded.
    public var completed: Bool { response != nil }
}

/// A handler.
public typealias Completion = (_ result: Result<Response, MoyaError>) -> Void
/// A handler of progress. It is called on the queue of the call's handler.
public typealias ProgressBlock = (_ progress: ProgressResponse) -> Void

/// Loads targets.
///
/// Unchecked, because Moya's closures and plugins aren't `Sendable`. They are called in the caller's isolation, and on
/// the handler's queue, which is the main queue by default. Call the provider of a main-actor app from the main actor.
public nonisolated class MoyaProvider<Target: TargetType>: @unchecked Sendable {
    private let stubClosure: (Target) -> StubBehavior
    private let callbackQueue: DispatchQueue?
    private let plugins: [any PluginType]
    private let provider: ServiceProvider<PreparedService>

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - transport: Not in Moya: sends the requests. Default: URLSession.
    ///   - interceptors: Not in Moya: interceptors of ServiceProvider, such as `ServiceRetry()`. Default: none.
    public init(
        stubClosure: @escaping (Target) -> StubBehavior = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil, plugins: [any PluginType] = [],
        trackInflights: Bool = false, transport: any ServiceTransport = URLSessionTransport.shared,
        interceptors: [any ServiceInterceptor] = []
    ) {
        (self.stubClosure, self.callbackQueue) = (stubClosure, callbackQueue)
        self.plugins = plugins
        let logs = plugins.compactMap { ($0 as? NetworkLoggerPlugin)?.log }
        provider = ServiceProvider(
            transport: transport, interceptors: interceptors + logs)
    }

    /// Sends the requests.
    public static var neverStub: (Target) -> StubBehavior { { _ in .never } }
    /// Returns sample data at once.
    public static var immediatelyStub: (Target) -> StubBehavior { { _ in .immediate } }
    /// Returns sample data after some seconds.
    public static func delayedStub(_ seconds: TimeInterval) -> (Target) -> StubBehavior {
        { _ in .delayed(seconds: seconds) }
    }

    /// Loads a target, and passes the response to a handler.
    ///
    /// If the request can't be built, or is stubbed immediately and there is no queue, the handler is called before
    /// this method returns.
    @discardableResult
    public func request(
        _ target: Target, callbackQueue: DispatchQueue? = nil, progress: ProgressBlock? = nil,
        completion: @escaping Completion
    ) -> any Cancellable {
        let (queue, stub) = (callbackQueue ?? self.callbackQueue, stubClosure(target))
        // Safe as in Moya: once the request is built, only the handler's queue uses it.
        nonisolated(unsafe) var call = MoyaCall(
            target: target, codes: target.validationType.codes, plugins: plugins,
            completion: completion)
        if case .never = stub { call.progress = progress }
        let request: ServiceRequest
        do { request = try call.request(stub) } catch {
            completion(call.processed(.failure(MoyaError(ServiceError(error)))))
            return CancellableTask()
        }
        if case .immediate = stub, queue == nil {
            call.end(request.stubbed)
            return CancellableTask()
        }
        let provider = provider(for: stub)
        if let queue { return call.start(request, with: provider, on: queue) }
        let isUpload = request.hasBody
        let used =
            progress == nil
            ? provider
            : provider.onProgress { call.progress?(ProgressResponse($0, isUpload: isUpload)) }
        let task = used.run(service: PreparedService(request: request)) {
            call.end($0)
        } operation: { request in
            try await used.load(request)
        }
        return CancellableTask { task.cancel() }
    }

    /// Not in Moya: loads a target.
    public nonisolated(nonsending) func request(
        _ target: Target
    ) async throws(MoyaError) -> Response {
        let stub = stubClosure(target)
        let call = MoyaCall(
            target: target, codes: target.validationType.codes, plugins: plugins)
        let request: ServiceRequest
        do { request = try call.request(stub) } catch {
            return try call.processed(.failure(MoyaError(ServiceError(error)))).get()
        }
        let result: ServiceResult<ServiceResponse>
        do {
            result = .success(try await provider(for: stub).load(request))
        } catch {
            result = .failure(ServiceError(error))
        }
        return try call.processed(call.received(result)).get()
    }

    private func provider(for stub: StubBehavior) -> ServiceProvider<PreparedService> {
        var delay: TimeInterval = 0
        if case .never = stub { return provider }
        if case .delayed(let seconds) = stub { delay = seconds }
        var pipeline = provider.pipeline
        pipeline.interceptors.append(
            ServiceStubs { [delay] in ServiceStub.data($0.sampleData).after(delay) })
        return ServiceProvider(pipeline)
    }
}

/// What plugins and the handler do in one call.
private nonisolated struct MoyaCall {
    let target: any TargetType
    let codes: Set<Int>
    let plugins: [any PluginType]
    var progress: ProgressBlock?
    var completion: Completion?

    func request(_ stub: StubBehavior) throws -> ServiceRequest {
        let provider = ServiceProvider<TargetService>()
        var request = try provider.request(for: TargetService(target: target, codes: codes))
        if case .never = stub {} else { request[DownloadKey.self] = nil }
        request.urlRequest = plugins.reduce(request.urlRequest) { $1.prepare($0, target: target) }
        let prepared = PreparedRequest(request: request.urlRequest)
        for plugin in plugins { plugin.willSend(prepared, target: target) }
        return request
    }

    func received(_ result: ServiceResult<ServiceResponse>) -> Result<Response, MoyaError> {
        let result: Result<Response, MoyaError> =
            switch result {
            case .success(let response): .success(Response(response))
            // A redirect that isn't followed, or a status of 600 and above. A download has no file then.
            case .failure(.unacceptableStatus(let response))
            where codes.contains(response.statusCode) && response.request[DownloadKey.self] == nil:
                .success(Response(response))
            case .failure(let error): .failure(MoyaError(error))
            // Can't happen: the call always returns a response.
            case .empty: .failure(MoyaError(.cancelled))
            }
        for plugin in plugins { plugin.didReceive(result, target: target) }
        return result
    }

    func processed(_ result: Result<Response, MoyaError>) -> Result<Response, MoyaError> {
        plugins.reduce(result) { $1.process($0, target: target) }
    }

    /// Loads a request. The handlers are called on a queue. The main queue may wait for them.
    func start(
        _ request: ServiceRequest, with provider: ServiceProvider<PreparedService>,
        on queue: DispatchQueue
    ) -> any Cancellable {
        // Safe as in Moya: from now on, only the queue uses it.
        nonisolated(unsafe) let call = self
        let isUpload = request.hasBody
        let report: @Sendable (ServiceProgress) -> Void = { state in
            queue.async { call.progress?(ProgressResponse(state, isUpload: isUpload)) }
        }
        let canceller = CancellableTask()
        let end: @Sendable (ServiceResult<ServiceResponse>) -> Void = { result in
            queue.async { call.end(canceller.isCancelled ? .failure(.cancelled) : result) }
        }
        let used = progress == nil ? provider : provider.adding(ProgressReport(report: report))
        let task = _Concurrency.Task {
            do { end(.success(try await used.load(request))) } catch {
                end(.failure(ServiceError(error)))
            }
        }
        return CancellableTask {
            canceller.cancel()
            task.cancel()
        }
    }

    func end(_ result: ServiceResult<ServiceResponse>) {
        let result = received(result)
        if let response = try? result.get() {
            progress?(ProgressResponse(response: response, progressObject: nil))
        }
        completion?(processed(result))
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

/// The destination of a download.
private nonisolated enum DownloadKey: ServiceRequestOption {
    static var defaultValue: DownloadDestination? { nil }
}

/// Builds the request of a target.
private nonisolated struct TargetService: Service {
    let target: any TargetType
    let codes: Set<Int>

    var baseURL: String { target.baseURL.absoluteString }
    var path: String { target.path }
    var method: ServiceMethod { target.method }
    /// Redirects with status 301, 302, 303, 307 or 308 are followed, whatever the target says.
    var validStatusCodes: Set<Int> {
        codes.intersection(ServiceResponse.anyStatusCode)
    }

    var headers: [String: String] {
        var headers = target.headers ?? [:]
        switch target.task {
        case .uploadMultipart, .uploadCompositeMultipart:
            // The body's own type has the boundary.
            headers = headers.filter { $0.key.lowercased() != "content-type" }
        default: break
        }
        return headers
    }

    var body: ServiceBody? {
        switch target.task {
        case .requestData(let data), .requestCompositeData(let data, _): .data(data)
        case .requestJSONEncodable(let value): .json(value)
        case .requestCustomJSONEncodable(let value, let encoder): .json(value, encoder: encoder)
        case .uploadFile(let url): .file(url)
        case .uploadMultipart(let parts), .uploadCompositeMultipart(let parts, _):
            .multipart(parts.map(\.part))
        default: nil
        }
    }

    func prepare(_ request: inout ServiceRequest) throws {
        var encodings: [(parameters: [String: Any], encoding: any ParameterEncoding)] = []
        switch target.task {
        case .requestParameters(let parameters, let encoding):
            encodings = [(parameters, encoding)]
        case .requestCompositeData(_, let query), .uploadCompositeMultipart(_, let query):
            encodings = [(query, URLEncoding.queryString)]
        case .requestCompositeParameters(let body, let encoding, let query):
            encodings = [(query, URLEncoding.queryString), (body, encoding)]
        case .downloadParameters(let parameters, let encoding, let destination):
            encodings = [(parameters, encoding)]
            request[DownloadKey.self] = destination
        case .downloadDestination(let destination): request[DownloadKey.self] = destination
        default: break
        }
        do {
            for (parameters, encoding) in encodings {
                request.urlRequest = try encoding.encode(request.urlRequest, with: parameters)
            }
        } catch { throw MoyaError.parameterEncoding(error) }
        request.sampleData = target.sampleData
    }
}

/// A request that is built already.
private nonisolated struct PreparedService: Service {
    let request: ServiceRequest
    var baseURL: String { "http://localhost" }
    var path: String { "" }

    func prepare(_ request: inout ServiceRequest) { request = self.request }
}

nonisolated extension ServiceRequest {
    fileprivate var stubbed: ServiceResult<ServiceResponse> {
        let response = ServiceResponse(request: self, statusCode: 200, data: sampleData)
        let isValid = validStatusCodes.contains(200)
        return isValid ? .success(response) : .failure(.unacceptableStatus(response))
    }
}

nonisolated extension ServiceProvider<PreparedService> {
    fileprivate nonisolated(nonsending) func load(
        _ request: ServiceRequest
    ) async throws -> ServiceResponse {
        guard let destination = request[DownloadKey.self] else {
            return try await pipeline.send(request)
        }
        let manager = FileManager.default
        let file = manager.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        defer { try? manager.removeItem(at: file) }
        let response = try await download(service: PreparedService(request: request), to: file)
        guard let http = response.http else { return response }
        let (target, options) = destination(file, http)
        do {
            if options.contains(.createFolders) {
                let folder = target.deletingLastPathComponent()
                try manager.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            if options.contains(.overwrite) { try? manager.removeItem(at: target) }
            try manager.moveItem(at: file, to: target)
        } catch { throw ServiceError(error, of: .file) }
        return response
    }
}

nonisolated extension ProgressResponse {
    fileprivate init(_ state: ServiceProgress, isUpload: Bool) {
        let total = isUpload ? state.totalToSend : state.totalToReceive
        let object = Progress(totalUnitCount: total ?? 0)
        object.completedUnitCount = isUpload ? state.sent : state.received
        self.init(response: nil, progressObject: object)
    }
}

// MARK: - Moya's module

/// Takes the place of the module, for names such as `Moya.Task`.
public nonisolated enum Moya {
    /// The parameters and the body of a target.
    public typealias Task = MoyaTask
    /// The HTTP method.
    public typealias Method = ServiceMethod
    /// A response.
    public typealias Response = MoyaResponse
    /// A part of a form.
    public typealias MultipartFormData = MoyaMultipartFormData
    /// Adds parameters to a request.
    public typealias ParameterEncoding = MoyaParameterEncoding
}

// Other names, because `typealias Response = Response` would refer to itself.
/// `Moya.Response`.
public typealias MoyaResponse = Response
/// `Moya.MultipartFormData`.
public typealias MoyaMultipartFormData = MultipartFormData
/// `Moya.ParameterEncoding`.
public typealias MoyaParameterEncoding = ParameterEncoding

// For a module of its own, which only files with targets import. In an app's module, these would hide Swift's `Task` (and
// `Method` of the Objective-C runtime) in all files.
#if MOYA_MODULE
/// The parameters and the body of a target.
public typealias Task = MoyaTask
/// The HTTP method.
public typealias Method = ServiceMethod
#endif
