// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Methods with handlers, as in code from before async and await.
private final class Client: Sendable {
    let provider = ServiceProvider<API>()

    @discardableResult
    func get<U: Decodable>(
        _ service: API, as type: U.Type,
        then: @escaping @MainActor @Sendable (sending ServiceResult<U>) -> Void
    ) -> Task<Void, Never> {
        provider.load(service: service, decodeType: type, completion: then)
    }

    func list<U: Decodable>(
        of type: U.Type, then: @escaping @MainActor @Sendable (sending [U]) -> Void
    ) {
        provider.load(service: .items, decodeType: [U].self) { result in
            if case .success(let list) = result { then(list) } else { then([]) }
        }
    }

    func item(_ then: @escaping @MainActor @Sendable (Item?) -> Void) {
        provider.load(service: .item(1), decodeType: Item.self) {
            if case .success(let item) = $0 { then(item) } else { then(nil) }
        }
    }

    func size(_ then: @escaping @MainActor @Sendable (Int) -> Void) {
        provider.load(service: .items) {
            if case .success(let data) = $0 { then(data.count) } else { then(0) }
        }
    }

    func items(
        completion: @escaping @MainActor @Sendable (Result<[Item], any Error>) -> Void
    ) {
        provider.load(service: .items, decodeType: [Item].self) { result in
            switch result {
            case .success(let items): completion(.success(items))
            case .failure(let error): completion(.failure(error))
            case .empty: completion(.success([]))
            }
        }
    }

    /// A handler as an async method.
    func awaited() async throws -> [Item] {
        try await withCheckedThrowingContinuation { continuation in
            provider.load(service: .items, decodeType: [Item].self) { result in
                switch result {
                case .success(let items): continuation.resume(returning: items)
                case .failure(let error): continuation.resume(throwing: error)
                case .empty: continuation.resume(returning: [])
                }
            }
        }
    }
}
