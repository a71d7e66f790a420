// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceProvider {
    // Disfavored, because the handler of a `TypedService` gets its response. Without this attribute, a handler that
    // ignores its value would be ambiguous.
    /// Loads an endpoint, and passes the body to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``task(service:completion:operation:)``.
    @_disfavoredOverload
    @discardableResult
    public func load(service: T, completion: @escaping Completion<Data>) -> Task<Void, Never> {
        task(service: service, completion: completion) { [pipeline] request in
            try await pipeline.send(request).nonEmpty?.data
        }
    }

    /// Loads an endpoint, decodes the body off the main actor, and passes the value to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode. It doesn't have to be `Sendable`.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``task(service:completion:operation:)``.
    @discardableResult
    public func load<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type, completion: @escaping Completion<U>
    ) -> Task<Void, Never> {
        task(service: service, completion: completion) { [pipeline] request in
            try await pipeline.send(request).nonEmpty?.decode(decodeType)
        }
    }

    /// Loads an endpoint, decodes the body where the type allows it, and passes the value to a handler. The compiler
    /// chooses this method in generic code, and for a type whose `Decodable` conformance is isolated to an actor.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode.
    ///   - isolation: The caller's isolation. Leave it out, as in ``load(service:decodeType:isolation:)``.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``task(service:completion:operation:)``.
    @discardableResult
    public func load<U: Decodable>(
        service: T, decodeType: U.Type, isolation: isolated (any Actor)? = #isolation,
        completion: @escaping Completion<U>
    ) -> Task<Void, Never> {
        load(service: service, completion: completion) { response in
            try await response.decode(decodeType, in: isolation)
        }
    }

    /// Not generic over a `Decodable` type, because such a type can't be used in a closure that is `Sendable`: its
    /// conformance may belong to an actor.
    private func load<U>(
        service: T, completion: @escaping Completion<U>,
        decode: @escaping @concurrent (ServiceResponse) async throws -> sending U
    ) -> Task<Void, Never> {
        // Safe because nothing else calls it.
        nonisolated(unsafe) let decode = decode
        return task(service: service, completion: completion) { [pipeline] request in
            guard let response = try await pipeline.send(request).nonEmpty else { return nil }
            return try await decode(response)
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
    public func task<U>(
        service: T, completion: @escaping Completion<U>,
        operation: @escaping @concurrent @Sendable (ServiceRequest) async throws -> sending U?
    ) -> Task<Void, Never> {
        let request = Result { try ServiceRequest(service) }
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
