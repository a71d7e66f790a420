// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Extensions of the provider.
extension ServiceProvider {
    func value<U: Decodable>(_ service: T) async throws -> U {
        try await load(service: service, decodeType: U.self)
    }

    func result<U: Decodable>(_ service: T, _ type: U.Type) async -> Result<U, ServiceError> {
        do {
            return .success(try await load(service: service, decodeType: type))
        } catch {
            return .failure(ServiceError(error))
        }
    }

    func wanted<U: Decodable>(_ service: T, _ type: U.Type) async throws(ServiceError) -> U {
        do {
            return try await load(service: service, decodeType: type)
        } catch {
            throw ServiceError(error)
        }
    }
}

private func extended(_ provider: ServiceProvider<API>) async throws {
    let item: Item = try await provider.value(.item(1))
    let result = await provider.result(.items, [Item].self)
    let items = try await provider.wanted(.items, [Item].self)
    print(item, try result.get(), items)
}
