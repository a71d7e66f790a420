// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider

/// Sends each request to a server on this device, whatever the base URL of the service is.
struct LocalServer: ServiceInterceptor {
    private let server: LoopbackServer

    /// Creates an interceptor that keeps the server running.
    init(_ server: LoopbackServer) {
        self.server = server
    }

    /// Replaces the scheme, the host and the port.
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        if let url = request.urlRequest.url, var parts = URLComponents(string: url.absoluteString) {
            (parts.scheme, parts.host, parts.port) = ("http", "127.0.0.1", server.port)
            request.urlRequest.url = parts.url
        }
        return try await next(request)
    }
}
