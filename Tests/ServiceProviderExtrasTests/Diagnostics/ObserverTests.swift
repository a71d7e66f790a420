// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct ObserverTests {
    let server: LoopbackServer
    let clock = TestClock()
    private let seen = Locked<[String]>([])

    init() throws { server = try LoopbackServer() }

    /// Records each event as a line.
    private var observer: ServiceObserver {
        ServiceObserver(clock: clock.clock) { [seen] event in
            let line =
                switch event {
                case .started(let request): "started \(request)"
                case .finished(let response, let seconds): "\(response.statusCode) after \(seconds)"
                case .failed(let error, let request, let seconds):
                    "\(request): \(error) after \(seconds)"
                }
            seen { $0.append(line) }
        }
    }

    /// Advances the clock inside the observer.
    private func taking(_ seconds: TimeInterval) -> Intercept {
        Intercept { [clock] request, next in
            clock.advance(by: seconds)
            return try await next(request)
        }
    }

    @Test func responsesOfAnyStatusAreObserved() async throws {
        server.enqueue(.text("a"))
        server.enqueue(.text("b", statusCode: 404))
        let provider = ServiceProvider<TestService>(interceptors: [observer, taking(1.5)])
        try await provider.load(service: server.service("/a"))
        _ = try await provider.failure(of: server.service("/b"))
        let lines = ["started GET /a", "200 after 1.5", "started GET /b", "404 after 1.5"]
        #expect(seen { $0 } == lines)
    }

    @Test func aMissingResponseIsObservedAsAFailure() async throws {
        let service = TestService(baseURL: "http://127.0.0.1:1/x")
        let provider = ServiceProvider<TestService>(interceptors: [observer, taking(2)])
        let error = try await provider.failure(of: service)
        #expect(seen { $0 } == ["started GET /x", "GET /x: \(error) after 2.0"])
    }

    /// The observer's place decides whether it sees a call or each of its attempts.
    @Test func anInnerObserverSeesEachAttempt() async throws {
        server.enqueue(.text("no", statusCode: 500))
        server.enqueue(.text("yes"))
        let twice = Intercept { request, next in
            _ = try await next(request)
            return try await next(request)
        }
        let outer = ServiceProvider<TestService>(interceptors: [observer, twice])
        try await outer.load(service: server.service("/x"))
        #expect(seen { $0 } == ["started GET /x", "200 after 0.0"])
        seen { $0 = [] }
        server.enqueue(.text("no", statusCode: 500))
        server.enqueue(.text("yes"))
        let inner = ServiceProvider<TestService>(interceptors: [twice, observer])
        try await inner.load(service: server.service("/x"))
        let lines = ["started GET /x", "500 after 0.0", "started GET /x", "200 after 0.0"]
        #expect(seen { $0 } == lines)
    }

    @Test func aStreamIsObservedWhenItsHeadersArrive() async throws {
        server.enqueue(.text("a", statusCode: 200))
        let provider = ServiceProvider<TestService>(interceptors: [observer])
        for try await _ in try await provider.stream(service: server.service("/x")) {}
        #expect(seen { $0 } == ["started GET /x", "200 after 0.0"])
    }
}
