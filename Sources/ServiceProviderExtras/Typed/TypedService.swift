// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// A service that names the type of its response: a struct for each endpoint, or an enum whose endpoints
/// all return the same type.
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
    /// The type that loading returns: a `Decodable` type; an Optional of one, which is nil if the response
    /// is empty; `Data` for the body as it is; or `Void`, which ignores the body.
    associatedtype Response
}
