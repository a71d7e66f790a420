// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// A limit for requests that run at the same time.
@Suite(.serialized, .opensFiles, .timeLimit) struct ConcurrencyLimitTests {
    private func provider(
        _ limit: Int, _ inner: any ServiceInterceptor
    ) -> ServiceProvider<TestService> {
        ServiceProvider(interceptors: [ServiceConcurrencyLimit(limit), inner])
    }

    /// An endpoint that a stub responds to.
    private func service(_ name: String, _ priority: ServicePriority = .normal) -> TestService {
        var service = TestService(path: "/" + name)
        service.change = { $0.priority = priority }
        return service
    }

    private func response(to request: ServiceRequest) -> ServiceResponse {
        ServiceResponse(request: request, statusCode: 200)
    }

    @Test(.row("C17"), arguments: TransportUnderTest.allCases, [1, 3])
    func noMoreRequestsRunThanAllowed(_ transport: TransportUnderTest, _ limit: Int) async throws {
        let running = Locked((now: 0, most: 0))
        let counting = Intercept { request, next in
            running { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
            defer { running { $0.now -= 1 } }
            return try await next(request)
        }
        let server = try LoopbackServer { _ in .text("ok") }
        let provider = transport.provider(ServiceConcurrencyLimit(limit), counting)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<40 {
                group.addTask { _ = try await provider.load(service: server.service().patient) }
            }
            try await group.waitForAll()
        }
        #expect(running { $0.most } <= limit)
        #expect(running { $0.now } == 0)
        #expect(server.requests.count == 40)
    }

    @Test(.row("C17")) func waitingRequestsStartByPriorityAndThenInOrder() async throws {
        let (gate, started) = (Gate(), Locked<[String]>([]))
        let limit = ServiceConcurrencyLimit(1)
        let provider = ServiceProvider<TestService>(interceptors: [
            limit,
            Intercept { request, _ in
                started { $0.append(request.urlRequest.url?.lastPathComponent ?? "") }
                await gate.pass()
                return response(to: request)
            },
        ])
        let first = Task { try await provider.load(service: service("first")) }
        await gate.arrivals(reach: 1)
        var calls: [Task<Data, any Error>] = []
        for (name, priority) in [
            ("low1", .low), ("normal1", .normal), ("high1", .high), ("low2", .low),
            ("normal2", .normal), ("high2", .high),
        ] as [(String, ServicePriority)] {
            let service = service(name, priority)
            calls.append(Task { try await provider.load(service: service) })
            // One after another, so that their order is known.
            try await limit.waiting(reach: calls.count)
        }
        gate.open()
        for call in [first] + calls { _ = try await call.value }
        let expected = ["first", "high1", "high2", "normal1", "normal2", "low1", "low2"]
        #expect(started { $0 } == expected)
    }

    @Test func aCancelledCallLeavesTheQueue() async throws {
        let (gate, limit) = (Gate(), ServiceConcurrencyLimit(1))
        let provider = ServiceProvider<TestService>(interceptors: [
            limit,
            Intercept { request, _ in
                await gate.pass()
                return response(to: request)
            },
        ])
        let first = Task { try await provider.load(service: service("first")) }
        await gate.arrivals(reach: 1)
        let second = Task { try await provider.load(service: service("second")) }
        try await limit.waiting(reach: 1)
        second.cancel()
        let error = try await failure { _ = try await second.value }
        #expect(ServiceResult<Data>.failure(error).isCancelled)
        let third = Task { try await provider.load(service: service("third")) }
        gate.open()
        _ = try await first.value
        _ = try await third.value
        #expect(gate.arrivals == 2)
    }

    @Test func aFailureFreesItsPlace() async throws {
        let provider = provider(1, Intercept { _, _ in throw URLError(.timedOut) })
        for _ in 0..<3 {
            let error = try await provider.failure(of: service("x"))
            #expect(error.urlErrorCode == .timedOut)
        }
    }

    /// Thousands of calls, half of them cancelled at any moment.
    @Test func everyCallEndsWhenMostAreCancelled() async throws {
        let limit = ServiceConcurrencyLimit(3)
        let running = Locked((now: 0, most: 0))
        let provider = ServiceProvider<TestService>(interceptors: [
            limit,
            Intercept { request, _ in
                running { $0 = ($0.now + 1, max($0.most, $0.now + 1)) }
                defer { running { $0.now -= 1 } }
                await Task.yield()
                return response(to: request)
            },
        ])
        let priorities: [ServicePriority] = [.low, .normal, .high]
        for round in 0..<60 {
            let calls = (0..<50).map { index in
                let service = service("x", priorities[(round + index) % 3])
                return Task { try await provider.load(service: service) }
            }
            for call in calls.shuffled().prefix(25) { call.cancel() }
            for call in calls { _ = await call.result }
        }
        #expect(running { $0.most } <= 3)
        #expect(running { $0.now } == 0)
        // All places are free again.
        _ = try await provider.load(service: service("last"))
        #expect(limit.waitingCount == 0)
    }

    @Test(arguments: [0, -1, Int.min]) func aLimitBelow1CountsAs1(_ limit: Int) async throws {
        let provider = provider(limit, Intercept { request, _ in response(to: request) })
        _ = try await provider.load(service: service("x"))
    }
}

extension ServiceConcurrencyLimit {
    fileprivate func waiting(reach count: Int) async throws {
        while waitingCount < count { try await Task.sleep(nanoseconds: 1_000_000) }
    }
}
