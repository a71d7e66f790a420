// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

/// Headers with numbers that don't fit into 32 or 64 bits, or that aren't numbers: the call ends with the response.
@Suite(.serialized, .opensFiles(0), .timeLimit) struct HostileNumberTests {
    private static let numbers = [
        "2147483647", "2147483648", "4294967295", "4294967296", "9999999999", "9223372036854775807",
        "9223372036854775808", "18446744073709551616", "-2147483649", "-9223372036854775809",
        "1e400", "-1e400", "inf", "nan", "0x7fffffff", "+1", "1.7976931348623159e308", ".",
        String(repeating: "9", count: 400), String(repeating: "0", count: 400), "\u{661}",
    ]

    /// Values with `N` in the place of a number.
    private static let fields = [
        ("Retry-After", "N"), ("Retry-After", "S N Nov 1994 8:4:3 GMT"),
        ("Retry-After", "Sun, 06 Nov N 08:49:37 GMT"), ("RateLimit", "\"a\";r=0;t=N"),
        ("RateLimit", "limit=N, remaining=N, reset=N"), ("RateLimit-Reset", "N"),
        ("X-RateLimit-Reset", "N"), ("X-RateLimit-Remaining", "N"),
        ("X-RateLimit-Reset-After", "N"), ("x-ratelimit-reset-requests", "Nh"),
        ("x-ratelimit-reset-tokens", "NdNhNmNs"), ("Cache-Control", "max-age=N"),
        ("Cache-Control", "max-age=9, stale-while-revalidate=N, stale-if-error=N"), ("Age", "N"),
        ("Expires", "N"), ("Expires", "Sun, N Nov 1994 08:49:37 GMT"),
        ("Date", "Sun, 06 Nov 1994 N:49:37 GMT"), ("Last-Modified", "Sun Nov N 08:49:37 1994"),
        ("Content-Length", "N"), ("Content-Range", "bytes N-N/N"),
        ("Link", "</a?page=N>; rel=next"),
        ("Location", "http://127.0.0.1:N/"),
    ]

    @Test(.row("L8", "Z25"), arguments: fields)
    func aLargeNumberInAHeaderIsHarmless(_ name: String, _ value: String) async {
        let clock = ServiceTestClock().clock
        for number in Self.numbers {
            let headers = [name: value.replacingOccurrences(of: "N", with: number)]
            for status in [200, 304, 429, 503] {
                let cache = ServiceCache(clock: clock)
                let retry = ServiceRetry(attempts: 2, clock: clock)
                let transport = CannedTransport(status: status, headers: headers)
                for _ in 0..<2 {
                    let outcome = await transport.call(through: [cache, retry])
                    let code = (try? outcome.get().statusCode) ?? outcome.failure?.statusCode
                    #expect(code == status, "\(name): \(number)")
                }
            }
        }
    }
}

extension Result {
    fileprivate var failure: Failure? {
        guard case .failure(let error) = self else { return nil }
        return error
    }
}
