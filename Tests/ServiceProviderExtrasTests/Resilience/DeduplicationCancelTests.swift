// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct DeduplicationCancelTests {
    let gate = Gate()
    let deduplication = ServiceDeduplication()

    /// Waits for the gate, then responds with whether the request was cancelled.
    private func provider() -> ServiceProvider<TestService> {
        let stubs = ServiceStubs { [gate] _ in
            await gate.pass()
            return .json("\(Task.isCancelled)")
        }
        return ServiceProvider(stubs: stubs, interceptors: [deduplication])
    }

    private static func outcome(
        of provider: ServiceProvider<TestService>
    ) async -> Swift.Result<String, ServiceError> {
        do {
            let data = try await provider.load(service: TestService())
            return .success(String(decoding: data, as: UTF8.self))
        } catch {
            return .failure(ServiceError(error))
        }
    }

    /// A call that joined an old request would not reach the gate.
    private func expectNothingIsLeft(in provider: ServiceProvider<TestService>) async throws {
        let before = gate.arrivals
        #expect(try await Self.outcome(of: provider).get() == "false")
        #expect(gate.arrivals == before + 1)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func aCancelledCallerEndsImmediatelyAndAlone() async throws {
        let provider = provider()
        let callers = WatchedExecutor()
        let calls = (0..<3).map { _ in
            Task(executorPreference: callers) { await Self.outcome(of: provider) }
        }
        await callers.idle()
        for call in calls.dropLast() {
            call.cancel()
            // The call ends before there is a response.
            #expect(await call.value.isCancelled)
        }
        gate.open()
        #expect(try await calls[2].value.get() == "false")
        #expect(gate.arrivals == 1)
    }

    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test func cancellingTheLastCallerCancelsTheRequest() async throws {
        let wasCancelled = AsyncStream<Bool>.makeStream()
        let stubs = ServiceStubs { [gate] _ in
            await gate.pass()
            wasCancelled.continuation.yield(Task.isCancelled)
            return .json("{}")
        }
        let provider = ServiceProvider<TestService>(
            stubs: stubs, interceptors: [deduplication])
        let callers = WatchedExecutor()
        let calls = (0..<3).map { _ in
            Task(executorPreference: callers) { await Self.outcome(of: provider) }
        }
        await callers.idle()
        await gate.arrivals(reach: 1)
        for call in calls { call.cancel() }
        for call in calls {
            #expect(await call.value.isCancelled)
        }
        // The old request hasn't ended yet, and a new call must not join it.
        let late = Task { await Self.outcome(of: provider) }
        await gate.arrivals(reach: 2)
        gate.open()
        #expect(try await late.value.get() == "{}")
        var ends: [Bool] = []
        for await end in wasCancelled.stream {
            ends.append(end)
            if ends.count == 2 { break }
        }
        #expect(ends.sorted { $0 && !$1 } == [true, false])
    }

    @Test func aCallCancelledBeforehandSendsNothing() async throws {
        let provider = provider()
        let call = Task {
            let leaving = Intercept { request, next in
                withUnsafeCurrentTask { $0?.cancel() }
                return try await next(request)
            }
            return await Self.outcome(of: provider.adding(leaving))
        }
        #expect(await call.value.isCancelled)
        #expect(gate.arrivals == 0)
    }

    /// Joining races with the end of the request: every caller gets a response.
    @Test(.slow) func joiningARequestThatEndsGetsAResponse() async throws {
        gate.open()
        let provider = provider()
        try await within(seconds: 300) {
            for _ in 0..<1_000 {
                let calls = (0..<6).map { _ in Task { await Self.outcome(of: provider) } }
                for call in calls {
                    let answer = try await call.value.get()
                    #expect(answer == "false")
                }
            }
        }
        try await expectNothingIsLeft(in: provider)
        #expect(gate.arrivals >= 1_000)
    }

    /// Cancelling races with joining and with the end: each caller that didn't cancel gets a
    /// response, from a request that wasn't cancelled.
    @Test(.slow) func cancellingWhileOthersJoinDoesNotAffectThem() async throws {
        gate.open()
        let provider = provider()
        let cancelled = Locked(0)
        try await within(seconds: 300) {
            for round in 0..<2_000 {
                let leaving = (0..<2).map { _ in Task { await Self.outcome(of: provider) } }
                for _ in 0..<(round % 5) { await Task.yield() }
                let staying = Task { await Self.outcome(of: provider) }
                for call in leaving { call.cancel() }
                let answer = try await staying.value.get()
                #expect(answer == "false")
                for call in leaving {
                    switch await call.value {
                    case .success: break
                    case .failure(.cancelled): cancelled { $0 += 1 }
                    case .failure(let error): Issue.record(error)
                    }
                }
            }
        }
        #expect(cancelled { $0 } > 0)
        try await expectNothingIsLeft(in: provider)
    }

    /// Callers that cancel at any moment, on other threads, race with new callers.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(.slow) func aCallerCanJoinWhileTheLastOneCancels() async throws {
        let provider = provider()
        try await within(seconds: 300) { [gate] in
            let callers = WatchedExecutor()
            gate.open()
            for round in 0..<1_000 {
                let first = Task(executorPreference: callers) { await Self.outcome(of: provider) }
                if round % 2 == 0 { await callers.idle() }
                DispatchQueue.global().async { first.cancel() }
                let second = Task { await Self.outcome(of: provider) }
                let answer = try await second.value.get()
                #expect(answer == "false")
                _ = await first.value
            }
        }
        try await expectNothingIsLeft(in: provider)
    }
}
