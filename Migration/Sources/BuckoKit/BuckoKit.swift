// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Runs endpoints of the article "Protocol-Oriented Networking in Swift" (Bucko, with Alamofire 4)
// on ServiceProvider. Copy this file in place of the article's protocol and client, add the
// package's product ServiceProviderExtras, and remove `import Alamofire`. To move on, replace one
// endpoint at a time by a `Service`, and delete this file at the end.

import ServiceProviderExtras

typealias HTTPMethod = ServiceMethod
typealias HTTPHeaders = [String: String]
typealias Parameters = [String: Any]
typealias ParameterEncoding = ServiceParameterEncoding
/// A running call, which can be cancelled.
typealias Request = Task<Void, Never>
typealias ResponseClosure = (DataResponse<Any>) -> Void

enum URLEncoding {
    /// The query for GET, HEAD and DELETE, a form for other methods.
    static var `default`: ParameterEncoding { .init(destination: .queryOrForm, booleans: .numeric) }
}

enum JSONEncoding {
    static var `default`: ParameterEncoding { .init(destination: .json) }
}

/// An endpoint: its URL, and the contents of its request.
protocol Endpoint {
    var baseURL: String { get }
    var path: String { get }
    var fullURL: String { get }
    var method: HTTPMethod { get }
    var encoding: ParameterEncoding { get }
    var body: Parameters { get }
    var headers: HTTPHeaders { get }
}

extension Endpoint {
    var encoding: ParameterEncoding { method == .get ? URLEncoding.default : JSONEncoding.default }
    var fullURL: String { baseURL + path }
    var body: Parameters { Parameters() }
}

/// Gets each failure before the call's own closure.
protocol BuckoErrorHandler {
    func buckoRequest(request: URLRequest, error: Error)
}

/// The members of Alamofire's response that the article reads.
struct DataResponse<Value> {
    let request: URLRequest?
    var response: HTTPURLResponse?
    var data: Data?
    let result: Result<Value, Error>
}

extension Result where Failure == Error {
    var isSuccess: Bool { error == nil }
    var value: Success? { try? get() }
    var error: Error? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}

struct Bucko {
    // Change it only before the first call.
    nonisolated(unsafe) static var shared = Bucko()
    var delegate: BuckoErrorHandler?
    nonisolated init() {}

    @discardableResult
    func request(_ endpoint: Endpoint, completion: @escaping ResponseClosure) -> Request {
        request(endpoint: endpoint, completion: completion)
    }

    /// Call it on the main actor, where `completion` runs. A response isn't an error, whatever its status code.
    @discardableResult
    func request(endpoint: Endpoint, completion: @escaping ResponseClosure) -> Request {
        // Add interceptors here, such as `ServiceLog()` of the product ServiceProviderDiagnostics.
        let provider = ServiceProvider<EndpointService>()
        let service = EndpointService(endpoint: endpoint)
        let request = try? provider.request(service: service).urlRequest
        let pipeline = provider.pipeline
        nonisolated(unsafe) let delegate = delegate
        nonisolated(unsafe) let completion = completion
        return provider.task(service: service) { outcome in
            var response = DataResponse(request: request, result: json(of: outcome))
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
        } operation: {
            try await pipeline.send($0)
        }
    }
}

/// As in Alamofire, an empty body is an error unless the status is 204 or 205.
private func json(of outcome: ServiceResult<ServiceResponse>) -> Result<Any, Error> {
    switch outcome {
    case .success(let response) where [204, 205].contains(response.statusCode): .success(NSNull())
    case .success(let response):
        Result { try JSONSerialization.jsonObject(with: response.data, options: .fragmentsAllowed) }
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
