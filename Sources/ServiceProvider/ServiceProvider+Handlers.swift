// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceProvider {
    /// Loads an endpoint, and passes the body to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``task(service:completion:operation:)``.
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

    // Disfavored, so that a type that fits both methods takes the one above.
    /// Loads an endpoint, decodes the body on the main actor, and passes the value to a handler.
    ///
    /// For types with a `Decodable` conformance that is isolated to the main actor.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see ``task(service:completion:operation:)``.
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
        return task(service: service, completion: decode) { [pipeline] request in
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
