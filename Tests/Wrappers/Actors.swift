// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// An actor that keeps the loaded values.
private actor Store {
    let provider = ServiceProvider<API>()
    var items: [Int: Item] = [:]

    func item(_ id: Int) async throws -> Item {
        if let item = items[id] { return item }
        let item = try await provider.load(service: .item(id), decodeType: Item.self)
        items[id] = item
        return item
    }

    func get<U: Decodable & Sendable>(_ service: API, _ type: U.Type) async throws -> U {
        try await provider.load(service: service, decodeType: type)
    }
}

/// A cache of any kind of value.
private actor Cache<Value: Codable & Sendable> {
    private let provider: ServiceProvider<API>
    private var running: [Int: Task<Value, any Error>] = [:]

    init(_ provider: ServiceProvider<API>) { self.provider = provider }

    func value(_ id: Int) async throws -> Value {
        let task =
            running[id]
            ?? Task { [provider] in
                try await provider.load(service: .item(id), decodeType: Value.self)
            }
        running[id] = task
        return try await task.value
    }
}

@globalActor private actor Database { static let shared = Database() }

@Database private final class Sync {
    let provider = ServiceProvider<API>()

    func items<U: Decodable>(_ type: U.Type) async throws -> [U] {
        try await provider.load(service: .items, decodeType: [U].self)
    }
}
