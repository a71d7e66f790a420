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
            // Releases the body's resources, such as a temporary file.
            response.request.upload = nil
            try Task.checkCancellation()
            guard response.request.validStatusCodes.contains(response.statusCode) else {
                throw ServiceError.unacceptableStatus(response)
            }
            return response
        } catch {
            throw ServiceError(request.reportable(error))
        }
    }

    /// The interceptors, and then the transport with its redirects.
    @inline(never) private func chain() -> ServiceNext {
        var next: ServiceNext = { try await follow($0) }
        for interceptor in interceptors.reversed() {
            next = { [next] in try await interceptor.intercept($0, next: next) }
        }
        return next
    }

    /// Sends a request, and follows up to 20 redirects, as browsers do.
    @concurrent private func follow(_ request: ServiceRequest) async throws -> ServiceResponse {
        var request = request
        var hop = 1
        while true {
            let response = try await exchange(&request)
            guard try request.follow(response, hop: hop) else { return response }
            hop += 1
        }
    }

    /// Sends one request with the transport, and opens its body for that.
    @inline(never)
    private func exchange(_ request: inout ServiceRequest) async throws -> ServiceResponse {
        let closed = request.urlRequest
        try request.openBody()
        do {
            var response = try await transport.send(request)
            // With its body closed, so that interceptors can send it again.
            response.request.urlRequest = closed
            return response
        } catch {
            throw request.reportable(error)
        }
    }
}

// The functions with `@inline(never)`: inlined, their variables would take memory in each call that waits. A task gets
// its memory in pieces of 1 KB; three of them are enough for a call. See "10,000 requests at once" in Benchmarks.
nonisolated extension ServiceRequest {
    /// Becomes the request that follows a redirect. Returns false if the response isn't one, or must not be followed.
    @inline(never) mutating func follow(_ redirect: ServiceResponse, hop: Int) throws -> Bool {
        guard hop <= 20, var next = redirect.request.redirected(by: redirect) else { return false }
        if let onRedirect {
            guard let decided = try onRedirect(next, redirect, hop) else { return false }
            next = decided
        }
        guard next.isSecure || !isSecure else { return false }
        self = next
        return true
    }

    var isSecure: Bool { urlRequest.url?.scheme?.lowercased() == "https" }

    /// Checks the request, and opens its body for a transport.
    @inline(never) fileprivate mutating func openBody() throws {
        try validate()
        guard let upload else { return }
        let body = try ServiceError.wrapping(.body) { try upload() }
        urlRequest.httpBodyStream = body.stream
        urlRequest.setValue("\(body.size)", forHTTPHeaderField: "Content-Length")
    }

    /// The error to report: that of the body's stream if it has failed; else the error. A `URLError` keeps only
    /// the scheme, host and port of its URL. (On Linux, it sometimes has no URL.)
    @inline(never) func reportable(_ error: any Error) -> any Error {
        // Foundation on Linux traps when `streamError` is read without one.
        let stream = urlRequest.httpBodyStream
        if stream?.streamStatus == .error, let cause = stream?.streamError {
            return ServiceError(cause, of: .body)
        }
        guard let error = error as? URLError else { return error }
        let url = error.failingURL ?? urlRequest.url
        var info: [String: Any] = [:]
        info[NSURLErrorFailingURLErrorKey] = url.flatMap { URL(string: Self.origin(of: $0)) }
        // The reason for a missing network. The text and the reason have no URL.
        for key in [NSLocalizedDescriptionKey, "NSURLErrorNetworkUnavailableReasonKey"] {
            info[key] = error.userInfo[key]
        }
        // Without the user info of the cause, which may have the URL.
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        info[NSUnderlyingErrorKey] = cause.map { NSError(domain: $0.domain, code: $0.code) }
        return URLError(error.code, userInfo: info)
    }
}
