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
/// `adding`, `accepting`, `decoding(at:)`, `onFailure`, `onProgress`, `download`, `stream`, `events` and `pages`.
///
/// ## Topics
///
/// ### Async
///
/// - ``load(service:)``
/// - ``load(service:decodeType:)-1pkf3``
/// - ``load(service:decodeType:)-9klg7``
/// - ``response(for:)``
///
/// ### Handlers
///
/// - ``load(service:completion:)``
/// - ``load(service:decodeType:completion:)-2fv34``
/// - ``load(service:decodeType:completion:)-ogam``
/// - ``Completion``
/// - ``run(service:completion:operation:)``
///
/// ### Requests
///
/// - ``request(for:)``
/// - ``pipeline``
public nonisolated final class ServiceProvider<T: Service>: Sendable {
    /// The result of a call.
    public typealias Result<Value> = ServiceResult<Value>
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

    /// Builds the request that `load(service:)` sends, before interceptors change it.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, or the error of ``Service/prepare(_:)``, wrapped
    ///   by ``ServiceError/init(_:of:)``.
    public func request(for service: T) throws -> ServiceRequest { try ServiceRequest(service) }
}

// MARK: - Async calls

nonisolated extension ServiceProvider {
    /// Loads an endpoint, and returns status, headers and body.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    public nonisolated(nonsending) func response(for service: T) async throws -> ServiceResponse {
        try await pipeline.send(request(for: service))
    }

    /// Loads an endpoint, and returns the body. It may be empty.
    ///
    /// - Throws: The same errors as ``response(for:)``.
    @discardableResult
    public nonisolated(nonsending) func load(service: T) async throws -> Data {
        try await response(for: service).data
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
        try await response(for: service).decodeConcurrently(decodeType)
    }

    /// Loads an endpoint, and decodes a type on the actor that its `Decodable` conformance is isolated to.
    ///
    /// - Throws: ``ServiceError``.
    @_disfavoredOverload
    public nonisolated(nonsending) func load<U: Decodable>(
        service: T, decodeType: U.Type
    ) async throws -> U {
        try await response(for: service).decode(decodeType)
    }
}

// MARK: - Handlers

nonisolated extension ServiceProvider {
    /// Loads an endpoint, and passes the body to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``run(service:completion:operation:)``.
    @_disfavoredOverload @discardableResult
    public func load(service: T, completion: @escaping Completion<Data>) -> Task<Void, Never> {
        run(service: service, completion: completion) { [pipeline] request in
            try await pipeline.send(request).nonEmpty?.data
        }
    }

    /// Loads an endpoint, decodes the body off the main actor, and passes the value to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode. It doesn't have to be `Sendable`.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``run(service:completion:operation:)``.
    @discardableResult
    public func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> Task<Void, Never> {
        run(service: service, completion: completion) { [pipeline] request in
            try await pipeline.send(request).nonEmpty?.decode(decodeType)
        }
    }

    /// Loads an endpoint, decodes the body on the main actor, and passes the value to a handler.
    ///
    /// For types with a `Decodable` conformance that is isolated to the main actor.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``run(service:completion:operation:)``.
    @_disfavoredOverload @MainActor @discardableResult
    public func load<U: Decodable>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> Task<Void, Never> {
        let decode: Completion<ServiceResponse> = { result in
            // Safe because it is created here, and passed to one handler on the same actor.
            nonisolated(unsafe) let decoded: ServiceResult<U>
            do {
                decoded = try result.get().map { .success(try $0.decode(decodeType)) } ?? .empty
            } catch {
                decoded = .failure(ServiceError(error))
            }
            completion(decoded)
        }
        return run(service: service, completion: decode) { [pipeline] request in
            try await pipeline.send(request).nonEmpty
        }
    }

    /// Runs an async operation for a service, and passes its value to a handler. The other methods with
    /// handlers call this one.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    ///   - operation: Gets the request, and returns a value. Nil becomes ``ServiceResult/empty``. Its errors
    ///     are wrapped by ``ServiceError/init(_:of:)``.
    /// - Returns: The running call. If it is cancelled on the main actor before the handler has run, the
    ///   handler gets ``ServiceError/cancelled``, even if the response has just arrived.
    public func run<U>(
        service: T, completion: @escaping Completion<U>,
        operation: @escaping @concurrent @Sendable (ServiceRequest) async throws -> sending U?
    ) -> Task<Void, Never> {
        let request = Swift.Result { try ServiceRequest(service) }
        // On the main actor, where the call may have been cancelled.
        let end: Completion<U> = { result in
            guard !Task.isCancelled else { return completion(.failure(.cancelled)) }
            completion(result)
        }
        @concurrent func result() async -> sending ServiceResult<U> {
            do {
                guard let value = try await operation(request.get()) else { return .empty }
                return .success(value)
            } catch {
                return .failure(ServiceError(error))
            }
        }
        // The last call uses its argument up. Otherwise the task would return to another thread to release it.
        return Task { await end(result()) }
    }
}
