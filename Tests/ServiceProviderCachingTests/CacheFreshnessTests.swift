// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderCaching
import TestSupport
import Testing

/// Which stored responses are returned, revalidated or loaded again. By the areas of the public test
/// suite http-tests/cache-tests.
@Suite(.serialized, .opensFiles, .timeLimit) struct CacheFreshnessTests {
    /// How the second of two calls gets its response.
    enum Expected: Sendable { case served, servedStale, validated, fetched, unavailable }

    struct Case: Sendable, CustomTestStringConvertible {
        var fields: [(String, String)]
        /// Seconds between the calls.
        var later: TimeInterval = 0
        var expected: Expected
        /// The headers of the second request.
        var wanted: [String: String] = [:]
        /// The headers of both requests.
        var both: [String: String] = [:]
        /// The status of the second response.
        var status: Int?

        init(
            _ fields: [(String, String)], after later: TimeInterval = 0, _ expected: Expected,
            asking wanted: [String: String] = [:], both: [String: String] = [:],
            status: Int? = nil
        ) {
            (self.fields, self.later, self.expected) = (fields, later, expected)
            (self.wanted, self.both) = (wanted, both)
            self.status = status
        }

        /// A response with a `Cache-Control`.
        init(
            _ control: String, after later: TimeInterval = 0, _ expected: Expected,
            asking wanted: String? = nil, both: [String: String] = [:],
            status: Int? = nil
        ) {
            self.init(
                [("Cache-Control", control)], after: later, expected,
                asking: wanted.map { ["Cache-Control": $0] } ?? [:], both: both,
                status: status)
        }

        var testDescription: String {
            let shown = fields.map { "\($0): \($1)" }.joined(separator: "; ")
            return "\(shown) | after \(later) s \(wanted) \(both)"
        }
    }

    /// The clock starts on Friday, 15 January 2027, 08:00:00 GMT.
    private static let start = "Fri, 15 Jan 2027 08:00:00 GMT"
    private static let minuteLater = "Fri, 15 Jan 2027 08:01:00 GMT"
    private static let minuteBefore = "Fri, 15 Jan 2027 07:59:00 GMT"

    // MARK: - Freshness

    static let freshness: [Case] = [
        Case([], .validated),
        Case([("Last-Modified", "Mon, 06 Jul 2020 10:00:00 GMT")], .validated),
        Case("max-age=60", after: 59, .served),
        Case("max-age=60", after: 60, .validated),
        Case("max-age=60", after: -1, .validated),
        Case("max-age=0", .validated),
        Case("MAX-AGE=60", .served),
        Case([("Cache-Control", "max-age=60")], .fetched, asking: ["Host": "b.example"]),
        Case("max-age=0060", after: 59, .served),
        Case("public, max-age=60", .served),
        Case(" ,, max-age=60 ,", .served),
        Case("max-age=2147483648", after: 2_000_000_000, .served),
        Case("max-age=99999999999999999999", after: 2_000_000_000, .served),
        Case("max-age=99999999999999999999", after: 3_000_000_000, .validated),
        Case("immutable", .validated),
        Case("max-age=60, immutable", after: 59, .served),
        Case("max-age=60, immutable", after: 60, .validated),
        // Values that aren't valid count as 0.
        Case("max-age=-60", .validated),
        Case("max-age=+60", .validated),
        Case("max-age=60.0", .validated),
        Case("max-age=60s", .validated),
        Case("max-age=a60", .validated),
        Case("max-age=6 0", .validated),
        Case("max-age= 60", .validated),
        Case("max-age =60", .validated),
        Case("max-age=", .validated),
        Case("max-age", .validated),
        Case("max-age:60", .validated),
        Case("max-age=\"60\"", .validated),
        Case("max-age='60'", .validated),
        Case("max-age=٦٠", .validated),
        Case("x-max-age=60", .validated),
        Case("a=\"max-age=60\"", .validated),
        Case("a=\"max-age=1\", max-age=60", after: 30, .served),
        // Conflicts.
        Case("max-age=60, max-age=60", .served),
        Case("max-age=60, max-age=1", .validated),
        Case("max-age=1, max-age=60", .validated),
        Case([("Cache-Control", "max-age=60"), ("Cache-Control", "max-age=1")], .validated),
        Case([("Cache-Control", "public"), ("Cache-Control", "max-age=60")], .served),
        // A cache of one user ignores directives for shared caches.
        Case("s-maxage=60", .validated),
        Case("s-maxage=60, max-age=1", after: 30, .validated),
        Case("s-maxage=1, max-age=60", after: 30, .served),
        // Expires and Date.
        Case([("Expires", minuteLater)], after: 59, .served),
        Case([("Expires", minuteLater)], after: 60, .validated),
        Case([("Expires", "Tue, 01 Jan 2199 00:00:00 GMT")], after: -1, .validated),
        Case([("Expires", minuteLater), ("Date", start)], after: 59, .served),
        Case([("Expires", minuteLater), ("Date", minuteBefore)], after: 59, .served),
        Case([("Expires", minuteLater), ("Date", minuteBefore)], after: 60, .validated),
        Case([("Expires", start), ("Date", minuteBefore)], .validated),
        Case([("Expires", minuteLater), ("Date", "yesterday")], after: 59, .served),
        Case([("Expires", start), ("Date", minuteLater)], .validated),
        Case([("Expires", minuteBefore)], .validated),
        Case([("Expires", "0")], .validated),
        Case([("Expires", "-1")], .validated),
        Case([("Expires", "")], .validated),
        Case([("Expires", "Fri, 15 Jan 2027 08:01:00 UTC")], .validated),
        Case([("Expires", "Fri, 15 Jan 2027 08:01:00 +0000")], .validated),
        Case([("Expires", "Friday, 15-Jan-27 08:01:00 GMT")], after: 59, .served),
        Case([("Expires", "Fri Jan 15 08:01:00 2027")], after: 59, .served),
        Case([("Expires", "Mon Feb  1 08:01:00 2027")], after: 59, .served),
        // Dates are read in any case.
        Case([("Expires", "FRI, 15 JAN 2027 08:01:00 gMT")], after: 59, .served),
        Case([("Expires", "friday, 15-jan-27 08:01:00 gmt")], after: 59, .served),
        Case([("Expires", "fri jan 15 08:01:00 2027")], after: 59, .served),
        // Dates in other formats aren't read.
        Case([("Expires", "Fri 15 Jan 2027 08:01:00 GMT")], .validated),
        Case([("Expires", "Fri,15 Jan 2027 08:01:00 GMT")], .validated),
        Case([("Expires", "15 Jan 2027 08:01:00 GMT")], .validated),
        Case([("Expires", ", 15 Jan 2027 08:01:00 GMT")], .validated),
        Case([("Expires", "Fri, 15  Jan  2027 08:01:00 GMT")], .validated),
        Case([("Expires", "Fri, 15-Jan-2027 08:01:00 GMT")], .validated),
        Case([("Expires", "Fri, 15 Jan 27 08:01:00 GMT")], .validated),
        Case([("Expires", "Friday, 15 Jan 27 08:01:00 GMT")], .validated),
        Case([("Expires", "Fri, 15 Jan 2027 8:01:00 GMT")], .validated),
        Case([("Expires", "Fri, 15 Jan 2027 08.01.00 GMT")], .validated),
        Case([("Expires", "Fri, 15 Jan 2027 08:01 GMT")], .validated),
        Case([("Expires", "Fri, 15 Jan 2027 08:01:00")], .validated),
        Case([("Expires", "Fri, 15 Jan 2027 25:01:00 GMT")], .validated),
        Case([("Expires", "Fri Jan 15 8:01:00 2027")], .validated),
        Case([("Expires", "Fri Jan 15 08:01:00 2027 GMT")], .validated),
        Case([("Expires", minuteLater), ("Expires", minuteLater)], .validated),
        Case([("Expires", minuteLater), ("Cache-Control", "max-age=0")], .validated),
        Case([("Expires", minuteBefore), ("Cache-Control", "max-age=60")], .served),
        Case([("Expires", minuteLater), ("Cache-Control", "max-age=x")], .validated),
        Case([("Expires", minuteLater), ("Cache-Control", "s-maxage=1")], .served),
        // Age and Date.
        Case([("Age", "30"), ("Cache-Control", "max-age=60")], after: 29, .served),
        Case([("Age", "30"), ("Cache-Control", "max-age=60")], after: 30, .validated),
        Case([("Age", "60"), ("Cache-Control", "max-age=60")], .validated),
        // If there are several ages, the first one counts.
        Case([("Age", "0, 90"), ("Cache-Control", "max-age=60")], .served),
        Case([("Age", "90, 0"), ("Cache-Control", "max-age=60")], .validated),
        Case([("Age", "0"), ("Age", "90"), ("Cache-Control", "max-age=60")], .served),
        Case([("Age", "90"), ("Age", "0"), ("Cache-Control", "max-age=60")], .validated),
        Case([("Age", "0"), ("Age", "0"), ("Cache-Control", "max-age=60")], .served),
        // An invalid age doesn't count.
        Case([("Age", "-90"), ("Cache-Control", "max-age=60")], after: 59, .served),
        Case([("Age", "abc"), ("Cache-Control", "max-age=60")], after: 59, .served),
        Case([("Age", "90.0"), ("Cache-Control", "max-age=60")], after: 59, .served),
        Case([("Age", "90 0"), ("Cache-Control", "max-age=60")], after: 59, .served),
        Case([("Age", "90;a=1"), ("Cache-Control", "max-age=60")], after: 59, .served),
        Case([("Age", "abc, 90"), ("Cache-Control", "max-age=60")], after: 59, .served),
        Case([("Age", "2147483648"), ("Cache-Control", "max-age=60")], .validated),
        Case([("Age", "99999999999999999999"), ("Cache-Control", "max-age=60")], .validated),
        Case([("Age", ""), ("Cache-Control", "max-age=60")], .served),
        Case([("Date", minuteBefore), ("Cache-Control", "max-age=90")], after: 29, .served),
        Case([("Date", minuteBefore), ("Cache-Control", "max-age=90")], after: 30, .validated),
        Case([("Date", minuteLater), ("Cache-Control", "max-age=60")], after: 59, .served),
        Case([("Date", minuteLater), ("Cache-Control", "max-age=60")], after: 60, .validated),
        Case([("Date", "abc"), ("Cache-Control", "max-age=60")], after: 59, .served),
        Case(
            [("Date", minuteBefore), ("Age", "90"), ("Cache-Control", "max-age=100")], after: 10,
            .validated),
    ]

    // MARK: - Directives

    static let directives: [Case] = [
        Case("max-age=60, no-cache", .validated),
        Case("max-age=60, No-Cache", .validated),
        Case("max-age=60, no-cache=\"set-cookie\"", .validated),
        Case("max-age=60, a=\"no-cache\"", .served),
        Case("max-age=60, no-store", .fetched),
        Case("max-age=60, private", .served),
        Case("max-age=60, must-revalidate", after: 59, .served),
        Case("max-age=60, must-revalidate", after: 60, .validated),
        Case([("Pragma", "no-cache"), ("Cache-Control", "max-age=60")], .served),
        // Authorization.
        Case("max-age=60", .served, both: ["Authorization": "a"]),
        // Vary.
        Case([("Vary", "Accept"), ("Cache-Control", "max-age=60")], .served),
        Case(
            [("Vary", "Accept"), ("Cache-Control", "max-age=60")], .fetched,
            asking: ["Accept": "a"]),
        Case(
            [("Vary", "Accept"), ("Cache-Control", "max-age=60")], .served,
            asking: ["X-Other": "a"]),
        Case(
            [("Vary", "X-One, ACCEPT"), ("Cache-Control", "max-age=60")], .served,
            both: ["Accept": "a"]),
        Case(
            [("Vary", "X-One"), ("Vary", "Accept"), ("Cache-Control", "max-age=60")], .fetched,
            asking: ["Accept": "a"]),
        Case([("Vary", "*"), ("Cache-Control", "max-age=60")], .fetched),
        Case([("Vary", "Accept, *"), ("Cache-Control", "max-age=60")], .fetched),
        Case([("Vary", ""), ("Cache-Control", "max-age=60")], .served),
        // `Connection` can't hide them from the cache.
        Case(
            [("Connection", "vary"), ("Vary", "Accept"), ("Cache-Control", "max-age=60")], .fetched,
            asking: ["Accept": "a"]),
        Case(
            [
                ("Connection", "cache-control"), ("Cache-Control", "no-cache"),
                ("Expires", minuteLater),
            ], .validated),
        // A session may send cookies that the cache can't see.
        Case([("Vary", "Cookie"), ("Cache-Control", "max-age=60")], .validated),
        Case(
            [("Vary", "Cookie"), ("Cache-Control", "max-age=60")], .served,
            both: ["Cookie": "a=1"]),
        // The request's Cache-Control.
        Case("max-age=60", .validated, asking: "no-cache"),
        Case("max-age=60", .fetched, asking: "no-store"),
        Case("max-age=60", .validated, asking: "max-age=0"),
        Case("max-age=60", after: 5, .served, asking: "max-age=10"),
        Case("max-age=60", after: 10, .validated, asking: "max-age=10"),
        Case("max-age=60", .validated, asking: "max-age=x"),
        Case("max-age=60", after: 60, .validated, asking: "max-age=100"),
        Case("max-age=60", after: 40, .served, asking: "min-fresh=10"),
        Case("max-age=60", after: 50, .validated, asking: "min-fresh=10"),
        Case("max-age=60", .validated, asking: "min-fresh=x"),
        Case("max-age=60, stale-while-revalidate=600", .validated, asking: "min-fresh=70"),
        Case("max-age=60", .served, asking: "min-fresh=70, max-stale"),
        Case("max-age=60", after: 65, .servedStale, asking: "max-stale=10"),
        Case("max-age=60", after: 70, .validated, asking: "max-stale=10"),
        Case("max-age=60", after: 9_999, .servedStale, asking: "max-stale"),
        Case("max-age=60", after: 65, .validated, asking: "max-stale=x"),
        Case("max-age=60, max-stale", after: 65, .validated),
        Case("max-age=60, must-revalidate", after: 65, .validated, asking: "max-stale"),
        Case("max-age=60, no-cache", after: 65, .validated, asking: "max-stale"),
        Case("max-age=60, proxy-revalidate", after: 65, .servedStale, asking: "max-stale"),
        Case("max-age=60", .served, asking: "only-if-cached"),
        Case("max-age=60", after: 60, .unavailable, asking: "only-if-cached"),
        Case("max-age=60", after: 60, .servedStale, asking: "only-if-cached, max-stale"),
        Case("max-age=60, no-store", .unavailable, asking: "only-if-cached"),
        Case("max-age=60", .unavailable, asking: "only-if-cached, no-cache"),
    ]

    // MARK: - Errors

    static let errors: [Case] =
        [500, 502, 503, 504].map {
            Case("max-age=1, stale-if-error=60", after: 60, .servedStale, status: $0)
        }
        + [501, 505, 400, 404, 429].map {
            Case("max-age=1, stale-if-error=60", after: 60, .validated, status: $0)
        } + [
            Case("max-age=1, stale-if-error=60", after: 61, .validated, status: 503),
            Case("max-age=1, stale-if-error=x", after: 1, .validated, status: 503),
            Case("max-age=1, stale-if-error", after: 1, .validated, status: 503),
            Case("max-age=1", after: 1, .validated, status: 503),
            Case(
                "max-age=1", after: 1, .servedStale, asking: "stale-if-error=60", status: 503),
            Case(
                "max-age=1, must-revalidate, stale-if-error=60", after: 1, .validated, status: 503),
            Case("no-cache, stale-if-error=60", after: 1, .validated, status: 503),
            Case(
                "max-age=9, stale-if-error=60", .validated, asking: "no-cache", status: 503),
            Case("stale-if-error=60", after: 59, .servedStale, status: 503),
        ]

    @Test(arguments: freshness + directives + errors)
    func headersDecideHowAResponseIsUsed(_ row: Case) async throws {
        let resource = Resource(.init(headers: row.fields))
        let (server, clock) = (try resource.server(), TestClock())
        let provider = ServiceProvider<TestService>(
            interceptors: [ServiceCache(clock: clock.clock)])
        var service = server.service()
        service.headers = row.both
        #expect(try await provider.texts(of: service, 1) == ["one"])
        clock.advance(by: row.later)
        if let status = row.status { server.enqueue(.statusCode(status)) }
        service.headers.merge(row.wanted) { $1 }
        service.validStatusCodes.formUnion([504, row.status ?? 200])
        let response = try await provider.response(service: service)
        let outcome = response.cacheOutcome
        let isServed = row.expected == .served || row.expected == .servedStale
        let isSent = row.status != nil || !isServed && row.expected != .unavailable
        #expect(server.requests.count == (isSent ? 2 : 1))
        switch row.expected {
        case .served: #expect(outcome == .fresh)
        case .servedStale: #expect(outcome == .stale)
        case .validated:
            #expect(server.tags.last == "\"1\"")
            #expect(outcome == (row.status == nil ? .revalidated : .fetched))
        case .fetched:
            #expect(server.tags.last == .some(nil))
            #expect(outcome == .fetched)
        case .unavailable: #expect(response.statusCode == 504)
        }
        if isServed { #expect(response.statusCode == 200 && response.text == "one") }
    }
}
