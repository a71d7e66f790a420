// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct RecordedWaitTests {
    @Test func waitsAreRecorded() async throws {
        let start = Date(timeIntervalSince1970: 1_800_000_000)
        let time = ServiceTestClock(now: start)
        let retry = ServiceRetry(clock: time.clock, random: { $0.upperBound })
        let stubs = ServiceStubs(
            responses: [
                .statusCode(503), .statusCode(503, headers: ["Retry-After": "7"]), .json("[]"),
            ])
        let provider = ServiceProvider<TestService>(interceptors: [retry, stubs])
        #expect(try await provider.load(service: TestService()) == Data("[]".utf8))
        #expect(time.waits == [0.5, 7])
        #expect(time.now == start + 7.5)
        #expect(time.clock.now() == time.now)
    }

    @Test func cancelledTasksDoNotWait() async {
        let time = ServiceTestClock()
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            try await time.clock.sleep(1)
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(time.waits.isEmpty)
    }
}
