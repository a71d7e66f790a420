// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// A request that is composed of parts, behind a facade.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// A request that is composed of parts. Each part has a default.
nonisolated protocol ShopRequest: Service {
    associatedtype Payload: Decodable
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
    // With this key, the server detects repeats, so the request may be sent again.
    var headers: [String: String] { ["Idempotency-Key": UUID().uuidString] }
}

struct Order: Decodable, Equatable, Sendable {
    let id: Int
    let state: String
}

/// The envelope of all responses of the shop.
struct ShopEnvelope<Payload: Decodable>: Decodable {
    struct Refusal: LocalizedError {
        let errorDescription: String?
    }

    private enum CodingKeys: CodingKey { case isSuccess, message, data }

    let message: String?
    let data: Payload?

    init(from decoder: any Decoder) throws {
        let envelope = try decoder.container(keyedBy: CodingKeys.self)
        let isSuccess = try envelope.decode(Bool.self, forKey: .isSuccess)
        message = try envelope.decodeIfPresent(String.self, forKey: .message)
        // The data of a refusal may have another form.
        data = isSuccess ? try envelope.decodeIfPresent(Payload.self, forKey: .data) : nil
    }

    var content: Payload {
        get throws {
            guard let data else {
                throw Refusal(errorDescription: message ?? "The shop gave no reason.")
            }
            return data
        }
    }
}

/// Hides HTTP and envelopes from the rest of the app.
struct OrderService: Sendable {
    private let provider: ServiceProvider<AnyService>

    init(provider: ServiceProvider<AnyService> = ServiceProvider()) {
        self.provider = provider
    }

    func order(_ id: Int) async throws -> Order {
        try await send(GetOrder(id: id))
    }

    func cancel(_ id: Int) async throws -> Order {
        try await send(CancelOrder(id: id))
    }

    private func send<R: ShopRequest>(
        _ request: R
    ) async throws -> R.Payload {
        let envelope = try await provider.load(
            service: AnyService(request), decodeType: ShopEnvelope<R.Payload>.self)
        return try envelope.content
    }
}
