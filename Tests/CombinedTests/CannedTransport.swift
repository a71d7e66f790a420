// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport

/// Responds with headers that no Foundation type has parsed, and sends nothing.
struct CannedTransport: ServiceTransport {
    var status = 200
    var headers: [String: String] = [:]
    var body = Data()

    private static let url = "https://example.com/a"

    func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        // A redirect leads to a good response. (Not the URL's `path`: marks take long to compare.)
        let isFirst = request.urlRequest.url?.absoluteString == Self.url
        return ServiceResponse(
            request: request, statusCode: isFirst ? status : 200, headers: headers, data: body)
    }

    /// Sends a request through interceptors to this transport: a POST if it has a body.
    @discardableResult
    func call(
        through interceptors: [any ServiceInterceptor], body: Data? = nil
    ) async -> Swift.Result<ServiceResponse, ServiceError> {
        let provider = ServiceProvider<TestService>(transport: self, interceptors: interceptors)
        var service = TestService(baseURL: Self.url)
        if let body {
            service.method = .post
            service.body = .data(body, contentType: "text/plain")
        }
        return await provider.outcome(of: service)
    }
}
