// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// The times and sizes of requests.
@Suite(.serialized, .opensFiles, .timeLimit) struct MetricsTests {
    @Test(.row("C28"), arguments: TransportUnderTest.allCases)
    func timesAndSizesAreMeasured(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in
            .data(Data(count: 5_000)).delayed(by: 0.05)
        }
        var service = server.service(method: .post)
        service.body = .data(Data(count: 700))
        let before = Date()
        let response = try await transport.provider(ServiceMeter()).response(service: service)
        let metrics = try #require(response.metrics.first)
        #expect(response.metrics.count == 1)
        #expect(metrics.start.timeIntervalSince(before) >= -0.001)
        let firstByte = try #require(metrics.firstByte)
        #expect(firstByte >= 0.04)
        #expect(metrics.total >= firstByte - 0.001)
        #expect(metrics.receivedBytes >= 5_000)
        #expect(metrics.sentBytes >= 700)
        #expect(metrics.total <= Date().timeIntervalSince(before) + 0.001)
    }

    @Test(arguments: TransportUnderTest.allCases.filter { $0.testDescription.contains("Curl") })
    func eachRedirectIsMeasured(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [
            .redirect(to: "/a"), .redirect(to: "/b", statusCode: 307), .text("there"),
        ])
        let response = try await transport.provider(ServiceMeter()).response(
            service: server.service())
        #expect(response.metrics.count == 3)
        let starts = response.metrics.map(\.start)
        #expect(starts == starts.sorted())
    }

    @Test(arguments: TransportUnderTest.allCases)
    func interceptorsSeeTheMetrics(_ transport: TransportUnderTest) async throws {
        let seen = Locked(0)
        let watching = Intercept { request, next in
            let response = try await next(request)
            seen { $0 += response.metrics.count }
            return response
        }
        let server = try LoopbackServer { _ in .statusCode(404) }
        let error = try await transport.provider(watching, ServiceMeter()).failure(
            of: server.service())
        #expect(error.response?.metrics.count == 1)
        #expect(seen { $0 } == 1)
    }
}
