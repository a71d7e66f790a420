// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Loads the endpoints of one service.
///
/// ```swift
/// let provider = ServiceProvider<MarvelService>()
/// let page = try await provider.load(
///     service: .characters(name: "Hulk"), decodeType: Page.self)
/// ```
///
/// A provider has no state of its own. Keep one, or create one for each call. The modules beside this one add methods:
/// `accepting`, `decoding(at:)`, `onFailure`, `onProgress`, `download`, `stream`, `events` and `pages`.
///
/// ## Topics
///
/// ### Async
///
/// - ``load(service:)``
/// - ``load(service:decodeType:)``
/// - ``load(service:decodeType:isolation:)``
/// - ``response(service:)``
///
/// ### Handlers
///
/// - ``load(service:completion:)``
/// - ``load(service:decodeType:completion:)``
/// - ``load(service:decodeType:isolation:completion:)``
/// - ``Completion``
/// - ``task(service:completion:operation:)``
///
/// ### Requests
///
/// - ``request(service:)``
/// - ``wrapped(in:)``
/// - ``pipeline``
public nonisolated final class ServiceProvider<T: Service>: Sendable {
    /// A handler. It runs on the main actor, which means on the main queue.
    public typealias Completion<Value> = @MainActor @Sendable (sending ServiceResult<Value>) -> Void

    /// Runs the requests.
    public let pipeline: ServicePipeline

    /// Creates a provider from a pipeline, such as the changed pipeline of another provider.
    public init(_ pipeline: ServicePipeline) { self.pipeline = pipeline }

    /// Creates a provider.
    ///
    /// - Parameters:
    ///   - transport: Sends the requests. Default: URLSession.
    ///   - interceptors: Change requests and responses; the first is the outermost. Default: none.
    ///   - decoder: Decodes the responses. Default: `JSONDecoder()`.
    public convenience init(
        transport: any ServiceTransport = URLSessionTransport.shared,
        interceptors: [any ServiceInterceptor] = [], decoder: any ServiceDecoder = JSONDecoder()
    ) {
        self.init(.init(transport: transport, interceptors: interceptors, decoder: decoder))
    }

    /// Returns a provider with one more interceptor, which becomes the outermost: it sees each call first, and its
    /// response last.
    public func wrapped(in interceptor: any ServiceInterceptor) -> ServiceProvider {
        var pipeline = pipeline
        pipeline.interceptors.insert(interceptor, at: 0)
        return ServiceProvider(pipeline)
    }

    /// Builds the request that `load(service:)` sends, before interceptors change it.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, or the error of ``Service/prepare(_:)``, wrapped
    ///   by ``ServiceError/init(_:of:)``.
    public func request(service: T) throws -> ServiceRequest { try ServiceRequest(service) }
}

nonisolated extension ServiceProvider {
    /// Loads an endpoint, and returns status, headers and body.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    public nonisolated(nonsending) func response(service: T) async throws -> ServiceResponse {
        try await pipeline.send(request(service: service))
    }

    /// Loads an endpoint, and returns the body. It may be empty.
    ///
    /// - Throws: The same errors as ``response(service:)``.
    @discardableResult
    public nonisolated(nonsending) func load(service: T) async throws -> Data {
        try await response(service: service).data
    }

    /// Loads an endpoint, and decodes the body off the main actor. The value doesn't have to be
    /// `Sendable`.
    ///
    /// An Optional type decodes an empty body as nil.
    ///
    /// - Throws: ``ServiceError``.
    public nonisolated(nonsending) func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type
    ) async throws -> sending U {
        try await response(service: service).decodeConcurrently(decodeType)
    }

    /// Loads an endpoint, and decodes the body where the type allows it: in the caller's isolation, or on the main actor.
    /// The compiler chooses this method in generic code, and for a type whose `Decodable` conformance is isolated to an
    /// actor.
    ///
    /// Systems before those of 2025 can't find out whether a conformance belongs to the main actor. There, a caller
    /// without isolation decodes on the main actor. Require `U: Decodable & SendableMetatype` in generic code to decode
    /// large bodies elsewhere.
    ///
    /// - Parameters:
    ///   - service: The endpoint.
    ///   - decodeType: The type to decode.
    ///   - isolation: The caller's isolation. Leave it out: with one argument more, the other method is preferred for
    ///     types that fit both.
    /// - Throws: ``ServiceError``.
    public func load<U: Decodable>(
        service: T, decodeType: U.Type, isolation: isolated (any Actor)? = #isolation
    ) async throws -> U {
        try await response(service: service).decode(decodeType, in: isolation)
    }
}
