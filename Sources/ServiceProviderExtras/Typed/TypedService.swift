// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

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
