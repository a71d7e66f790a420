// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Generic methods, with and without constraints.
private struct Repository: Sendable {
    let provider = ServiceProvider<API>()

    func get<U: Decodable>(_ service: API) async throws -> U {
        try await provider.load(service: service, decodeType: U.self)
    }

    func list<U: Decodable>(_ service: API, of type: U.Type) async throws -> [U] {
        try await provider.load(service: service, decodeType: [U].self)
    }

    func found<U: Decodable>(_ type: U.Type) async throws -> U? {
        try await provider.load(service: .items, decodeType: U?.self)
    }

    func sendable<U: Decodable & Sendable>(_ service: API) async throws -> U {
        try await provider.load(service: service, decodeType: U.self)
    }

    nonisolated func anywhere<U: Decodable>(_ service: API, _ type: U.Type) async throws -> U {
        do {
            return try await provider.load(service: service, decodeType: type)
        } catch ServiceError.transport {
            return try await provider.load(service: service, decodeType: type)
        }
    }

    func decoded<U: Decodable>(_ type: U.Type) async throws -> U {
        try await provider.response(service: .items).decode(type)
    }
}

private func retrying<U: Decodable>(
    _ provider: ServiceProvider<API>, _ type: U.Type
) async throws -> U {
    for _ in 0..<2 {
        if let value = try? await provider.load(service: .items, decodeType: type) { return value }
    }
    return try await provider.load(service: .items, decodeType: type)
}
