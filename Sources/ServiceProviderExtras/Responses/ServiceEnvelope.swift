// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A response with its value inside an envelope, such as `{"code": 200, "data": {…}}`.
///
/// ```swift
/// struct Reply<Content: Decodable>: Decodable, ServiceEnvelope {
///     let code: Int
///     let data: Content?
///     var content: Content {
///         get throws { if let data { data } else { throw NoData(code: code) } }
///     }
/// }
///
/// let hero = try await provider.load(service: x, envelope: Reply<Hero>.self)
/// ```
///
/// Also write `Decodable`: without it, a generic envelope that is isolated to the main actor doesn't
/// compile.
public nonisolated protocol ServiceEnvelope: Decodable {
    /// The type of the value inside.
    associatedtype Content

    /// The value inside. Throw an error if the API reports a failure with a successful status. It becomes the
    /// cause of a `ServiceError.decoding(_:_:as:)`.
    var content: Content { get throws }
}

nonisolated extension ServiceProvider {
    /// Loads an envelope, decodes it off the main actor, and returns the value inside.
    ///
    /// - Throws: `ServiceError`.
    public nonisolated(nonsending) func load<E: ServiceEnvelope & SendableMetatype>(
        service: T, envelope: E.Type
    ) async throws -> sending E.Content {
        let response = try await response(for: service)
        return try await response.decodeConcurrently(envelope).content(of: response)
    }

    /// Loads an envelope whose conformance is isolated to an actor, decodes it there, and returns the value
    /// inside.
    ///
    /// - Throws: `ServiceError`.
    @_disfavoredOverload
    public nonisolated(nonsending) func load<E: ServiceEnvelope>(
        service: T, envelope: E.Type
    ) async throws -> E.Content {
        let response = try await response(for: service)
        return try response.decode(envelope).content(of: response)
    }

    /// Loads an envelope, decodes it off the main actor, and passes the value inside to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - envelope: The type of the envelope.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @discardableResult
    public func load<E: ServiceEnvelope & SendableMetatype>(
        service: T, envelope: E.Type, completion: @escaping Completion<E.Content>
    ) -> Task<Void, Never> {
        run(service: service, completion: completion) { [pipeline] request in
            let response = try await pipeline.send(request)
            guard !response.data.isEmpty else { return nil }
            return try response.decode(envelope).content(of: response)
        }
    }

    /// Loads an envelope whose conformance is isolated to the main actor, decodes it there, and passes the value
    /// inside to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - envelope: The type of the envelope.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call, to cancel it.
    @_disfavoredOverload @MainActor @discardableResult
    public func load<E: ServiceEnvelope>(
        service: T, envelope: E.Type, completion: @escaping Completion<E.Content>
    ) -> Task<Void, Never> {
        load(service: service, completion: completion) { response in
            guard !response.data.isEmpty else { return nil }
            return try response.decode(envelope).content(of: response)
        }
    }
}

nonisolated extension ServiceEnvelope {
    fileprivate func content(of response: ServiceResponse) throws -> Content {
        do { return try content } catch {
            throw ServiceError.decoding(error, response, as: "\(Self.self)")
        }
    }
}
