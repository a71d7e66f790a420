// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Runs endpoints of the article "Protocol-Oriented Networking in Swift" (Bucko, with Alamofire 4)
// on ServiceProvider. Copy this file in place of the article's protocol and client, add the
// package's product ServiceProviderExtras, and remove `import Alamofire`. To move on, replace one
// endpoint at a time by a `Service`, and delete this file at the end.
//
// Its types are public, so that public endpoints in a module of their own compile too.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import ServiceProviderExtras

public typealias HTTPMethod = ServiceMethod
public typealias HTTPHeaders = [String: String]
public typealias Parameters = [String: Any]
public typealias ParameterEncoding = ServiceParameterEncoding
/// A running call, which can be cancelled.
public typealias Request = Task<Void, Never>
public typealias ResponseClosure = (DataResponse<Any>) -> Void

public enum URLEncoding {
    /// The query for GET, HEAD and DELETE, a form for other methods.
    public static var `default`: ParameterEncoding {
        .init(destination: .queryOrForm, booleans: .numeric)
    }
}

public enum JSONEncoding {
    public static var `default`: ParameterEncoding { .init(destination: .json) }
}

/// An endpoint: its URL, and the contents of its request.
public protocol Endpoint {
    var baseURL: String { get }
    var path: String { get }
    var fullURL: String { get }
    var method: HTTPMethod { get }
    var encoding: ParameterEncoding { get }
    var body: Parameters { get }
    var headers: HTTPHeaders { get }
}

extension Endpoint {
    public var encoding: ParameterEncoding {
        method == .get ? URLEncoding.default : JSONEncoding.default
    }
    public var fullURL: String { baseURL + path }
    public var body: Parameters { Parameters() }
}

/// Gets each failure before the call's own closure.
public protocol BuckoErrorHandler {
    func buckoRequest(request: URLRequest, error: Error)
}

/// The members of Alamofire's response that the article reads.
public struct DataResponse<Value> {
    public let request: URLRequest?
    public internal(set) var response: HTTPURLResponse?
    public internal(set) var data: Data?
    public let result: Result<Value, Error>
}

extension Result where Failure == Error {
    public var isSuccess: Bool { error == nil }
    public var value: Success? { try? get() }
    public var error: Error? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

public struct Bucko {
    // Change it only before the first call.
    nonisolated(unsafe) public static var shared = Bucko()
    public var delegate: BuckoErrorHandler?
    nonisolated public init() {}

    @discardableResult
    public func request(_ endpoint: Endpoint, completion: @escaping ResponseClosure) -> Request {
        request(endpoint: endpoint, completion: completion)
    }

    /// Call it on the main actor, where `completion` runs. A response isn't an error, whatever its status code.
    @discardableResult
    public func request(endpoint: Endpoint, completion: @escaping ResponseClosure) -> Request {
        load(endpoint, value: json(of:), completion: completion)
    }

    /// The same for a response that isn't JSON.
    @discardableResult
    public func requestData(
        endpoint: Endpoint, completion: @escaping (DataResponse<Data>) -> Void
    ) -> Request {
        load(endpoint, value: data(of:), completion: completion)
    }

    private func load<Value>(
        _ endpoint: Endpoint,
        value: @escaping (ServiceResult<ServiceResponse>) -> Result<Value, Error>,
        completion: @escaping (DataResponse<Value>) -> Void
    ) -> Request {
        // Add interceptors here, such as `ServiceLog()` of the product ServiceProviderExtras.
        let provider = ServiceProvider<EndpointService>()
        let service = EndpointService(endpoint: endpoint)
        let request = try? provider.request(service: service).urlRequest
        let pipeline = provider.pipeline
        let delegate = delegate
        let handler: (ServiceResult<ServiceResponse>) -> Void = { outcome in
            var response = DataResponse(request: request, result: value(outcome))
            if case .success(let received) = outcome, let url = request?.url {
                response.data = received.data
                response.response = HTTPURLResponse(
                    url: url, statusCode: received.statusCode, httpVersion: nil,
                    headerFields: received.headers)
            }
            if let request, let error = response.result.error {
                delegate?.buckoRequest(request: request, error: error)
            }
            completion(response)
        }
        nonisolated(unsafe) let end = handler
        return provider.task(service: service) { outcome in
            end(outcome)
        } operation: {
            try await pipeline.send($0)
        }
    }
}

private func json(of outcome: ServiceResult<ServiceResponse>) -> Result<Any, Error> {
    body(of: outcome, empty: NSNull()) {
        try JSONSerialization.jsonObject(with: $0, options: .fragmentsAllowed)
    }
}

private func data(of outcome: ServiceResult<ServiceResponse>) -> Result<Data, Error> {
    body(of: outcome, empty: Data()) { $0 }
}

/// As in Alamofire, the statuses 204 and 205 need no body. (JSON has one in any other case.)
private func body<Value>(
    of outcome: ServiceResult<ServiceResponse>, empty: Value, read: (Data) throws -> Value
) -> Result<Value, Error> {
    switch outcome {
    case .success(let response) where [204, 205].contains(response.statusCode): .success(empty)
    case .success(let response): Result { try read(response.data) }
    case .failure(.transport(let error)): .failure(error)
    case .failure(.cancelled), .empty: .failure(URLError(.cancelled))
    case .failure(let error): .failure(error)
    }
}

/// An endpoint as a service.
private struct EndpointService: Service {
    let endpoint: Endpoint

    var baseURL: String { endpoint.fullURL }
    var path: String { "" }
    var method: ServiceMethod { endpoint.method }
    var headers: [String: String] { endpoint.headers }
    var parameters: [String: Any]? { endpoint.body }
    var parameterEncoding: ServiceParameterEncoding { endpoint.encoding }

    func prepare(_ request: inout ServiceRequest) { request.acceptsAnyStatus = true }
}
