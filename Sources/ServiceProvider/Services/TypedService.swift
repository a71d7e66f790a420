// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A service that names what its endpoints answer: a struct for each, or an enum whose endpoints all
/// answer the same.
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
public nonisolated protocol TypedService: Service {
    /// What loading gives: a `Decodable`; one of them as an Optional, which is nil when the answer is
    /// empty; `Data` for the bytes as they are; or `Void`, whatever the answer is.
    associatedtype Response
}

nonisolated extension ServiceProvider
where T: TypedService, T.Response: Decodable & SendableMetatype {
    /// Loads and decodes what the service names, off the main actor. It need not be `Sendable`.
    ///
    /// - Throws: ``ServiceError``.
    public nonisolated(nonsending) func load(
        service: T
    ) async throws(ServiceError) -> sending T.Response {
        try await pipeline.decode(T.Response.self, from: response(for: service))
    }

    /// Loads and decodes what the service names, off the main actor. It need not be `Sendable`.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - completion: Called once, on the main actor, after this has returned.
    /// - Returns: The call, to be cancelled if need be.
    @discardableResult
    public func load(service: T, completion: @escaping Completion<T.Response>) -> ServiceTask {
        start(service, completion) { [pipeline] response throws(ServiceError) in
            try pipeline.value(T.Response.self, in: response)
        }
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response: Decodable {
    /// Loads and decodes what the service names, in the caller's isolation: its conformance to
    /// `Decodable` belongs to an actor.
    ///
    /// - Throws: ``ServiceError``.
    public nonisolated(nonsending) func load(service: T) async throws(ServiceError) -> T.Response {
        try await pipeline.value(T.Response.self, in: response(for: service))
    }

    /// Loads and decodes what the service names, on the main actor, which its conformance to `Decodable`
    /// belongs to.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - completion: Called once, on the main actor, after this has returned.
    /// - Returns: The call, to be cancelled if need be.
    @MainActor @discardableResult
    public func load(service: T, completion: @escaping Completion<T.Response>) -> ServiceTask {
        start(service, decoding: T.Response.self, completion)
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response == Data {
    /// Loads an endpoint's bytes; none when the answer is empty.
    ///
    /// - Throws: As ``response(for:)``.
    public nonisolated(nonsending) func load(service: T) async throws(ServiceError) -> Data {
        try await response(for: service).data
    }

    /// Loads an endpoint's bytes.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - completion: Called once, on the main actor, after this has returned.
    /// - Returns: The call, to be cancelled if need be.
    @discardableResult
    public func load(service: T, completion: @escaping Completion<Data>) -> ServiceTask {
        start(service, completion) { response in response.data }
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response == Void {
    /// Loads an endpoint whose body, should it have one, is not wanted.
    ///
    /// - Throws: As ``response(for:)``.
    public nonisolated(nonsending) func load(service: T) async throws(ServiceError) {
        _ = try await response(for: service)
    }

    /// Loads an endpoint whose body, should it have one, is not wanted.
    ///
    /// - Parameters:
    ///   - service: Read before this returns.
    ///   - completion: Called once, on the main actor, after this has returned; without a body, with
    ///     ``ServiceResult/empty``.
    /// - Returns: The call, to be cancelled if need be.
    @discardableResult
    public func load(service: T, completion: @escaping Completion<Void>) -> ServiceTask {
        start(service, completion) { _ in }
    }
}
