// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Returns the same response to every request, without a server.
struct FuzzStub: ServiceTransport {
    var status = 200
    var headers: [String: String] = [:]
    var data = Data()

    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        try response(to: request)
    }

    func response(to request: ServiceRequest) throws -> ServiceResponse {
        let fields = headers
        return ServiceResponse(
            request: request, statusCode: status, headers: fields, data: data)
    }

    /// Creates a response to a request for `url`.
    func response(to url: String = "https://example.com/a/b?c=d") throws -> ServiceResponse {
        guard let url = URL(string: url) else { throw URLError(.badURL) }
        return try response(to: ServiceRequest(URLRequest(url: url)))
    }
}
