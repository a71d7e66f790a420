// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// The metrics that a transport measures itself.
@Suite(.serialized, .opensFiles, .timeLimit) struct ConnectionMetricsTests {
    @Test(arguments: TransportUnderTest.allCases.filter { $0.testDescription.contains("Curl") })
    func theConnectionIsDescribed(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 5_000)) }
        let provider = transport.provider()
        var service = server.service(method: .post)
        service.body = .data(Data(count: 700))
        let first = try #require(try await provider.response(service: service).metrics.first)
        let second = try #require(try await provider.response(service: service).metrics.first)
        #expect([first, second].map(\.protocolName) == ["http/1.1", "http/1.1"])
        #expect([first, second].map(\.remoteAddress) == ["127.0.0.1", "127.0.0.1"])
        let connected = (first.nameLookup ?? 0) + (try #require(first.connect))
        #expect(connected <= first.total + 0.001)
        #expect(first.localPort == second.localPort && (first.localPort ?? 0) > 0)
        #expect([first, second].map(\.isReusedConnection) == [false, true])
        #expect(first.nameLookup != nil)
        #expect(try #require(first.connect) <= first.total)
        #expect(second.nameLookup == nil && second.connect == nil)
        #expect(first.secureConnect == nil && second.secureConnect == nil)
        let request = try #require(server.requests.first)
        #expect(first.sentBytes == Int64(request.head.count + 700))
        let head =
            "HTTP/1.1 200 OK\r\nContent-Type: application/octet-stream\r\n"
            + "Content-Length: 5000\r\n\r\n"
        #expect(first.receivedBytes == Int64(head.utf8.count + 5_000))
    }

    @Test func aDateThatIsSetBackGivesNoNegativeTime() {
        var metrics = ServiceMetrics()
        metrics.start += 3_600
        #expect(metrics.elapsed == 0)
    }
}
