// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// A class for each service, with subclasses.
private class Network<S: Service> {
    let provider: ServiceProvider<S>

    init(interceptors: [any ServiceInterceptor] = []) {
        provider = ServiceProvider(interceptors: interceptors)
    }

    func fetch<U: Decodable>(_ service: S, as type: U.Type = U.self) async throws -> U {
        try await provider.load(service: service, decodeType: type)
    }
}

private final class ItemNetwork: Network<API> {
    func items() async throws -> [Item] { try await fetch(.items) }
}

/// A shared instance, and a static method.
private enum Shared {
    static let provider = ServiceProvider<API>()

    static func fetch<U: Decodable>(_ service: API) async throws -> U {
        try await provider.load(service: service, decodeType: U.self)
    }

    static func items() async throws -> [Item] { try await fetch(.items) }
}
