// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Runs requests: interceptors, transport, redirects, status check.
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

    /// Sends a request and checks the status of its response.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        var request = request
        request.decoder = request.decoder ?? decoder
        do {
            try Task.checkCancellation()
            var response = try await chain()(request)
            // Releases what the closure holds, such as a temporary file of a form.
            response.request.upload = nil
            try Task.checkCancellation()
            guard response.isAccepted else { throw ServiceError.unacceptableStatus(response) }
            return response
        } catch {
            // Interceptors may throw a `URLError`, too.
            throw ServiceError(request.reportable(error))
        }
    }

    /// The interceptors, and then the transport with its redirects.
    ///
    /// `@inline(never)` here and below for the reason that `ServiceRequest+Sending.swift` gives.
    @inline(never) private func chain() -> ServiceNext {
        var next: ServiceNext = { try await follow($0) }
        for interceptor in interceptors.reversed() {
            next = { [next] in try await interceptor.intercept($0, next: next) }
        }
        return next
    }

    /// Sends a request, and follows its redirects, as browsers do.
    @concurrent private func follow(_ request: ServiceRequest) async throws -> ServiceResponse {
        var request = request
        var count = 1
        while true {
            let response = try await exchange(&request)
            guard try request.redirect(by: response, count: count) else { return response }
            count += 1
        }
    }

    /// Sends one request with the transport, and opens its body for that: in place, because a second copy of the
    /// request would take memory in each call that waits.
    @inline(never)
    private func exchange(_ request: inout ServiceRequest) async throws -> ServiceResponse {
        let unopened = request.urlRequest
        try request.validate()
        try request.openBody()
        do {
            var response = try await transport.send(request)
            // The upload may last longer than the headers of a streamed response. Its builder stops the source.
            if request.bodySink?.destination != .stream { request.bodySource?.stop() }
            request.sendingRecord?.note(nil)
            // Interceptors can send it again, and its redirect opens the body again.
            response.request.urlRequest = unopened
            return response
        } catch {
            request.bodySource?.stop()
            request.sendingRecord?.note(error)
            throw request.reportable(request.addingEarlierMetrics(to: error))
        }
    }
}
