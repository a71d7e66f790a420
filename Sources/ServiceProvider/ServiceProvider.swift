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
/// A provider has no state of its own. Keep one, or create one for each call.
public nonisolated final class ServiceProvider<T: Service>: Sendable {
    /// The result of a call.
    public typealias Result<Value> = ServiceResult<Value>
    /// A handler. It runs on the main actor, which means on the main queue.
    public typealias Completion<Value> = @MainActor @Sendable (sending ServiceResult<Value>) -> Void

    /// Runs the requests.
    public let pipeline: ServicePipeline

    /// Creates a provider from a pipeline, such as the changed pipeline of another provider.
    public init(_ pipeline: ServicePipeline) {
        self.pipeline = pipeline
    }

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
        self.init(
            ServicePipeline(transport: transport, interceptors: interceptors, decoder: decoder))
    }

    /// Returns a provider with one more interceptor, the outermost.
    public func adding(_ interceptor: any ServiceInterceptor) -> ServiceProvider {
        var pipeline = pipeline
        pipeline.interceptors.insert(interceptor, at: 0)
        return ServiceProvider(pipeline)
    }

    /// Builds the request that `load(service:)` sends, before interceptors change it.
    ///
    /// - Throws: ``ServiceError/invalidRequest(_:reason:)``, or the error of
    ///   ``Service/prepare(_:)``.
    public func request(for service: T) throws(ServiceError) -> ServiceRequest {
        try ServiceRequest(service)
    }
}

// MARK: - Async calls

nonisolated extension ServiceProvider {
    /// Sends a request that you have built, through the interceptors, redirects and the status check.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    public nonisolated(nonsending) func send(
        _ request: ServiceRequest
    ) async throws(ServiceError) -> ServiceResponse {
        try await pipeline.send(request)
    }

    /// Sends a request that you have built, and decodes the body off the main actor.
    ///
    /// - Throws: ``ServiceError``.
    public nonisolated(nonsending) func send<U: Decodable & SendableMetatype>(
        _ request: ServiceRequest, decodeType: U.Type
    ) async throws(ServiceError) -> sending U {
        try await pipeline.decodeConcurrently(decodeType, from: send(request))
    }

    /// Sends a request that you have built, and decodes a type on the actor that its `Decodable`
    /// conformance is isolated to.
    ///
    /// - Throws: ``ServiceError``.
    @_disfavoredOverload
    public nonisolated(nonsending) func send<U: Decodable>(
        _ request: ServiceRequest, decodeType: U.Type
    ) async throws(ServiceError) -> U {
        try await pipeline.decode(decodeType, from: send(request))
    }

    /// Loads an endpoint, and returns status, headers and body.
    ///
    /// - Throws: ``ServiceError``; ``ServiceError/emptyResponse(_:)`` and
    ///   ``ServiceError/decoding(_:_:as:)`` only if an interceptor throws them.
    public nonisolated(nonsending) func response(
        for service: T
    ) async throws(ServiceError) -> ServiceResponse {
        try await pipeline.send(pipeline.makeRequest(for: service))
    }

    /// Loads an endpoint, and returns the body. It may be empty.
    ///
    /// - Throws: The same errors as ``response(for:)``.
    @discardableResult
    public nonisolated(nonsending) func load(service: T) async throws(ServiceError) -> Data {
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
    ) async throws(ServiceError) -> sending U {
        try await pipeline.decodeConcurrently(decodeType, from: response(for: service))
    }

    /// Loads an endpoint, and decodes a type on the actor that its `Decodable` conformance is isolated to.
    ///
    /// - Throws: ``ServiceError``.
    @_disfavoredOverload
    public nonisolated(nonsending) func load<U: Decodable>(
        service: T, decodeType: U.Type
    ) async throws(ServiceError) -> U {
        try await pipeline.decode(decodeType, from: response(for: service))
    }
}

// MARK: - Handlers

nonisolated extension ServiceProvider {
    /// Loads an endpoint, and passes status, headers and body to a handler, which never gets
    /// ``ServiceResult/empty``.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @discardableResult
    public func response(
        for service: T, completion: @escaping Completion<ServiceResponse>
    ) -> ServiceTask {
        run(service: service, completion: completion) { [pipeline] request throws(ServiceError) in
            try await pipeline.send(request)
        }
    }

    /// Loads an endpoint, and passes the body to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @_disfavoredOverload @discardableResult
    public func load(service: T, completion: @escaping Completion<Data>) -> ServiceTask {
        load(service: service, decodeType: Data.self, completion: completion)
    }

    /// Loads an endpoint, decodes the body off the main actor, and passes the value to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode. It doesn't have to be `Sendable`.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @discardableResult
    public func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> ServiceTask {
        run(service: service, completion: completion) { [pipeline] request throws(ServiceError) in
            let response = try await pipeline.send(request)
            return response.data.isEmpty ? nil : try pipeline.decode(decodeType, from: response)
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
    /// - Returns: The running call, to cancel it.
    @_disfavoredOverload @MainActor @discardableResult
    public func load<U: Decodable>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> ServiceTask {
        let decode: Completion<ServiceResponse> = { [pipeline] result in
            // Safe because it is created here, and passed to one handler on the same actor.
            nonisolated(unsafe) let decoded = result.map { response throws(ServiceError) in
                try pipeline.decode(decodeType, from: response)
            }
            completion(decoded)
        }
        return run(service: service, completion: decode) {
            [pipeline] request throws(ServiceError) in
            let response = try await pipeline.send(request)
            return response.data.isEmpty ? nil : response
        }
    }

    /// Runs an async operation for a service, and passes its value to a handler. The other methods with
    /// handlers call this one.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    ///   - operation: Gets the request, and returns a value. Nil becomes ``ServiceResult/empty``.
    /// - Returns: The running call, to cancel it.
    public func run<U>(
        service: T, completion: @escaping Completion<U>,
        operation:
            @escaping @concurrent @Sendable (ServiceRequest) async throws(ServiceError) ->
            sending U?
    ) -> ServiceTask {
        let request = Swift.Result { () throws(ServiceError) in
            try pipeline.makeRequest(for: service)
        }
        // Checked on the main actor: a handler never gets a value after its call was cancelled on
        // the main actor.
        let end: Completion<U> = { [pipeline] result in
            guard Task.isCancelled else { return completion(result) }
            // A failure has been reported already.
            if result.isSuccess { _ = pipeline.reported(.cancelled, for: try? request.get()) }
            completion(.failure(.cancelled))
        }
        let task = Task {
            do throws(ServiceError) {
                let value = try await operation(request.get())
                guard let value else { return await end(.empty) }
                await end(.success(value))
            } catch {
                await end(.failure(error))
            }
        }
        return ServiceTask(task: task)
    }
}
