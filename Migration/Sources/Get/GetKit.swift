// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Runs endpoints that were written for Get 2 on ServiceProvider. It declares Get's names. Use it
// in one of three ways:
//
// - Depend on the product `Get` of the package in ServiceProvider's folder `Migration`. Your code
//   stays as it is, with `import Get`.
// - Copy this file into a target of your own named `Get`.
// - Copy this file into your app, and remove `import Get`.
//
// The file needs the products ServiceProvider, ServiceProviderExtras and ServiceProviderTransfers.
// To move on, replace one `Request` at a time by a `Service`, and load it with a `ServiceProvider`.
// Delete this file when no request is left.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The name of an HTTP method.
public nonisolated struct HTTPMethod: RawRepresentable, Hashable, ExpressibleByStringLiteral,
    Sendable
{
    /// The method as it is sent.
    public let rawValue: String
    /// Creates a method from its name.
    public init(rawValue: String) { self.rawValue = rawValue }
    /// Creates a method from its name.
    public init(stringLiteral value: String) { rawValue = value }

    /// The methods of RFC 9110.
    public static let get: Self = "GET", head: Self = "HEAD", post: Self = "POST", put: Self = "PUT"
    /// The methods of RFC 9110 and RFC 5789.
    public static let patch: Self = "PATCH", delete: Self = "DELETE", options: Self = "OPTIONS"
    /// The methods of RFC 9110.
    public static let trace: Self = "TRACE", connect: Self = "CONNECT"
}

/// A request, and the type of the value in its response.
///
/// Unchecked, as in Get: `body` may be a class. Don't change that object while a request with it is used.
public nonisolated struct Request<Response>: @unchecked Sendable {
    /// The HTTP method.
    public var method: HTTPMethod
    /// The URL, absolute or relative to the client's base URL.
    public var url: URL?
    /// The items of the query, in order. An item without a value has no `=`.
    public var query: [(String, String?)]?
    /// The body: `Data` and `String` are sent as they are, other values as JSON.
    public var body: (any Encodable)?
    /// The header fields.
    public var headers: [String: String]?
    /// An identifier. The client doesn't use it.
    public var id: String?
}

nonisolated extension Request {
    /// Creates a request for a path below the client's base URL.
    public init(
        path: String, method: HTTPMethod = .get, query: [(String, String?)]? = nil,
        body: (any Encodable)? = nil, headers: [String: String]? = nil, id: String? = nil
    ) {
        let url = URL(string: path.isEmpty ? "/" : path)
        self.init(method: method, url: url, query: query, body: body, headers: headers, id: id)
    }

    /// Creates a request for a URL.
    public init(
        url: URL, method: HTTPMethod = .get, query: [(String, String?)]? = nil,
        body: (any Encodable)? = nil, headers: [String: String]? = nil, id: String? = nil
    ) {
        self.init(method: method, url: url, query: query, body: body, headers: headers, id: id)
    }

    /// Returns the same request with another type of value.
    public func withResponse<T>(_: T.Type) -> Request<T> {
        .init(method: method, url: url, query: query, body: body, headers: headers, id: id)
    }
}

nonisolated extension Request where Response == Void {
    /// Creates a request without a value in its response, for a URL.
    public init(
        url: URL, method: HTTPMethod = .get, query: [(String, String?)]? = nil,
        body: (any Encodable)? = nil, headers: [String: String]? = nil, id: String? = nil
    ) {
        self.init(method: method, url: url, query: query, body: body, headers: headers, id: id)
    }

    /// Creates a request without a value in its response, for a path below the client's base URL.
    public init(
        path: String, method: HTTPMethod = .get, query: [(String, String?)]? = nil,
        body: (any Encodable)? = nil, headers: [String: String]? = nil, id: String? = nil
    ) {
        let url = URL(string: path.isEmpty ? "/" : path)
        self.init(method: method, url: url, query: query, body: body, headers: headers, id: id)
    }
}

/// A value, with the response that it was decoded from.
public nonisolated struct Response<Value> {
    /// The decoded value; for a download, the file.
    public let value: Value
    /// The body. Empty for a download.
    public let data: Data
    /// The status and the headers.
    public let response: URLResponse
    /// Has the request, the response and the error. It never runs.
    public let task: URLSessionTask
    /// The metrics that you passed. A client's responses have none: add a `ServiceObserver` to
    /// ``APIClient/Configuration/interceptors``.
    public let metrics: URLSessionTaskMetrics?
    /// Not in Get: ServiceProvider's response. Nil if you created this one.
    public private(set) var serviceResponse: ServiceResponse?

    /// Creates a response, for example in a test.
    public init(
        value: Value, data: Data, response: URLResponse, task: URLSessionTask,
        metrics: URLSessionTaskMetrics? = nil
    ) {
        self.value = value
        self.data = data
        self.response = response
        self.task = task
        self.metrics = metrics
    }

    fileprivate init(value: Value, _ loaded: LoadedResponse) {
        let response = loaded.response
        let url = response.request.urlRequest.url ?? URL(fileURLWithPath: "/")
        let plain = URLResponse(
            url: url, mimeType: nil, expectedContentLength: 0, textEncodingName: nil)
        self.init(
            value: value, data: response.data, response: response.http ?? plain, task: loaded.task)
        serviceResponse = response
    }

    /// The status code.
    public var statusCode: Int? { (response as? HTTPURLResponse)?.statusCode }
    /// The request that was sent.
    public var originalRequest: URLRequest? { task.originalRequest }
    /// The request that the server answered, after redirects.
    public var currentRequest: URLRequest? { task.currentRequest }

    /// Returns a response with another value.
    public func map<T>(_ transform: (Value) throws -> T) rethrows -> Response<T> {
        var other = Response<T>(
            value: try transform(value), data: data, response: response, task: task,
            metrics: metrics)
        other.serviceResponse = serviceResponse
        return other
    }
}

// Unchecked, as in Get. The metrics don't change.
nonisolated extension Response: @unchecked Sendable where Value: Sendable {}

nonisolated extension Response where Value == URL {
    /// The downloaded file. It is in a temporary folder, so move it.
    public var location: URL { value }
}

// `print` and `dump` would show headers and bodies.
nonisolated extension Request: CustomStringConvertible, CustomReflectable {
    /// The method and the path.
    public var description: String { "\(method.rawValue) \(url?.path ?? "")" }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

nonisolated extension Response: CustomStringConvertible, CustomReflectable {
    /// The status and the size.
    public var description: String { "\(statusCode ?? 0), \(data.count) bytes" }
    /// Empty.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// An error of ``APIClient``. (It also throws `URLError`, `ServiceError` and `DecodingError`. The description of a
/// `DecodingError` may contain a value from the body.)
public nonisolated enum APIError: Error, LocalizedError {
    /// The status code isn't one of 200 to 299.
    case unacceptableStatusCode(Int)

    /// The error as a sentence.
    public var errorDescription: String? {
        switch self {
        case .unacceptableStatusCode(let code): "Response status code was unacceptable: \(code)."
        }
    }
}

/// Changes what an ``APIClient`` does.
///
/// The async methods run on the actor that the delegate belongs to, or else off the main actor. The others are called
/// in the isolation of the client's caller.
public nonisolated protocol APIClientDelegate {
    /// Changes a request, before each attempt. Default: does nothing.
    @concurrent func client(
        _ client: APIClient, willSendRequest request: inout URLRequest) async throws

    /// Throws if a response is a failure. Default: throws an ``APIError`` unless the status is 200 to 299.
    ///
    /// - Parameter task: Has the request and the response. It never runs.
    func client(
        _ client: APIClient, validateResponse response: HTTPURLResponse, data: Data,
        task: URLSessionTask) throws

    /// Decides whether a failed request is sent again. It isn't asked about downloads. Default: no.
    ///
    /// - Parameters:
    ///   - task: Has the request, the response if there was one, or the error. It never runs.
    ///   - attempts: How many times the request was sent.
    @concurrent func client(
        _ client: APIClient, shouldRetry task: URLSessionTask, error: any Error, attempts: Int
    ) async throws -> Bool

    /// Returns the URL of a request, with its query. Default: nil, which uses the base URL.
    func client<T>(_ client: APIClient, makeURLForRequest request: Request<T>) throws -> URL?

    /// Returns the encoder of a body. Default: nil, which uses the client's.
    func client<T>(_ client: APIClient, encoderForRequest request: Request<T>) -> JSONEncoder?
    /// Returns the decoder of a response. Default: nil, which uses the client's.
    func client<T>(_ client: APIClient, decoderForRequest request: Request<T>) -> JSONDecoder?
}

nonisolated extension APIClientDelegate {
    /// Does nothing.
    public func client(_: APIClient, willSendRequest: inout URLRequest) async throws {}

    /// Throws an ``APIError`` unless the status is 200 to 299.
    public func client(
        _ client: APIClient, validateResponse response: HTTPURLResponse, data: Data,
        task: URLSessionTask
    ) throws {
        try APIClient.validate(response.statusCode)
    }

    /// False.
    public func client(
        _ client: APIClient, shouldRetry task: URLSessionTask, error: any Error, attempts: Int
    ) async throws -> Bool { false }

    /// Nil.
    public func client<T>(_: APIClient, makeURLForRequest _: Request<T>) throws -> URL? { nil }
    /// Nil.
    public func client<T>(_: APIClient, encoderForRequest _: Request<T>) -> JSONEncoder? { nil }
    /// Nil.
    public func client<T>(_: APIClient, decoderForRequest _: Request<T>) -> JSONDecoder? { nil }
}

/// Sends requests.
///
/// Unchecked, because a delegate isn't `Sendable` in Get. Call a client from the actor that its delegate belongs to, and
/// guard the state of a delegate without an actor, if calls run at the same time.
public nonisolated final class APIClient: @unchecked Sendable {
    /// The settings of a client.
    public struct Configuration {
        /// The URL that paths are appended to.
        public var baseURL: URL?
        /// The configuration of URLSession.
        public var sessionConfiguration: URLSessionConfiguration
        /// Changes requests and responses. Default: nil.
        public var delegate: (any APIClientDelegate)?
        /// Decides about redirects. On Apple platforms, it also gets challenges, metrics, and the other events that
        /// `URLSessionTransport(session:)` leaves to a session's delegate. Default: nil.
        public var sessionDelegate: (any URLSessionDelegate)?
        /// Decodes values. Default: dates are ISO 8601.
        public var decoder = JSONDecoder()
        /// Encodes bodies. Default: dates are ISO 8601.
        public var encoder = JSONEncoder()
        /// Not in Get: sends the requests. The ``sessionDelegate`` then only decides about redirects. Default: nil, which
        /// uses URLSession.
        public var transport: (any ServiceTransport)?
        /// Not in Get: interceptors of ServiceProvider, such as `ServiceLog()`. Default: none.
        public var interceptors: [any ServiceInterceptor] = []

        /// Creates settings.
        public init(
            baseURL: URL?, sessionConfiguration: URLSessionConfiguration = .default,
            delegate: (any APIClientDelegate)? = nil
        ) {
            self.baseURL = baseURL
            self.delegate = delegate
            self.sessionConfiguration = sessionConfiguration
            decoder.dateDecodingStrategy = .iso8601
            encoder.dateEncodingStrategy = .iso8601
        }
    }

    /// The settings.
    public let configuration: Configuration
    private let provider: ServiceProvider<GetService>
    /// The session's own headers, with lower-case names. A session keeps a copy of its configuration.
    private let sessionHeaders: [String: String]
    /// The session of a ``Configuration/sessionDelegate``.
    private let session: URLSession?

    /// Creates a client.
    public init(configuration: Configuration) {
        self.configuration = configuration
        let session = configuration.sessionConfiguration
        let headers = (session.httpAdditionalHeaders ?? [:]).compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name.lowercased(), $0) } }
        }
        sessionHeaders = Dictionary(headers) { $1 }
        self.session = configuration.sessionDelegate.map { delegate in
            // A transport wouldn't use a session that calls its delegate in parallel.
            let queue = OperationQueue()
            queue.maxConcurrentOperationCount = 1
            return URLSession(configuration: session, delegate: delegate, delegateQueue: queue)
        }
        let transport =
            self.session.map(URLSessionTransport.init(session:))
            ?? URLSessionTransport(configuration: session)
        var interceptors = configuration.interceptors
        if let session = self.session,
            let delegate = configuration.sessionDelegate as? any URLSessionTaskDelegate
        {
            interceptors.append(DelegatedRedirects(session: session, delegate: delegate))
        }
        provider = ServiceProvider(
            transport: configuration.transport ?? transport, interceptors: interceptors,
            decoder: configuration.decoder)
    }

    deinit { session?.finishTasksAndInvalidate() }

    /// Creates a client.
    public convenience init(baseURL: URL?, _ configure: (inout Configuration) -> Void = { _ in }) {
        var configuration = Configuration(baseURL: baseURL)
        configure(&configuration)
        self.init(configuration: configuration)
    }

    /// Sends a request, and decodes the value in the caller's isolation, so that generic functions can call it. An
    /// Optional is nil if the body is empty.
    @discardableResult
    public nonisolated(nonsending) func send<T: Decodable>(
        _ request: Request<T>, configure: ((inout URLRequest) throws -> Void)? = nil
    ) async throws -> Response<T> {
        try decoded(await load(request, configure: configure), for: request)
    }

    /// Sends a request, and ignores the body of the response.
    @discardableResult
    public nonisolated(nonsending) func send(
        _ request: Request<Void>, configure: ((inout URLRequest) throws -> Void)? = nil
    ) async throws -> Response<Void> {
        Response(value: (), try await load(request, configure: configure))
    }

    /// Sends a request, and returns the body of the response.
    @discardableResult
    public nonisolated(nonsending) func data<T>(
        for request: Request<T>, configure: ((inout URLRequest) throws -> Void)? = nil
    ) async throws -> Response<Data> {
        let loaded = try await load(request, configure: configure)
        return Response(value: loaded.response.data, loaded)
    }

    /// Sends a file, and decodes the value.
    @discardableResult
    public nonisolated(nonsending) func upload<T: Decodable>(
        for request: Request<T>, fromFile file: URL,
        configure: ((inout URLRequest) throws -> Void)? = nil
    ) async throws -> Response<T> {
        try decoded(
            await load(request, upload: .file(file), configure: configure), for: request)
    }

    /// Sends a file.
    @discardableResult
    public nonisolated(nonsending) func upload(
        for request: Request<Void>, fromFile file: URL,
        configure: ((inout URLRequest) throws -> Void)? = nil
    ) async throws -> Response<Void> {
        Response(
            value: (), try await load(request, upload: .file(file), configure: configure))
    }

    /// Sends bytes, and decodes the value.
    @discardableResult
    public nonisolated(nonsending) func upload<T: Decodable>(
        for request: Request<T>, from data: Data,
        configure: ((inout URLRequest) throws -> Void)? = nil
    ) async throws -> Response<T> {
        try decoded(
            await load(request, upload: .data(data), configure: configure), for: request)
    }

    /// Sends bytes.
    @discardableResult
    public nonisolated(nonsending) func upload(
        for request: Request<Void>, from data: Data,
        configure: ((inout URLRequest) throws -> Void)? = nil
    ) async throws -> Response<Void> {
        Response(
            value: (), try await load(request, upload: .data(data), configure: configure))
    }

    /// Loads a response into a temporary file.
    public nonisolated(nonsending) func download<T>(
        for request: Request<T>, configure: ((inout URLRequest) throws -> Void)? = nil
    ) async throws -> Response<URL> {
        let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        do {
            return Response(
                value: file, try await load(request, to: file, configure: configure))
        } catch {
            try? FileManager.default.removeItem(at: file)
            throw error
        }
    }

    /// Returns the request that is sent, as it is before the delegate's `willSendRequest`.
    public nonisolated(nonsending) func makeURLRequest<T>(
        for request: Request<T>
    ) async throws -> URLRequest {
        try built(request).urlRequest
    }

    private func built<T>(_ request: Request<T>) throws -> ServiceRequest {
        let delegate = configuration.delegate
        let url = try delegate?.client(self, makeURLForRequest: request)
        guard url != nil || request.url != nil else { throw URLError(.badURL) }
        let encoder = delegate?.client(self, encoderForRequest: request) ?? configuration.encoder
        let service = GetService(
            request, url: url, baseURL: configuration.baseURL, encoder, sessionHeaders)
        return try provider.request(service: service)
    }

    private nonisolated(nonsending) func load<T>(
        _ request: Request<T>, upload body: ServiceBody? = nil, to file: URL? = nil,
        configure: ((inout URLRequest) throws -> Void)?
    ) async throws -> LoadedResponse {
        let delegate = configuration.delegate
        var built = try built(request)
        try configure?(&built.urlRequest)
        let upload = try body.map { try provider.request(service: GetService(upload: $0)) }
        var attempts = 0
        while true {
            attempts += 1
            var next = built
            try await delegate?.client(self, willSendRequest: &next.urlRequest)
            var task = EndedTask.make(next.urlRequest)
            next.replaceBody(by: upload)
            do {
                let response = try await load(next, to: file)
                task = EndedTask.make(
                    task.originalRequest, response.request.urlRequest, response: response.http)
                try validate(response, task)
                return LoadedResponse(response: response, task: task)
            } catch {
                guard let delegate, file == nil, !Self.isUnsendable(error) else { throw error }
                if task.response == nil {
                    task = EndedTask.make(task.originalRequest, error: error)
                }
                let isRetried = try await delegate.client(
                    self, shouldRetry: task, error: error, attempts: attempts)
                guard isRetried else { throw error }
            }
        }
    }

    /// Whether a request can't be sent. In Get, a delegate isn't asked about it.
    private static func isUnsendable(_ error: any Error) -> Bool {
        guard case ServiceError.invalidRequest = error else { return false }
        return true
    }

    private nonisolated(nonsending) func load(
        _ request: ServiceRequest, to file: URL?
    ) async throws -> ServiceResponse {
        do {
            guard let file else { return try await provider.pipeline.send(request) }
            let service = GetService(request)
            return try await provider.download(service: service, to: file, options: .overwrite)
        } catch {
            // A download has no file then. Every status is valid here; the delegate checks it.
            guard let file, case ServiceError.unacceptableStatus(var response) = error
            else { throw Self.cause(of: error) }
            try response.data.write(to: file)
            response.data = Data()
            return response
        }
    }

    /// The error that Get would throw.
    private static func cause(of error: any Error) -> any Error {
        switch error as? ServiceError {
        case .cancelled: URLError(.cancelled)
        case .transport(let cause): cause
        case .decoding(let cause, _, _), .interceptor(let cause): cause
        default: error
        }
    }

    private func validate(_ response: ServiceResponse, _ task: URLSessionTask) throws {
        guard let delegate = configuration.delegate, let http = response.http else {
            return try Self.validate(response.statusCode)
        }
        try delegate.client(self, validateResponse: http, data: response.data, task: task)
    }

    fileprivate static func validate(_ statusCode: Int) throws {
        guard (200..<300).contains(statusCode) else {
            throw APIError.unacceptableStatusCode(statusCode)
        }
    }

    private func decoded<T: Decodable>(
        _ loaded: LoadedResponse, for request: Request<T>
    ) throws -> Response<T> {
        var response = loaded.response
        if let decoder = configuration.delegate?.client(self, decoderForRequest: request) {
            response.request.decoder = decoder
        }
        do {
            let value: T = try Self.text(of: response) ?? response.decode(T.self)
            return Response(value: value, loaded)
        } catch { throw Self.cause(of: error) }
    }

    /// The whole body, even if it is a JSON string. Nil if the type isn't `String`.
    private static func text<T>(of response: ServiceResponse) throws -> T? {
        guard T.self == String.self else { return nil }
        guard let text = response.text else { throw URLError(.badServerResponse) }
        return text as? T
    }
}

/// Follows redirects, if a session's delegate allows them. The innermost interceptor: the others might add a credential to
/// the next request, which may go to another server.
private nonisolated struct DelegatedRedirects: ServiceInterceptor {
    let session: URLSession
    let delegate: any URLSessionTaskDelegate

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

    /// No delegate can leave https, as everywhere in ServiceProvider.
    private static func isSecure(_ request: URLRequest) -> Bool {
        request.url?.scheme?.lowercased() == "https"
    }

    /// The request that the delegate wants to send after a redirect. Nil if it isn't followed.
    private func decision(
        about next: ServiceRequest, after response: ServiceResponse
    ) async throws -> URLRequest? {
        guard let http = response.http else { return nil }
        let sent = response.request.urlRequest
        let task = EndedTask.make(sent, response: http)
        let (decisions, decide) = AsyncStream.makeStream(of: URLRequest?.self)
        // As URLSession does, on the delegate's queue. The handler may be called later, from any thread.
        session.delegateQueue.addOperation {
            let handler: @Sendable (URLRequest?) -> Void = { _ = decide.yield($0) }
            #if canImport(FoundationNetworking)
            delegate.urlSession(
                session, task: task, willPerformHTTPRedirection: http, newRequest: next.urlRequest,
                completionHandler: handler)
            #else
            let isAsked: Void? = delegate.urlSession?(
                session, task: task, willPerformHTTPRedirection: http, newRequest: next.urlRequest,
                completionHandler: handler)
            if isAsked == nil { handler(next.urlRequest) }
            #endif
        }
        for await decision in decisions {
            return decision
        }
        throw URLError(.cancelled)
    }
}

/// A response, and the task that Get would have used for it.
private nonisolated struct LoadedResponse {
    let response: ServiceResponse
    let task: URLSessionTask
}

/// Through a protocol, the initializer can be called without a warning.
private nonisolated protocol EndedTaskType: URLSessionTask {
    init(
        _ request: URLRequest?, _ lastRequest: URLRequest?, _ response: URLResponse?,
        _ error: (any Error)?)
}

/// A task that has ended. URLSession only makes tasks without a response.
private nonisolated final class EndedTask: URLSessionDataTask, @unchecked Sendable, EndedTaskType {
    // Unchecked, because its superclass is. These are constants.
    private let sent: URLRequest?
    private let answered: URLRequest?
    private let answer: URLResponse?
    private let failure: (any Error)?

    /// Deprecated on Apple platforms, because such a task can't run. This one needn't.
    @available(*, deprecated, message: "Call `make`.")
    init(
        _ request: URLRequest?, _ lastRequest: URLRequest?, _ response: URLResponse?,
        _ error: (any Error)?
    ) {
        sent = request
        answered = lastRequest ?? request
        answer = response
        failure = error
        super.init()
    }

    static func make(
        _ request: URLRequest?, _ lastRequest: URLRequest? = nil, response: URLResponse? = nil,
        error: (any Error)? = nil
    ) -> URLSessionTask {
        let type: any EndedTaskType.Type = EndedTask.self
        return type.init(request, lastRequest, response, error)
    }

    override var originalRequest: URLRequest? { sent }
    override var currentRequest: URLRequest? { answered }
    override var response: URLResponse? { answer }
    override var error: (any Error)? { failure }
    override var state: URLSessionTask.State { .completed }
    override func resume() {}
    override func suspend() {}
    override func cancel() {}
}

nonisolated extension ServiceRequest {
    /// The bytes of an upload replace the body after `configure` and the delegate have seen the request, as in Get.
    fileprivate mutating func replaceBody(by source: ServiceRequest?) {
        guard let source else { return }
        upload = source.upload
        urlRequest.httpBody = source.urlRequest.httpBody
        guard urlRequest.value(forHTTPHeaderField: "Content-Type") == nil else { return }
        let type = source.urlRequest.value(forHTTPHeaderField: "Content-Type")
        urlRequest.setValue(type, forHTTPHeaderField: "Content-Type")
    }
}

/// Builds the `ServiceRequest` of a ``Request``.
private nonisolated struct GetService: Service {
    var baseURL = "http://localhost"
    var encodedPath = ""
    var method = ServiceMethod.post
    var headers: [String: String] = [:]
    var body: ServiceBody?
    var change: (inout ServiceRequest) -> Void = { _ in }
    var path: String { "" }

    init(_ request: ServiceRequest) { change = { $0 = request } }
    init(upload: ServiceBody) { body = upload }

    init<T>(
        _ request: Request<T>, url: URL?, baseURL base: URL?, _ encoder: JSONEncoder,
        _ sessionHeaders: [String: String]
    ) {
        let items = url == nil ? request.query ?? [] : []
        let text = (url ?? request.url)?.absoluteString ?? ""
        if url == nil, request.url?.scheme == nil {
            baseURL = base?.absoluteString ?? ""
            encodedPath = text
        } else {
            // The items replace the query of an absolute URL.
            baseURL = items.isEmpty ? text : String(text.prefix { $0 != "?" && $0 != "#" })
        }
        method = ServiceMethod(rawValue: request.method.rawValue)
        body =
            switch request.body {
            case nil: nil
            case let data as Data: .data(data)
            case let text as String: .data(Data(text.utf8))
            case let value?: .json(value, encoder: encoder)
            }
        headers = request.headers ?? [:]
        let names = Set(headers.keys.map { $0.lowercased() })
        let json = "application/json"
        let defaults = ["Accept": json, "Content-Type": body.map { _ in json }]
        for (name, value) in defaults where !names.contains(name.lowercased()) {
            headers[name] = sessionHeaders[name.lowercased()] ?? value
        }
        change = {
            $0.acceptsAnyStatus = true
            $0.addQueryItems(items.map { (name: $0.0, value: $0.1) })
        }
    }

    func prepare(_ request: inout ServiceRequest) throws {
        change(&request)
        guard !encodedPath.isEmpty else { return }
        guard let path = ServicePath(percentEncoded: encodedPath) else {
            throw ServiceError.invalidRequest(.path, reason: "it must be percent-encoded")
        }
        try request.appendPath(path)
    }
}
