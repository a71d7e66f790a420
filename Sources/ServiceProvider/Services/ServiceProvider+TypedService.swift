// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

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
}

nonisolated extension ServiceProvider where T: TypedService, T.Response: Decodable {
    /// Loads and decodes what the service names, in the caller's isolation: its conformance to
    /// `Decodable` belongs to an actor.
    ///
    /// - Throws: ``ServiceError``.
    public nonisolated(nonsending) func load(service: T) async throws(ServiceError) -> T.Response {
        try await pipeline.value(T.Response.self, in: response(for: service))
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response == Data {
    /// Loads an endpoint's bytes; none when the answer is empty.
    ///
    /// - Throws: As ``response(for:)``.
    public nonisolated(nonsending) func load(service: T) async throws(ServiceError) -> Data {
        try await response(for: service).data
    }
}

nonisolated extension ServiceProvider where T: TypedService, T.Response == Void {
    /// Loads an endpoint whose body, should it have one, is not wanted.
    ///
    /// - Throws: As ``response(for:)``.
    public nonisolated(nonsending) func load(service: T) async throws(ServiceError) {
        _ = try await response(for: service)
    }
}
