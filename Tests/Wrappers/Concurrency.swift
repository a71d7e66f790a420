// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Several calls at a time, and values that arrive one after the other.
private struct Screen: Sendable {
    let provider = ServiceProvider<API>()

    func both() async throws -> (Item, Data) {
        async let item = provider.load(service: .item(1), decodeType: Item.self)
        async let data = provider.load(service: .items)
        return try await (item, data)
    }

    func all(_ ids: [Int]) async throws -> [Item] {
        try await withThrowingTaskGroup(of: Item.self) { [provider] group in
            for id in ids {
                group.addTask { try await provider.load(service: .item(id), decodeType: Item.self) }
            }
            var values: [Item] = []
            for try await value in group { values.append(value) }
            return values
        }
    }

    func each<U: Decodable & Sendable>(_ ids: [Int], _ type: U.Type) async throws -> [U] {
        try await withThrowingTaskGroup(of: U.self) { [provider] group in
            for id in ids {
                group.addTask { try await provider.load(service: .item(id), decodeType: type) }
            }
            var values: [U] = []
            for try await value in group { values.append(value) }
            return values
        }
    }

    func updates() -> AsyncThrowingStream<[Item], any Error> {
        AsyncThrowingStream { [provider] continuation in
            let task = Task {
                do {
                    while !Task.isCancelled {
                        continuation.yield(
                            try await provider.load(service: .items, decodeType: [Item].self))
                        try await Task.sleep(nanoseconds: 1_000_000_000)
                    }
                } catch {
                    continuation.finish(throwing: error)
                }
            }
            continuation.onTermination = { _ in task.cancel() }
        }
    }
}
