// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The front door: runs the endpoints of one service.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>()
/// let page = try await provider.load(service: .characters(name: "Hulk"), decodeType: Page.self)
/// ```
///
/// A provider holds no state of its own: make one and keep it, or make one for each call.
public nonisolated final class ServiceProvider<T: Service>: Sendable {
    let pipeline: ServicePipeline

    /// Makes a provider that runs on a transport: see `URLSessionTransport.swift` for one that needs none.
    ///
    /// - Parameters:
    ///   - transport: What runs the requests.
    ///   - interceptors: See and change requests and responses, the first one outermost. Default: none.
    ///   - decoder: Makes values of bodies. Default: `JSONDecoder()`.
    public init(
        transport: any ServiceTransport,
        interceptors: [any ServiceInterceptor] = [],
        decoder: any ServiceDecoder = JSONDecoder()
    ) {
        pipeline = .init(transport: transport, interceptors: interceptors, decoder: decoder)
    }

    /// The same provider with one more interceptor, the outermost: for what only some calls need.
    public func adding(_ interceptor: any ServiceInterceptor) -> ServiceProvider {
        ServiceProvider(
            ServicePipeline(
                transport: pipeline.transport, interceptors: [interceptor] + pipeline.interceptors,
                decoder: pipeline.decoder, onFailure: pipeline.onFailure))
    }

    init(_ pipeline: ServicePipeline) {
        self.pipeline = pipeline
    }

    /// The request that `load(service:)` sends, before interceptors see it.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``.
    public func request(for service: T) throws(ServiceError) -> ServiceRequest {
        try ServiceRequest(service)
    }

    /// Loads an endpoint: status, headers and body.
    ///
    /// - Throws: ``ServiceError``, but for ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)``.
    public nonisolated(nonsending) func response(
        for service: T
    ) async throws(ServiceError) -> ServiceResponse {
        try await pipeline.run(pipeline.read(service))
    }

    /// Loads an endpoint's bytes; none when the answer is empty.
    ///
    /// - Throws: As ``response(for:)``.
    @discardableResult
    public nonisolated(nonsending) func load(service: T) async throws(ServiceError) -> Data {
        try await response(for: service).data
    }

    /// Loads and decodes a value, off the main actor. The value need not be `Sendable`.
    ///
    /// An empty answer is nil when the type is an Optional.
    ///
    /// - Throws: ``ServiceError``.
    public nonisolated(nonsending) func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type
    ) async throws(ServiceError) -> sending U {
        try await pipeline.decode(decodeType, from: response(for: service))
    }

    /// Loads and decodes a value whose conformance to `Decodable` belongs to an actor, there.
    ///
    /// - Throws: ``ServiceError``.
    @_disfavoredOverload
    public nonisolated(nonsending) func load<U: Decodable>(
        service: T, decodeType: U.Type
    ) async throws(ServiceError) -> U {
        try await pipeline.value(decodeType, in: response(for: service))
    }
}
