// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Runs requests: interceptors, redirects, transport, status check, decoding.
///
/// Every ``ServiceProvider`` has one. It isn't generic, so a closure can capture it without
/// capturing the service's type.
public nonisolated struct ServicePipeline: Sendable {
    /// Sends the requests.
    public var transport: any ServiceTransport
    /// The interceptors, outermost first.
    public var interceptors: [any ServiceInterceptor]
    /// Decodes the responses of requests without their own decoder.
    public var decoder: any ServiceDecoder
    /// Called for each call that fails, with its request if it could be built. Default: nil.
    public var onFailure: (@Sendable (ServiceError, ServiceRequest?) -> Void)?

    /// Builds the request for a service.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, or the error of
    ///   ``Service/prepare(_:)``.
    public func makeRequest(for service: some Service) throws(ServiceError) -> ServiceRequest {
        do { return try ServiceRequest(service) } catch { throw reported(error, for: nil) }
    }

    /// Sends a request and checks the status of its response.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    @concurrent public func send(
        _ request: ServiceRequest
    ) async throws(ServiceError) -> ServiceResponse {
        var request = request
        // Errors use this decoder to decode their response.
        request.decoder = request.decoder ?? decoder
        do {
            try Task.checkCancellation()
            var response = try await chain()(request)
            // Releases the body's resources, such as a temporary file.
            response.request.upload = nil
            try Task.checkCancellation()
            guard response.request.validStatusCodes.contains(response.statusCode) else {
                throw ServiceError.unacceptableStatus(response)
            }
            return response
        } catch {
            throw failure(error, of: request)
        }
    }

    /// Sends a request with the transport, and follows up to 20 redirects, as browsers do.
    @concurrent private func exchange(_ request: ServiceRequest) async throws -> ServiceResponse {
        var (request, redirects, metrics) = (request, 0, [ServiceMetrics]())
        while true {
            var response = try await attempt(request.checkedWithOpenBody())
            response.metrics.insert(contentsOf: metrics, at: 0)
            // The request with its body still closed, so that interceptors can send it again.
            response.request = request
            redirects += 1
            metrics = response.metrics
            guard redirects <= 20, try request.follow(response, redirects) else { return response }
        }
    }

    private func attempt(_ request: ServiceRequest) async throws -> ServiceResponse {
        do {
            let response = try await transport.send(request)
            // The transfer of a streamed response goes on.
            if request.bodySink?.destination != .stream { request.closeUnopenedBody() }
            return response
        } catch {
            request.closeUnopenedBody()
            throw request.redactingURL(of: error)
        }
    }

    // Not inlined, because a waiting call would keep their variables in memory.

    @inline(never) private func chain() -> ServiceNext {
        var next: ServiceNext = { try await exchange($0) }
        for interceptor in interceptors.reversed() {
            next = { [next] in try await interceptor.intercept($0, next: next) }
        }
        return next
    }

    @inline(never) private func failure(
        _ error: any Error, of request: ServiceRequest
    ) -> ServiceError {
        reported(ServiceError(request.redactingURL(of: error)), for: request)
    }

    /// Decodes a response, in the caller's isolation.
    ///
    /// - Throws: ``ServiceError/emptyResponse(_:)``, ``ServiceError/decoding(_:_:as:)``.
    public func decode<U: Decodable>(
        _: U.Type, from response: ServiceResponse
    ) throws(ServiceError) -> U {
        var response = response
        response.request.decoder = response.request.decoder ?? decoder
        do throws(ServiceError) { return try response.decode(U.self) } catch {
            throw reported(error, for: response.request)
        }
    }

    /// Decodes a response off the caller's actor.
    ///
    /// - Throws: ``ServiceError/emptyResponse(_:)``, ``ServiceError/decoding(_:_:as:)``.
    @concurrent public func decodeConcurrently<U: Decodable & SendableMetatype>(
        _ type: U.Type, from response: ServiceResponse
    ) async throws(ServiceError) -> sending U {
        try decode(type, from: response)
    }

    /// Calls ``onFailure`` with the error, then returns the error.
    public func reported(_ error: ServiceError, for request: ServiceRequest?) -> ServiceError {
        onFailure?(error, request)
        return error
    }
}
