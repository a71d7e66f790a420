// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A composition: a conformance that is implied by a refining protocol isn't isolated to the main actor, so services
// couldn't read main-actor state.

/// A service that names the type of its response: a struct for each endpoint, or an enum if all its endpoints
/// return the same type.
///
/// ```swift
/// struct GetHero: TypedService {
///     typealias Response = Hero
///     let id: Int
///     var baseURL: String { "https://api.example.com" }
///     var path: String { "/heroes/\(id)" }
/// }
///
/// let hero = try await ServiceProvider<GetHero>().load(service: GetHero(id: 7))
/// ```
///
/// It can't be extended. Extend a protocol of your own that refines it.
public typealias TypedService = Service & ServiceResponding

/// Names the type of a response. Conform to ``TypedService``, which includes it.
public nonisolated protocol ServiceResponding {
    /// The type that loading returns: a `Decodable` type; an Optional of one, which is nil if the response
    /// is empty; `Data` for the body as it is; or `Void`, which ignores the body.
    associatedtype Response
}

nonisolated extension ServiceProvider
where T: TypedService, T.Response: Decodable & SendableMetatype {
    /// Loads and decodes the service's response, which needn't be `Sendable`, off the main actor.
    ///
    /// - Throws: `ServiceError`.
    public nonisolated(nonsending) func load(service: T) async throws -> sending T.Response {
        try await load(service: service, decodeType: T.Response.self)
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response: Decodable {
    /// Loads the service's response, and decodes it in the caller's isolation, because its `Decodable`
    /// conformance is isolated to an actor.
    ///
    /// - Throws: `ServiceError`.
    public nonisolated(nonsending) func load(service: T) async throws -> T.Response {
        try await response(service: service).decode(T.Response.self)
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response == Data {
    /// Loads an endpoint, and returns the body. It may be empty.
    ///
    /// - Throws: The same errors as `response(service:)`.
    public nonisolated(nonsending) func load(service: T) async throws -> Data {
        try await response(service: service).data
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response == Void {
    /// Loads an endpoint, and ignores the body of the response.
    ///
    /// - Throws: The same errors as `response(service:)`.
    public nonisolated(nonsending) func load(service: T) async throws {
        _ = try await response(service: service)
    }
}

nonisolated extension ServiceProvider
where T: TypedService, T.Response: Decodable & SendableMetatype {
    /// Loads the service's response, decodes it off the main actor, and passes it to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see `task(service:completion:operation:)`.
    @discardableResult
    public func load(
        service: T, completion: @escaping Completion<T.Response>
    ) -> Task<Void, Never> {
        load(service: service, decodeType: T.Response.self, completion: completion)
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response: Decodable {
    /// Loads the service's response, decodes it in the caller's isolation, because its `Decodable` conformance is isolated
    /// to an actor, and passes it to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - isolation: The caller's isolation. Leave it out.
    ///   - completion: Called once, on the main actor, and never synchronously.
    /// - Returns: The running call; see `task(service:completion:operation:)`.
    @discardableResult
    public func load(
        service: T, isolation: isolated (any Actor)? = #isolation,
        completion: @escaping Completion<T.Response>
    ) -> Task<Void, Never> {
        load(
            service: service, decodeType: T.Response.self, isolation: isolation,
            completion: completion)
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response == Void {
    /// Loads an endpoint, ignores the body of the response, and passes the end of the call to a handler.
    ///
    /// - Parameters:
    ///   - service: Read before this method returns.
    ///   - completion: Called once, on the main actor, and never synchronously. An empty body is a success, too.
    /// - Returns: The running call; see `task(service:completion:operation:)`.
    @discardableResult
    public func load(service: T, completion: @escaping Completion<Void>) -> Task<Void, Never> {
        task(service: service, completion: completion) { [pipeline] request in
            _ = try await pipeline.send(request)
        }
    }
}
