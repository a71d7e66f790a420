// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Runs requests of the article "Highly Customizable Network Layer in Swift 5" on ServiceProvider. Copy this file in place
// of the article's ApiRequest, NetworkApiClient and ApiResponse, add the package's product ServiceProvider, and remove
// `import Alamofire`. Your requests and services stay as they are. To move on, replace one request at a time by a
// `Service`, and delete this file when none is left.

import Foundation
import ServiceProvider

typealias HTTPMethod = ServiceMethod
typealias ResponseHandler = (ApiResponse) -> Void

/// A request whose response has a `T`. Subclasses override its methods.
class ApiRequest<T: Codable> {
    init() {}
    /// Your server.
    func webserviceUrl() -> String { "https://www.example.com/" }
    func apiPath() -> String { "api/" }
    func apiVersion() -> String { "v1.0/" }
    func apiResource() -> String { "" }
    func endPoint() -> String { "" }
    /// The query of a GET; JSON in the body of other requests.
    func bodyParams() -> NSDictionary? { [:] }
    func requestType() -> HTTPMethod { .post }
    /// The type of the body.
    func contentType() -> String { "application/json" }
}

/// The outcome of a call.
struct ApiResponse {
    /// Whether the call succeeded.
    var success: Bool
    /// The server's message, or else that of the error.
    var message: String?
    /// The value in `data` of the response.
    var data: AnyObject?
}

class NetworkApiClient {
    // Add interceptors here, such as those of the product ServiceProviderExtras.
    private let provider = ServiceProvider<ApiService>()

    /// Sends a request, and decodes the response. Call it on the main actor, where `responseHandler` runs, because a
    /// `ResponseHandler` isn't `Sendable`. The returned call can be cancelled.
    @discardableResult
    func callApi<T>(
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
