// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras
import TestSupport
import Testing

/// A cache outside a limit of calls.
@Suite(.serialized, .opensFiles(0), .timeLimit) struct CacheWithLimitTests {
    /// The order in the article "Interceptors". A response that is stored needs no place, and the requests that
    /// update stored responses wait for one.
    @Test func backgroundRequestsWaitInsideTheCache() async throws {
        let (time, gate, isSlow) = (TestClock(), Gate(), Locked(false))
        let running = Locked((now: 0, most: 0, count: 0))
        let limit = ServiceConcurrencyLimit(2)
        let provider = ServiceProvider<TestService>(interceptors: [
            ServiceCache(clock: time.clock), limit,
            Intercept { request, _ in
                running { $0 = ($0.now + 1, max($0.most, $0.now + 1), $0.count + 1) }
                defer { running { $0.now -= 1 } }
                if isSlow({ $0 }) { await gate.pass() }
                return try request.respond(
                    200, headers: ["Cache-Control": "max-age=1, stale-while-revalidate=60"])
            },
        ])
        for _ in 0..<2 {
            for index in 0..<20 {
                _ = try await provider.load(service: TestService(path: "/\(index)"))
            }
            time.advance(by: 10)
            isSlow { $0 = true }
        }
        try await within(seconds: 60) {
            while limit.waitingCount < 18 { try await Task.sleep(nanoseconds: 1_000_000) }
            gate.open()
            while running({ $0.count < 40 || $0.now > 0 }) {
                try await Task.sleep(nanoseconds: 1_000_000)
            }
        }
        #expect(running { $0.most } == 2)
    }
}
