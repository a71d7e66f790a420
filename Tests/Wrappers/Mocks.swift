// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Protocols that the provider conforms to, or a repository, so that tests and previews have another one.
private protocol Loading: Sendable {
    func load<U: Decodable>(service: API, decodeType: U.Type) async throws -> U
}

private protocol DataLoading: Sendable {
    func response(service: API) async throws -> ServiceResponse
    func load(service: API) async throws -> Data
}

extension ServiceProvider: Loading, DataLoading where T == API {}

private struct Preview: Loading {
    let json: String

    func load<U: Decodable>(service: API, decodeType: U.Type) async throws -> U {
        try JSONDecoder().decode(decodeType, from: Data(json.utf8))
    }
}

private protocol ItemRepository: Sendable {
    func items() async throws -> [Item]
    func get<U: Decodable>(_ service: API) async throws -> U
}

private struct LiveRepository: ItemRepository {
    let loader: any Loading

    func items() async throws -> [Item] {
        try await loader.load(service: .items, decodeType: [Item].self)
    }

    func get<U: Decodable>(_ service: API) async throws -> U {
        try await loader.load(service: service, decodeType: U.self)
    }
}

private func repositories() -> [any ItemRepository] {
    [
        LiveRepository(loader: ServiceProvider<API>()),
        LiveRepository(loader: Preview(json: "[]")),
    ]
}
