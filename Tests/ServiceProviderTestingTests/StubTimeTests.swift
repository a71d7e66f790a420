// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct StubTimeTests {
    @Test func delaysUseTheGivenClock() async throws {
        let time = TestClock()
        let stubs = ServiceStubs(
            responses: [
                .json("{}").after(3_600).after(60), .error(URLError(.timedOut)).after(30),
                .json("[]"),
            ], clock: time.clock)
        let provider = ServiceProvider<TestService>(stubs: stubs)
        let isThere = Locked(false)
        let call = Task {
            let data = try await provider.load(service: TestService())
            isThere { $0 = true }
            return data
        }
        await time.naps(reach: 1)
        time.advance(by: 3_659)
        #expect(!isThere { $0 })
        time.advance(by: 1)
        #expect(try await call.value == Data("{}".utf8))

        let late = Task {
            try await failure { try await provider.load(service: TestService()) }
        }
        await time.naps(reach: 2)
        time.advance(by: 30)
        #expect(try await late.value.urlErrorCode == .timedOut)

        #expect(try await provider.load(service: TestService()) == Data("[]".utf8))
        #expect(time.naps == [3_660, 30])
    }

    @Test func cancellingEndsADelay() async throws {
        let time = TestClock()
        let provider = ServiceProvider<TestService>(
            stubs: ServiceStubs(responses: [.json("{}").after(10)], clock: time.clock))
        let call = Task { try await failure { try await provider.load(service: TestService()) } }
        await time.naps(reach: 1)
        call.cancel()
        #expect(try await call.value.isCancelled)
    }

    @Test func theNeverStubEndsOnlyWhenCancelled() async throws {
        let isAsked = AsyncStream<Void>.makeStream()
        let stubs = ServiceStubs { request in
            guard request.urlRequest.url?.path == "/never" else { return .json("{}") }
            isAsked.continuation.yield()
            return .never
        }
        let provider = ServiceProvider<TestService>(stubs: stubs)
        let isOver = Locked(false)
        let call = Task {
            let error = try await failure {
                try await provider.load(
                    service: TestService(baseURL: "https://example.com", path: "/never"))
            }
            isOver { $0 = true }
            return error
        }
        var asked = isAsked.stream.makeAsyncIterator()
        _ = await asked.next()
        // Other calls run meanwhile.
        for _ in 0..<200 { try await provider.load(service: TestService()) }
        #expect(!isOver { $0 })
        call.cancel()
        #expect(try await call.value.isCancelled)
    }

    @Test(.slow) func concurrentCallsUseEachStubOnce() async throws {
        let stubs = ServiceStubs(responses: (0..<1_000).map { .json("\($0)") })
        let outcomes = await Self.outcomes(of: 1_100, ServiceProvider(stubs: stubs))
        #expect(outcomes.compactMap { $0 }.count == 1_000)
        #expect(Set(outcomes.compactMap { $0 }).count == 1_000)
        #expect(stubs.requests.count == 1_100)
    }

    /// Returns the body of each call, or nil for a failed call.
    private static func outcomes(
        of count: Int, _ provider: ServiceProvider<TestService>
    ) async -> [String?] {
        await withTaskGroup(of: String?.self) { group in
            for _ in 0..<count {
                group.addTask {
                    let data = try? await provider.load(service: TestService())
                    return data.map { String(decoding: $0, as: UTF8.self) }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test func stubsOfDifferentProvidersAreIndependent() async throws {
        let (one, other) = (
            ServiceStubs(responses: [.json("1")]), ServiceStubs(responses: [.json("2")])
        )
        let first = ServiceProvider<TestService>(stubs: one)
        let second = ServiceProvider<TestService>(stubs: other)
        #expect(try await second.load(service: TestService()) == Data("2".utf8))
        #expect(one.requests.isEmpty)
        #expect(try await first.load(service: TestService()) == Data("1".utf8))
        #expect(one.requests.count == 1)
        #expect(other.requests.count == 1)
    }
}
