// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceProvider {
    /// Loads an endpoint, decodes the body off the main actor, and returns the value with the response.
    ///
    /// ```swift
    /// let (page, response) = try await provider.response(for: .heroes, decodeType: Page.self)
    /// print(page.count, response.header("X-RateLimit-Remaining") ?? "no limit")
    /// ```
    ///
    /// - Throws: `ServiceError`.
    public nonisolated(nonsending) func response<U: Decodable & SendableMetatype>(
        for service: T, decodeType: U.Type
    ) async throws(ServiceError) -> sending (value: U, response: ServiceResponse) {
        let response = try await response(for: service)
        let value = try await pipeline.decodeConcurrently(decodeType, from: response)
        return (value, response)
    }

    /// Loads an endpoint, decodes the body on the actor that the type's conformance is isolated to, and returns
    /// the value with the response.
    ///
    /// - Throws: `ServiceError`.
    @_disfavoredOverload
    public nonisolated(nonsending) func response<U: Decodable>(
        for service: T, decodeType: U.Type
    ) async throws(ServiceError) -> (value: U, response: ServiceResponse) {
        let response = try await response(for: service)
        return (try pipeline.decode(decodeType, from: response), response)
    }

    /// Loads an endpoint, decodes the body off the main actor, and passes the value with the response to a
    /// handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode. If the body is empty, an Optional is nil, and for other types the
    ///     handler gets `ServiceResult.empty`.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @discardableResult
    public func response<U: Decodable & SendableMetatype>(
        for service: T, decodeType: U.Type,
        completion: @escaping Completion<(value: U, response: ServiceResponse)>
    ) -> ServiceTask {
        run(service: service, completion: completion) { [pipeline] request throws(ServiceError) in
            let response = try await pipeline.send(request)
            guard response.canBeDecoded(as: decodeType) else { return nil }
            return (try pipeline.decode(decodeType, from: response), response)
        }
    }

    /// Loads an endpoint, decodes the body on the main actor, and passes the value with the response to a handler.
    ///
    /// For types with a `Decodable` conformance that is isolated to the main actor.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - decodeType: The type to decode. If the body is empty, an Optional is nil, and for other types the
    ///     handler gets `ServiceResult.empty`.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @_disfavoredOverload @MainActor @discardableResult
    public func response<U: Decodable>(
        for service: T, decodeType: U.Type,
        completion: @escaping Completion<(value: U, response: ServiceResponse)>
    ) -> ServiceTask {
        load(service: service, completion: completion) { [pipeline] response throws(ServiceError) in
            guard response.canBeDecoded(as: decodeType) else { return nil }
            return (try pipeline.decode(decodeType, from: response), response)
        }
    }
}

nonisolated extension ServiceResponse {
    /// Whether there is a body, or the type is an Optional.
    fileprivate func canBeDecoded<U>(as _: U.Type) -> Bool {
        !data.isEmpty || Any?.none as? U != nil
    }
}
