// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// A request is composed of parts, of which each has a default that one may override.
protocol ShopRequest: Service, Sendable {
    associatedtype Payload: Decodable & SendableMetatype & Sendable
    var serverURL: String { get }
    var apiPath: String { get }
    var version: String { get }
    var resource: String { get }
    var endPoint: String { get }
}

extension ShopRequest {
    var serverURL: String { "https://shop.example.com" }
    var apiPath: String { "api" }
    var version: String { "v1" }
    var endPoint: String { "" }

    var baseURL: String { serverURL }
    var path: String {
        [apiPath, version, resource, endPoint].filter { !$0.isEmpty }.joined(separator: "/")
    }
}

struct GetOrder: ShopRequest {
    typealias Payload = Order
    let id: Int
    var resource: String { "orders" }
    var endPoint: String { "\(id)" }
}

struct CancelOrder: ShopRequest {
    typealias Payload = Order
    let id: Int
    var version: String { "v2" }
    var resource: String { "orders" }
    var endPoint: String { "\(id)/cancel" }
    var method: ServiceMethod { .post }
    // The server knows a repetition by this: it may be sent again when a connection breaks.
    var headers: [String: String] { ["Idempotency-Key": UUID().uuidString] }
}

struct Order: Decodable, Equatable, Sendable {
    let id: Int
    let state: String
}

/// What every answer of the shop looks like.
struct ShopEnvelope<Payload: Decodable>: ServiceEnvelope {
    struct Refusal: LocalizedError {
        let errorDescription: String?
    }

    let isSuccess: Bool
    let message: String?
    let data: Payload?

    var content: Payload {
        get throws {
            guard isSuccess, let data else {
                throw Refusal(errorDescription: message ?? "The shop does not say why.")
            }
            return data
        }
    }
}

/// What the rest of the app sees: orders, and neither HTTP nor envelopes.
struct OrderService: Sendable {
    private let provider: ServiceProvider<AnyService>

    init(provider: ServiceProvider<AnyService> = ServiceProvider()) {
        self.provider = provider
    }

    func order(_ id: Int) async throws(ServiceError) -> Order {
        try await send(GetOrder(id: id))
    }

    func cancel(_ id: Int) async throws(ServiceError) -> Order {
        try await send(CancelOrder(id: id))
    }

    private func send<R: ShopRequest>(_ request: R) async throws(ServiceError) -> R.Payload {
        try await provider.load(
            service: AnyService(request), envelope: ShopEnvelope<R.Payload>.self)
    }
}
