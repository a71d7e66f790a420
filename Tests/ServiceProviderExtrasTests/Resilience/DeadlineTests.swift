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

@Suite(.serialized, .opensFiles, .timeLimit) struct DeadlineTests {
    private let time = TestClock()

    private func provider(
        _ seconds: TimeInterval, _ inner: any ServiceInterceptor...,
        transport: TransportUnderTest = .ownSession
    ) -> ServiceProvider<TestService> {
        let deadline = ServiceDeadline(seconds, clock: time.clock)
        return ServiceProvider(transport: transport.make(), interceptors: [deadline] + inner)
    }

    /// Holds a call until its deadline has started. Otherwise, the response might come first.
    private var waitingForTheDeadline: Intercept {
        Intercept { [time] request, next in
            await time.waits(reach: 1)
            return try await next(request)
        }
    }

    /// Lets the deadline pass once the request has reached the server, and returns the call's
    /// error.
    private func lateError(
        of provider: ServiceProvider<TestService>, _ server: LoopbackServer
    ) async throws -> ServiceError? {
        let call = Task {
            await #expect(throws: ServiceError.self) {
                try await provider.load(service: server.service("/call"))
            }
        }
        _ = try await server.arrival()
        await time.waits(reach: 1)
        time.advance(by: 1.5)
        return try await within(seconds: 300) { await call.value }
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aCallThatTakesTooLongTimesOut(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .never }
        let error = try await lateError(of: provider(1.5, transport: transport), server)
        #expect(error?.urlErrorCode == .timedOut)
        let text = transcribed(try #require(error).description, as: .error)
        let expected = """
            The server didn't respond in time. (URLError -1001, http://127.0.0.1:\(server.port)): \
            the deadline of 1.5 seconds has passed.
            """
        #expect(text == expected)
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aResponseInTimeIsReturned(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [.text("good"), .statusCode(404)])
        let provider = provider(1.5, transport: transport)
        let service = server.service("/call")
        #expect(try await provider.load(service: service) == Data("good".utf8))
        #expect(await provider.end(of: service) == "404")
        let refused = await provider.end(of: TestService(baseURL: "http://127.0.0.1:1"))
        #expect(refused.contains("URLError -1004"))
    }

    /// Uses the system's clock.
    @Test func theSystemClockIsTheDefault() async throws {
        let server = try LoopbackServer { _ in .never }
        let provider = ServiceProvider<TestService>(interceptors: [ServiceDeadline(0.01)])
        let end = try await within(seconds: 300) {
            await provider.end(of: server.service("/call"))
        }
        #expect(end.contains("the deadline of 0.01 seconds has passed."))
    }

    @Test func aCancelledCallIsNotATimeout() async throws {
        let server = try LoopbackServer { _ in .never }
        let call = Task { [provider = provider(1.5)] in
            await provider.end(of: server.service("/call"))
        }
        _ = try await server.arrival()
        call.cancel()
        #expect(await call.value == "The request was cancelled.")
    }

    /// Each redirect is slow, but faster than the deadline.
    @Test(.row("T8")) func theDeadlineCoversAllRedirects() async throws {
        let start = time.now
        let server = try LoopbackServer { [time] _ in
            time.advance(by: 0.4)
            // From then on, only the deadline can end the call, however late its timer fires.
            return time.now > start + 1.5 ? .never : .redirect(to: "/on")
        }
        let end = try await within(seconds: 300) {
            [provider = provider(1.5, waitingForTheDeadline)] in
            await provider.end(of: server.service("/call"))
        }
        #expect(end.contains("the deadline of 1.5 seconds has passed."))
        #expect(server.requests.count == 4)
    }

    /// The deadline covers all attempts and the waits between them.
    @Test(.row("T8")) func aDeadlineCutsARetryDelayShort() async throws {
        let server = try LoopbackServer { _ in .statusCode(503).header("Retry-After", "20") }
        let retry = ServiceRetry(clock: time.clock)
        let call = Task { [provider = provider(30, retry)] in
            await provider.end(of: server.service("/call"))
        }
        await time.waits(reach: 2)
        time.advance(by: 20)
        await time.waits(reach: 3)
        #expect(Set(time.waits) == [20, 30])
        time.advance(by: 10)
        #expect(await call.value.contains("the deadline of 30.0 seconds has passed."))
        #expect(server.requests.count == 2)
    }

    /// Once its headers have arrived, a stream may take as long as it needs.
    @Test(.row("E9")) func theDeadlineOfAStreamEndsWithItsHeaders() async throws {
        let server = try LoopbackServer { request in
            request.path == "/never" ? .never : .text("good").delayingBody(by: 0.02)
        }
        let stream = try await provider(1.5, waitingForTheDeadline)
            .stream(service: server.service("/call"))
        time.advance(by: 100)
        let (chunks, failure) = await stream.collected()
        #expect(failure == nil)
        #expect(chunks.reduce(Data(), +) == Data("good".utf8))
        #expect(time.waits == [1.5])
        _ = try await server.arrival()
        let late = Task { [provider = provider(1.5)] in
            await #expect(throws: ServiceError.self) {
                try await provider.stream(
                    service: TestService(baseURL: server.baseURL, path: "/never"))
            }
        }
        _ = try await server.arrival()
        await time.waits(reach: 2)
        time.advance(by: 1.5)
        let error = try await within(seconds: 300) { await late.value }
        #expect(error?.urlErrorCode == .timedOut)
    }

    @Test(arguments: [0, -1, .nan, .infinity, -.infinity, 604_801] as [TimeInterval])
    func invalidDeadlinesAreRefused(_ seconds: TimeInterval) async throws {
        let server = try LoopbackServer { _ in .text("good") }
        let end = await provider(seconds).end(of: server.service("/call"))
        let reason = "the deadline '\(seconds)' must be above 0 and at most a week."
        #expect(end == "Invalid timeout: \(reason)")
        #expect(server.isUntouched)
    }
}
