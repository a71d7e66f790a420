// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// How long a retry waits if a server limits the rate of requests. No real time passes. (`RetryDelayTests` tests `Retry-After`.)
@Suite(.serialized, .opensFiles(0), .timeLimit) struct RequestedDelayTests {
    private let time = TestClock(jumps: true)

    /// Returns the wait before the second attempt: 0.5 seconds if the response asks for nothing. Nil without an attempt.
    private func wait(
        _ headers: [String: String], status: Int = 429, body: String = "",
        requestedDelay: (@Sendable (ServiceResponse) -> TimeInterval?)? = nil
    ) async -> TimeInterval? {
        let retry = ServiceRetry(
            attempts: 2, requestedDelay: requestedDelay, clock: time.clock,
            random: { $0.upperBound })
        let transport = StubTransport { request in
            try request.respond(status, headers: headers, data: Data(body.utf8))
        }
        let provider = ServiceProvider<TestService>(transport: transport, interceptors: [retry])
        #expect(await provider.end(of: TestService()) == "\(status)")
        return time.waits.first
    }

    /// The clock starts on Friday, 15 January 2027, 08:00:00 GMT, which is 1,800,000,000 seconds after 1970.
    @Test(
        .row("L8"),
        arguments: [
            ("RateLimit-Reset", "9", 9.0), ("X-RateLimit-Reset", "9", 9),
            ("X-RateLimit-Reset", "2.5", 2.5),
            ("X-RateLimit-Reset", "1800000009", 9), ("X-RateLimit-Reset", "1800000009.25", 9.25),
            ("X-RateLimit-Reset", "1800000009000", 9), ("X-RateLimit-Reset", "1700000000", 0.5),
            ("X-RateLimit-Reset", "Fri, 15 Jan 2027 08:00:09 GMT", 9),
            ("X-RateLimit-Reset", "9s", 9),
            ("X-RateLimit-Reset-After", "9.5", 9.5), ("RateLimit-Reset-After", "9", 9),
            ("RateLimit", #""default";r=0;t=9"#, 9), ("RateLimit", #""default";t=9"#, 9),
            ("RateLimit", #""a";r=0;t=7, "b,;c";r=0;t=9, "d";r=1;t=20"#, 9),
            ("RateLimit", "limit=100, remaining=0, reset=9", 9),
            ("RateLimit", "limit=100, reset=9", 9),
            ("x-ratelimit-reset-requests", "9s", 9), ("x-ratelimit-reset-requests", "0m9.5s", 9.5),
            ("x-ratelimit-reset-tokens", "9000ms", 9),
            ("X-RateLimit-Reset-Requests", "0h0m29s", 29),
            ("Retry-After", "9", 9),
            // Nothing that can be read.
            ("X-RateLimit-Reset", "", 0.5), ("X-RateLimit-Reset", "soon", 0.5),
            ("X-RateLimit-Reset", "-9", 0.5),
            ("X-RateLimit-Reset", "1.2.3", 0.5), ("X-RateLimit-Reset", "9 s", 0.5),
            ("X-RateLimit-Reset", "9w", 0.5),
            ("X-RateLimit-Reset", "inf", 0.5), ("X-RateLimit-Reset", "nan", 0.5),
            ("RateLimit", "a", 0.5),
            ("RateLimit", #""default";r=0"#, 0.5), ("RateLimit", #""default";r=0;t=x"#, 0.5),
            ("RateLimit", #""default";r=3;t=9"#, 0.5), ("RateLimit", "remaining=3, reset=9", 0.5),
            ("x-ratelimit-reset-requests", "s", 0.5), ("x-ratelimit-reset-requests", "9s9", 18),
        ])
    func aWaitLastsAsLongAsTheLimit(_ name: String, _ value: String, _ seconds: Double) async {
        #expect(await wait([name: value]) == seconds)
    }

    /// Attempts would be useless.
    @Test(arguments: [
        ("X-RateLimit-Reset", "1800000031"), ("X-RateLimit-Reset", "3600"),
        ("RateLimit-Reset", "31"),
        ("X-RateLimit-Reset-After", "31"), ("RateLimit", #""day";r=0;t=3600"#),
        ("x-ratelimit-reset-requests", "6m0s"), ("x-ratelimit-reset-tokens", "1h2m3.5s"),
        ("X-RateLimit-Reset", "99999999999999999999"), ("X-RateLimit-Reset-After", "1d"),
    ])
    func aLimitThatLastsTooLongIsNotAwaited(_ name: String, _ value: String) async {
        #expect(await wait([name: value]) == nil)
    }

    /// Servers send these fields with each response.
    @Test(
        arguments: [
            (503, nil, 0.5), (503, "5", 0.5), (503, "0", 9), (429, "5", 0.5), (429, "0", 9),
            (429, nil, 9),
            (429, "", 0.5), (429, "none", 0.5),
        ] as [(Int, String?, Double)])
    func onlyAReachedLimitIsAwaited(_ status: Int, _ remaining: String?, _ seconds: Double) async {
        var headers = ["X-RateLimit-Reset": "9"]
        headers["X-RateLimit-Remaining"] = remaining
        #expect(await wait(headers, status: status) == seconds)
    }

    @Test func theLimitThatIsReachedDecides() async {
        let headers = [
            "x-ratelimit-remaining-requests": "59", "x-ratelimit-reset-requests": "20s",
            "x-ratelimit-remaining-tokens": "0", "x-ratelimit-reset-tokens": "9s",
        ]
        #expect(await wait(headers) == 9)
    }

    @Test func aDurationCountsBeforeATimeAndRetryAfterBeforeBoth() async {
        var headers = ["X-RateLimit-Reset": "1800000029", "X-RateLimit-Reset-After": "9"]
        #expect(await wait(headers) == 9)
        headers["Retry-After"] = "3"
        #expect(await RequestedDelayTests().wait(headers) == 3)
    }

    @Test func aClosureReadsTheWaitFromTheBody() async {
        let read: @Sendable (ServiceResponse) -> TimeInterval? = {
            $0.text.flatMap { TimeInterval($0) }
        }
        #expect(await wait(["Retry-After": "3"], body: "9", requestedDelay: read) == 9)
        #expect(await RequestedDelayTests().wait([:], body: "31", requestedDelay: read) == nil)
        let headers = ["Retry-After": "3"]
        #expect(await RequestedDelayTests().wait(headers, body: "?", requestedDelay: read) == 3)
        #expect(await RequestedDelayTests().wait([:], body: "nan", requestedDelay: read) == nil)
    }
}
