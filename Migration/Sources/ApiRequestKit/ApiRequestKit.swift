// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Runs requests of the article "Highly Customizable Network Layer in Swift 5" on ServiceProvider. Copy this file in place
// of the article's ApiRequest, NetworkApiClient and ApiResponse, add the package's product ServiceProvider, and remove
// `import Alamofire`. Your requests and services stay as they are. To move on, replace one request at a time by a
// `Service`, and delete this file when none is left.
//
// Its types are public, so that requests in a module of their own compile too.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

import Foundation
import ServiceProvider

public typealias HTTPMethod = ServiceMethod
public typealias ResponseHandler = (ApiResponse) -> Void

/// A request for a `T`. Subclasses override its methods.
open class ApiRequest<T: Codable> {
    public init() {}
    /// Your server.
    open func webserviceUrl() -> String { "https://www.example.com/" }
    open func apiPath() -> String { "api/" }
    open func apiVersion() -> String { "v1.0/" }
    open func apiResource() -> String { "" }
    open func endPoint() -> String { "" }
    /// The query of a GET; JSON in the body of other requests.
    open func bodyParams() -> NSDictionary? { [:] }
    open func requestType() -> HTTPMethod { .post }
    /// The type of the body.
    open func contentType() -> String { "application/json" }
}

/// The outcome of a call.
public struct ApiResponse {
    /// Whether the call succeeded.
    public var success: Bool
    /// The server's message, or else that of the error.
    public var message: String?
    /// The value in `data` of the response.
    public var data: AnyObject?
}

public class NetworkApiClient {
    // Add interceptors here, such as those of the product ServiceProviderExtras.
    private let provider = ServiceProvider<ApiService>()

    public init() {}

    /// Sends a request, and decodes the response. Call it on the main actor, where `responseHandler` runs, because a
    /// `ResponseHandler` isn't `Sendable`. The returned call can be cancelled.
    @discardableResult
    public func callApi<T>(
        request: ApiRequest<T>, responseHandler: @escaping ResponseHandler
    ) -> Task<Void, Never> {
        let handler: (ServiceResult<ServiceResponse>) -> Void = {
            responseHandler(ApiResponse($0, of: T.self))
        }
        nonisolated(unsafe) let end = handler
        let pipeline = provider.pipeline
        return provider.task(service: ApiService(request)) { result in
            end(result)
        } operation: {
            try await pipeline.send($0)
        }
    }
}

/// The JSON of a response.
private struct Envelope<T: Decodable>: Decodable {
    let isSuccess: Bool?
    let message: String?
    let data: T?
}

/// An envelope without its data.
private struct Message: Decodable {
    let message: String?
}

extension ApiResponse {
    fileprivate init<T: Decodable>(_ result: ServiceResult<ServiceResponse>, of _: T.Type) {
        do {
            // Nil if the body is empty.
            let envelope = try result.get()?.decode(Envelope<T>?.self)
            self.init(success: envelope?.isSuccess ?? true, message: envelope?.message)
            data = envelope?.data as AnyObject?
        } catch {
            let response = (error as? ServiceError)?.response
            let message = try? response?.decode(Message.self).message
            self.init(success: false, message: message ?? error.localizedDescription)
        }
    }
}

/// A request as a service.
private struct ApiService: Service {
    let baseURL: String
    let method: ServiceMethod
    let parameters: [String: Any]?
    var headers: [String: String] = [:]
    var parameterEncoding = ServiceParameterEncoding(destination: .query)
    var path: String { "" }

    init<T>(_ request: ApiRequest<T>) {
        let path = request.apiPath() + request.apiVersion() + request.apiResource()
        let text = request.webserviceUrl() + path + request.endPoint()
        // Encodes spaces and the like.
        baseURL = URL(string: text)?.absoluteString ?? text
        method = request.requestType()
        parameters = request.bodyParams() as? [String: Any]
        guard method != .get else { return }
        headers = ["Content-Type": request.contentType()]
        parameterEncoding.destination = .json
    }
}
