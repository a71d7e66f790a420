// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Runs endpoints of the article "Writing a Network Layer in Swift: Protocol-Oriented Approach" on ServiceProvider. Copy
// this file, add the package's product ServiceProvider, and delete the article's folders Service and Encoding. Your
// endpoints and your NetworkManager stay as they are. To move on, replace one endpoint at a time by a `Service`, and
// delete this file when none is left.
//
// Its types are public, so that public endpoints in a module of their own compile too.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

public typealias HTTPMethod = ServiceMethod
public typealias HTTPHeaders = [String: String]
public typealias Parameters = [String: Any]
public typealias NetworkRouterCompletion = (Data?, URLResponse?, Error?) -> Void

/// An endpoint: its URL, and the contents of its request.
public protocol EndPointType {
    var baseURL: URL { get }
    var path: String { get }
    var httpMethod: HTTPMethod { get }
    var task: HTTPTask { get }
    var headers: HTTPHeaders? { get }
}

/// The parameters that a request sends: those of the URL, those of the body, or both.
public enum ParameterEncoding {
    case urlEncoding, jsonEncoding, urlAndJsonEncoding
}

/// The parameters and headers of a request. The body is JSON.
public enum HTTPTask {
    case request
    case requestParameters(
        bodyParameters: Parameters?, bodyEncoding: ParameterEncoding = .urlAndJsonEncoding,
        urlParameters: Parameters?)
    /// `additionHeaders` replace those of the endpoint with the same name.
    case requestParametersAndHeaders(
        bodyParameters: Parameters?, bodyEncoding: ParameterEncoding = .urlAndJsonEncoding,
        urlParameters: Parameters?, additionHeaders: HTTPHeaders?)
}

public protocol NetworkRouter: AnyObject {
    associatedtype EndPoint: EndPointType
    func request(_ route: EndPoint, completion: @escaping NetworkRouterCompletion)
    func cancel()
}

/// Sends the requests of one type of endpoint.
public class Router<EndPoint: EndPointType>: NetworkRouter {
    // Add interceptors here, such as those of the product ServiceProviderExtras.
    private let provider = ServiceProvider<EndPointService<EndPoint>>()
    private var task: Task<Void, Never>?

    public init() {}

    /// Sends a request. A response isn't an error, whatever its status code. Call it on the main actor, where
    /// `completion` runs, because a `NetworkRouterCompletion` isn't `Sendable`.
    public func request(_ route: EndPoint, completion: @escaping NetworkRouterCompletion) {
        nonisolated(unsafe) let completion = completion
        let pipeline = provider.pipeline
        task = provider.task(service: EndPointService(route: route)) { result in
            switch result {
            case .success(let response), .failure(.unacceptableStatus(let response)):
                completion(response.data, response.urlResponse, nil)
            case .failure(.transport(let error)): completion(nil, nil, error)
            case .failure(.cancelled): completion(nil, nil, URLError(.cancelled))
            case .failure(let error): completion(nil, nil, error)
            case .empty: break  // The closure below always returns a response.
            }
        } operation: {
            try await pipeline.send($0)
        }
    }

    /// Cancels the last request.
    public func cancel() { task?.cancel() }
}

extension ServiceResponse {
    fileprivate var urlResponse: URLResponse? {
        guard let url = request.urlRequest.url else { return nil }
        return HTTPURLResponse(
            url: url, statusCode: statusCode, httpVersion: nil, headerFields: headers)
    }
}

/// An endpoint as a service.
private struct EndPointService<EndPoint: EndPointType>: Service {
    let route: EndPoint

    var baseURL: String { route.baseURL.absoluteString }
    var path: String { route.path }
    var method: ServiceMethod { route.httpMethod }
    var parameterEncoding: ServiceParameterEncoding { .init(destination: .query) }
    var timeout: TimeInterval? { 10 }
    var headers: [String: String] { (route.headers ?? [:]).merging(parts.headers ?? [:]) { $1 } }
    var parameters: [String: Any]? { parts.encoding == .jsonEncoding ? nil : parts.url }

    var body: ServiceBody? {
        guard parts.encoding != .urlEncoding, let parameters = parts.body else { return nil }
        let text = Swift.Result {
            try ServiceParameterEncoding(destination: .json).encode(parameters)
        }
        return ServiceBody {
            $0.urlRequest.httpBody = Data(try text.get().utf8)
            return "application/json"
        }
    }

    private var parts: TaskParts {
        switch route.task {
        case .request: TaskParts()
        case .requestParameters(let body, let encoding, let url):
            TaskParts(body: body, encoding: encoding, url: url)
        case .requestParametersAndHeaders(let body, let encoding, let url, let headers):
            TaskParts(body: body, encoding: encoding, url: url, headers: headers)
        }
    }
}

/// The values of each case of ``HTTPTask``.
private struct TaskParts {
    var body: Parameters?
    var encoding = ParameterEncoding.urlAndJsonEncoding
    var url: Parameters?
    var headers: HTTPHeaders?
}
