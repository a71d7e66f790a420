// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct OrderServiceTests {
    let server: LoopbackServer
    let orders: OrderService

    init() throws {
        server = try LoopbackServer()
        orders = OrderService(
            provider: ServiceProvider(interceptors: [ServiceRetry(), Elsewhere(server: server)]))
    }

    @Test func pathPartsAreJoined() async throws {
        server.enqueue(
            .json(#"{"isSuccess": true, "message": null, "data": {"id": 7, "state": "open"}}"#))
        #expect(try await orders.order(7) == Order(id: 7, state: "open"))
        let request = try #require(server.requests.first)
        #expect(request.method == "GET")
        #expect(request.target == "/api/v1/orders/7")
        #expect(request.header("X-Meant-For") == "shop.example.com")
    }

    @Test func onePathPartCanBeOverridden() async throws {
        server.enqueue(.json(#"{"isSuccess": true, "data": {"id": 7, "state": "cancelled"}}"#))
        #expect(try await orders.cancel(7).state == "cancelled")
        #expect(server.requests.map(\.target) == ["/api/v2/orders/7/cancel"])
        #expect(server.requests.map(\.method) == ["POST"])
        #expect(server.requests.first?.header("Idempotency-Key")?.isEmpty == false)
    }

    @Test(arguments: [
        (
            #"{"isSuccess": false, "message": "There is no order 7.", "data": null}"#,
            "There is no order 7."
        ),
        (
            #"{"isSuccess": false, "data": {"id": 7, "state": "open"}}"#,
            "The shop gave no reason."
        ),
        (
            #"{"isSuccess": false, "message": "Too late.", "data": {"code": 7}}"#, "Too late."
        ),
        (#"{"isSuccess": true, "message": "Not yet.", "data": null}"#, "Not yet."),
    ])
    func refusalsShowTheServersMessage(_ body: String, _ message: String) async throws {
        server.enqueue(.json(body))
        let error = await #expect(throws: ShopEnvelope<Order>.Refusal.self) {
            try await orders.order(7)
        }
        #expect(error?.errorDescription == message)
    }
}
