// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

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

    @Test(arguments: TransportUnderTest.allCases.filter(\.measuresRequests))
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

    /// Other transports measure by themselves.
    @Test(arguments: TransportUnderTest.allCases.filter { !$0.measuresRequests })
    func aMeterMeasuresFailures(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [
            .text("hello").cut(.close, afterBodyBytes: 3)
        ])
        let before = Date()
        let service = server.service("/a")
        let error = try await transport.provider(ServiceMeter()).failure(of: service)
        let metrics = try #require(error.metrics.first)
        #expect(error.metrics.count == 1)
        let firstByte = try #require(metrics.firstByte)
        #expect(metrics.total >= firstByte)
        #expect(metrics.total <= Date().timeIntervalSince(before) + 0.001)
        #expect(metrics.connect == nil)
        let refusing = TestService(baseURL: "http://127.0.0.1:1/x")
        let refused = try await transport.provider(ServiceMeter()).failure(of: refusing)
        #expect(refused.metrics.count == 1 && refused.metrics.first?.firstByte == nil)
    }

    @Test func theMetricsOfATransportStay() async throws {
        var measured = ServiceMetrics()
        measured.total = 7
        let failure = URLError(.timedOut).adding([measured])
        let transport = StubTransport { _ in throw failure }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [ServiceMeter()])
        #expect(try await provider.failure(of: TestService()).metrics.map(\.total) == [7])
    }

    /// An observer, as the outermost interceptor, gets them too.
    @Test func anObserverSeesTheMetricsOfAFailure() async throws {
        let seen = Locked<[Int]>([])
        let observer = ServiceObserver { stage in
            guard case .failed(let error, _, _) = stage else { return }
            seen { $0.append(error.metrics.count) }
        }
        let transport = StubTransport { _ in throw URLError(.timedOut) }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [observer, ServiceMeter()])
        _ = try await provider.failure(of: TestService())
        #expect(seen { $0 } == [1])
    }
}
