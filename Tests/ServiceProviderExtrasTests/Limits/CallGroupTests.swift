// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Calls that are cancelled together.
@Suite(.serialized, .opensFiles, .timeLimit) struct CallGroupTests {
    private func service(_ server: LoopbackServer, _ tag: String?) -> TestService {
        var service = server.service().patient
        service.change = { $0.tag = tag }
        return service
    }

    @Test(arguments: TransportUnderTest.allCases)
    func allCallsAreCancelled(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .never }
        let group = ServiceCallGroup()
        let provider = transport.provider(group)
        let calls = (0..<5).map { _ in
            Task { await provider.outcome(of: service(server, nil)) }
        }
        while group.count < 5 { try await Task.sleep(nanoseconds: 1_000_000) }
        group.cancelAll()
        for call in calls { #expect(await call.value.isCancelled) }
        #expect(group.count == 0)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func onlyCallsWithTheTagAreCancelled(_ transport: TransportUnderTest) async throws {
        let gate = Gate()
        let server = try LoopbackServer { _ in .text("ok") }
        let group = ServiceCallGroup()
        let provider = transport.provider(
            group,
            Intercept { request, next in
                await gate.pass()
                try Task.checkCancellation()
                return try await next(request)
            })
        let calls = ["search", "search", "image", nil].map { tag in
            Task { await provider.outcome(of: service(server, tag)) }
        }
        await gate.arrivals(reach: 4)
        group.cancel(tag: "search")
        gate.open()
        var ends: [Bool] = []
        for call in calls { ends.append(await call.value.isCancelled) }
        #expect(ends == [true, true, false, false])
    }

    @Test func laterCallsAreNotAffected() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let group = ServiceCallGroup()
        group.cancelAll()
        let provider = ServiceProvider<TestService>(interceptors: [group])
        #expect(try await provider.text(of: server.service()) == "ok")
        #expect(group.count == 0)
    }

    @Test func cancellingACallerCancelsItsRequest() async throws {
        let group = ServiceCallGroup()
        let server = try LoopbackServer { _ in .never }
        let provider = ServiceProvider<TestService>(interceptors: [group])
        let call = Task { await provider.outcome(of: service(server, nil)) }
        while group.count < 1 { try await Task.sleep(nanoseconds: 1_000_000) }
        call.cancel()
        #expect(await call.value.isCancelled)
        #expect(group.count == 0)
    }

    /// It's in the group before the next interceptor runs, on another thread.
    @Test(.slow) func aCallIsInTheGroupBeforeItIsSent() async throws {
        let (group, request) = (ServiceCallGroup(), try TestService().request())
        for _ in 0..<sanitized(10_000) {
            let response = try await group.intercept(request) { request in
                ServiceResponse(request: request, statusCode: 200 + group.count)
            }
            try #require(response.statusCode == 201)
        }
    }

    @Test func aResponseThatArrivesAfterCancellingIsDropped() async throws {
        let group = ServiceCallGroup()
        let provider = ServiceProvider<TestService>(interceptors: [
            group,
            Intercept { request, _ in
                group.cancelAll()
                return ServiceResponse(request: request, statusCode: 200)
            },
        ])
        #expect(await provider.outcome(of: TestService()).isCancelled)
    }
}
