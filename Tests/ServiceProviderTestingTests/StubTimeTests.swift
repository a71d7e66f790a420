// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTesting
import TestSupport
import Testing

@Suite(.serialized, .opensFiles(0), .timeLimit) struct StubTimeTests {
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
        await time.waits(reach: 1)
        time.advance(by: 3_659)
        #expect(!isThere { $0 })
        time.advance(by: 1)
        #expect(try await call.value == Data("{}".utf8))

        let late = Task {
            try await failure { try await provider.load(service: TestService()) }
        }
        await time.waits(reach: 2)
        time.advance(by: 30)
        #expect(try await late.value.urlErrorCode == .timedOut)

        #expect(try await provider.load(service: TestService()) == Data("[]".utf8))
        #expect(time.waits == [3_660, 30])
    }

    @Test func cancellingEndsADelay() async throws {
        let time = TestClock()
        let provider = ServiceProvider<TestService>(
            stubs: ServiceStubs(responses: [.json("{}").after(10)], clock: time.clock))
        let call = Task { try await failure { try await provider.load(service: TestService()) } }
        await time.waits(reach: 1)
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
}
