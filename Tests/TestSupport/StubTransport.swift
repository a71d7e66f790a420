// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Returns responses from a closure, and sends nothing.
public struct StubTransport: ServiceTransport {
    private let respond: @Sendable (ServiceRequest) async throws -> ServiceResponse

    public init(_ respond: @escaping @Sendable (ServiceRequest) async throws -> ServiceResponse) {
        self.respond = respond
    }

    public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        try await respond(request)
    }
}

extension ServiceRequest {
    public func respond(
        _ status: Int, headers: [String: String] = [:], data: Data = Data("body".utf8)
    ) throws -> ServiceResponse {
        ServiceResponse(request: self, statusCode: status, headers: headers, data: data)
    }

    public func header(_ name: String) -> String? { urlRequest.value(forHTTPHeaderField: name) }
}
