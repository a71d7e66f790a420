// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Endpoints that know the type of their response.
private protocol Endpoint: Sendable {
    associatedtype Value: Decodable
    var service: API { get }
}

private struct ItemEndpoint: Endpoint {
    typealias Value = Item
    let service = API.item(1)
}

private struct Client: Sendable {
    let provider = ServiceProvider<API>()

    func send<E: Endpoint>(_ endpoint: E) async throws -> E.Value {
        try await provider.load(service: endpoint.service, decodeType: E.Value.self)
    }

    func item() async throws -> Item { try await send(ItemEndpoint()) }
}

/// An endpoint as a value.
private struct Request<Value: Decodable> {
    let service: API
}

extension ServiceProvider where T == API {
    fileprivate func value<Value: Decodable>(of request: Request<Value>) async throws -> Value {
        try await load(service: request.service, decodeType: Value.self)
    }
}

/// A protocol with a default implementation that loads.
private protocol Repository: Sendable {
    associatedtype Model: Decodable
    var provider: ServiceProvider<API> { get }
}

extension Repository {
    func all() async throws -> [Model] {
        try await provider.load(service: .items, decodeType: [Model].self)
    }
}

private struct ItemRepository: Repository {
    typealias Model = Item
    let provider = ServiceProvider<API>()
}
