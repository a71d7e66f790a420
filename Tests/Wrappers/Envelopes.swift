// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// A response in an envelope, and a page.
private struct Envelope<Value: Decodable>: Decodable { let data: Value }

private struct Page<Value: Decodable>: Decodable { let results: [Value] }

private struct Repository: Sendable {
    let provider = ServiceProvider<API>()

    func value<V: Decodable>(_ service: API, _ type: V.Type) async throws -> V {
        try await provider.load(service: service, decodeType: Envelope<V>.self).data
    }

    func page<V: Decodable>(_ type: V.Type) async throws -> Page<V> {
        try await provider.load(service: .items, decodeType: Page<V>.self)
    }

    func items() async throws -> [Item] { try await value(.items, [Item].self) }
}
