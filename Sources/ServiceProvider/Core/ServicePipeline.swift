// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What happens between the service and the caller: interceptors, redirects and transport, then the
/// check of the status, then the decoder.
///
/// It keeps nothing of the service, so that nothing of the service travels with the request.
nonisolated final class ServicePipeline: Sendable {
    let transport: any ServiceTransport
    let interceptors: [any ServiceInterceptor]
    let decoder: any ServiceDecoder
    /// Told of each call that fails, with its request where it could be built.
    let onFailure: (@Sendable (ServiceError, ServiceRequest?) -> Void)?

    init(
        transport: any ServiceTransport, interceptors: [any ServiceInterceptor],
        decoder: any ServiceDecoder,
        onFailure: (@Sendable (ServiceError, ServiceRequest?) -> Void)? = nil
    ) {
        self.transport = transport
        self.interceptors = interceptors
        self.decoder = decoder
        self.onFailure = onFailure
    }

    /// The same, but for who is told of failures.
    func with(onFailure: (@Sendable (ServiceError, ServiceRequest?) -> Void)?)
        -> ServicePipeline
    {
        ServicePipeline(
            transport: transport, interceptors: interceptors, decoder: decoder,
            onFailure: onFailure)
    }

    /// The same pipeline with one more interceptor, right before the transport.
    func adding(innermost interceptor: any ServiceInterceptor) -> ServicePipeline {
        ServicePipeline(
            transport: transport, interceptors: interceptors + [interceptor], decoder: decoder,
            onFailure: onFailure)
    }

    /// The same error, of which whoever listens has been told.
    func telling(of error: ServiceError, _ request: ServiceRequest?) -> ServiceError {
        onFailure?(error, request)
        return error
    }

    /// Builds the request for a service. It has a decoder, so that errors can decode their response.
    func read(_ service: some Service) throws(ServiceError) -> ServiceRequest {
        do {
            var request = try ServiceRequest(service)
            request.decoder = request.decoder ?? decoder
            return request
        } catch {
            throw telling(of: error, nil)
        }
    }

    @concurrent func run(_ request: ServiceRequest) async throws(ServiceError) -> ServiceResponse {
        do {
            try Task.checkCancellation()
            return try accepted(await chain()(request))
        } catch {
            throw telling(of: ServiceError(error), request)
        }
    }

    /// All interceptors, around the exchange.
    private func chain() -> ServiceNext {
        var next: ServiceNext = { [self] request in try await exchange(request) }
        for interceptor in interceptors.reversed() {
            next = { [next] request in try await interceptor.intercept(request, next: next) }
        }
        return next
    }

    /// The answer, where its status counts as success.
    private func accepted(_ answer: ServiceResponse) throws -> ServiceResponse {
        var response = answer
        // What it holds, such as a temporary file, goes with the call.
        if response.request.upload != nil { response.request.upload = nil }
        try Task.checkCancellation()
        guard response.request.validStatusCodes.contains(response.statusCode) else {
            throw ServiceError.unacceptableStatus(response)
        }
        return response
    }

    /// The innermost step: the transport, and again where a redirect says so, as often as browsers and
    /// URLSession do it.
    @concurrent private func exchange(_ request: ServiceRequest) async throws -> ServiceResponse {
        var (request, hops) = (request, 0)
        while true {
            try request.validate(headers: request.urlRequest.allHTTPHeaderFields ?? [:])
            let sent = try request.opened()
            var response: ServiceResponse
            do { response = try await transport.send(sent) } catch { throw sent.naming(error) }
            guard hops < 20, let next = request.redirected(by: response) else {
                // Not the one whose body has been read: this one can be sent again.
                response.request = request
                return response
            }
            (request, hops) = (next, hops + 1)
        }
    }

    /// Off the main actor: for types whose conformance to Decodable belongs to no actor.
    @concurrent func decode<U: Decodable & SendableMetatype>(
        _ type: U.Type, from response: ServiceResponse
    ) async throws(ServiceError) -> sending U {
        try value(type, in: response)
    }

    /// In the isolation of the caller.
    func value<U: Decodable>(_: U.Type, in response: ServiceResponse) throws(ServiceError) -> U {
        guard !response.data.isEmpty || U.self == Data.self else {
            if let absent = Any?.none as? U { return absent }
            throw telling(of: .emptyResponse(response), response.request)
        }
        do {
            let decoder = response.request.decoder ?? decoder
            return try decoder.decode(U.self, from: response)
        } catch {
            throw telling(of: .decoding(error, response, as: "\(U.self)"), response.request)
        }
    }
}

nonisolated extension ServiceRequest {
    /// The same error, of what became of this request; a `URLError` names where it went: the platform's
    /// name the whole URL, keys included, or on Linux at times none.
    func naming(_ error: any Error) -> any Error {
        // Foundation on Linux traps where a stream is asked for an error that it has not.
        if let stream = urlRequest.httpBodyStream, stream.streamStatus == .error,
            let cause = stream.streamError
        {
            return ServiceError(cause, of: .body)
        }
        guard let error = error as? URLError else { return error }
        var info = [NSURLErrorFailingURLErrorKey: URL(string: place) as Any]
        info[NSLocalizedDescriptionKey] = error.userInfo[NSLocalizedDescriptionKey]
        return URLError(error.code, userInfo: info)
    }
}
