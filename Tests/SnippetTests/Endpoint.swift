// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// An endpoint with the values of one test.
nonisolated struct Endpoint: Service, @unchecked Sendable {
    // Unchecked, because parameters and body can hold any value. Tests only put literals there.
    var baseURL = "https://example.com/api"
    var path = ""
    var method = ServiceMethod.get
    var parameters: [String: Any]?
    var headers: [String: String] = [:]
    var body: ServiceBody?
    var change: @Sendable (inout ServiceRequest) throws -> Void = { _ in }

    func prepare(_ request: inout ServiceRequest) throws { try change(&request) }

    /// The request that a provider sends for this endpoint.
    func request() async throws -> URLRequest {
        let provider = ServiceProvider<Endpoint>(interceptors: [Stub()])
        return try await provider.response(service: self).request.urlRequest
    }

    func url() async throws -> String {
        try #require(try await request().url).absoluteString
    }

    /// The part of the URL after its first question mark.
    func query() async throws -> String {
        let parts = try await url().split(separator: "?", maxSplits: 1)
        return parts.count == 2 ? String(parts[1]) : ""
    }

    func bodyText() async throws -> String {
        String(decoding: try await request().httpBody ?? Data(), as: UTF8.self)
    }

    /// The error of a call. Nil if it succeeds.
    func failure(
        _ provider: ServiceProvider<Endpoint> = .init(interceptors: [Stub()])
    ) async -> ServiceError? {
        do {
            _ = try await provider.response(service: self)
            return nil
        } catch {
            return error as? ServiceError
        }
    }

    /// The invalid part of the request. Nil if all parts are valid.
    func invalidPart() async -> ServiceError.RequestPart? {
        guard case .invalidRequest(let part, _) = await failure() else { return nil }
        return part
    }
}

// An app may have its own helpers with any names. They must not change what is sent.
extension String {
    func percentEncoded() -> String { self }
}
extension UInt8 {
    var isUnreserved: Bool { true }
}

/// Responds to requests without a network.
struct Stub: ServiceInterceptor {
    var statusCode = 200
    var headers: [String: String] = [:]
    var data = Data()

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        ServiceResponse(request: request, statusCode: statusCode, headers: headers, data: data)
    }
}
