// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Query items that are added to a request.
@Suite(.serialized, .opensFiles, .timeLimit) struct QueryItemTests {
    @Test(arguments: TransportUnderTest.allCases)
    func itemsKeepTheirOrder(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        var service = server.service()
        service.parameters = ["z": 1]
        service.change = {
            $0.addQueryItems([("b", "2"), ("a", "1 & 2"), ("b", "3"), ("flag", nil), ("empty", "")])
        }
        _ = try await transport.provider().load(service: service)
        #expect(server.requests.map(\.target) == ["/start?z=1&b=2&a=1%20%26%202&b=3&flag&empty="])
    }

    @Test(arguments: [("", "?a"), ("?", "?a"), ("?x=%2B", "?x=%2B&a")])
    func theQueryOfTheURLIsKept(_ query: String, _ expected: String) throws {
        var service = TestService(baseURL: "https://example.com/" + query)
        service.change = { $0.addQueryItems([("a", nil)]) }
        #expect(try service.url() == "https://example.com/" + expected)
    }

    @Test func noItemsChangeNothing() throws {
        var service = TestService(baseURL: "https://example.com/")
        service.change = { $0.addQueryItems([]) }
        #expect(try service.url() == "https://example.com/")
    }

    @Test(.row("Z18")) func manyItemsTakeLinearTime() throws {
        var service = TestService(baseURL: "https://example.com/")
        let items = (0..<300_000).map { (name: "n\($0)", value: "v" as String?) }
        service.change = { $0.addQueryItems(items) }
        #expect(try service.url().hasSuffix("&n299999=v"))
    }
}
