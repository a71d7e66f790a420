// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Closures in place of protocols, as environment values and dependencies are.
private struct Dependencies: Sendable {
    var items: @Sendable () async throws -> [Item]
    var item: @Sendable (Int) async throws -> Item

    static let live: Dependencies = {
        let provider = ServiceProvider<API>()
        return Dependencies(
            items: { try await provider.load(service: .items, decodeType: [Item].self) },
            item: { try await provider.load(service: .item($0), decodeType: Item.self) })
    }()

    static let preview = Dependencies(items: { [] }, item: { Item(id: $0) })
}

/// A method as a value, and types in a list.
private func references(_ provider: ServiceProvider<API>) async throws {
    let load: (API, Item.Type) async throws -> Item = provider.load(service:decodeType:)
    _ = try await load(.items, Item.self)
    let types: [any Decodable.Type] = [Item.self, String.self]
    for type in types { print(try await provider.load(service: .items, decodeType: type)) }
}

/// Work that is tried again.
private func twice<Value>(_ work: () async throws -> Value) async throws -> Value {
    do { return try await work() } catch { return try await work() }
}

private func tried<U: Decodable>(_ provider: ServiceProvider<API>, _ type: U.Type) async throws -> U
{
    try await twice { try await provider.load(service: .items, decodeType: type) }
}
