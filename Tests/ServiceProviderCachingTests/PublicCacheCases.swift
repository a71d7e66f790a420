// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderCaching
import Testing

/// Calls that a test of the public suite of HTTP caches makes (http-tests/cache-tests), by the name it
/// has there.
struct PublicCacheCase: CustomTestStringConvertible, Sendable {
    typealias Fields = [(name: String, value: String)]

    /// One call, and the response that the server has for it.
    struct Call: Sendable {
        var method = "GET"
        var query = ""
        /// The headers of the request.
        var asking: [String: String] = [:]
        /// Seconds since the call before.
        var later: TimeInterval = 0
        /// The server's response, if a request reaches it. It sends a 304 if it gets the `ETag` or the `Last-Modified`.
        var status = 200
        var fields: Fields = []
        var closesConnection = false
        /// Where the response comes from; nil for an error.
        var outcome: ServiceCacheOutcome? = .fetched
        /// Headers of the response that the caller gets; nil if it has none of that name.
        var shows: [String: String?] = [:]
    }

    let name: String
    let calls: [Call]
    /// Why the suite expects another result, if it does.
    let choice: String?

    var testDescription: String { name }

    init(_ name: String, _ calls: [Call], choice: String? = nil) {
        self.name = name
        self.calls = calls
        self.choice = choice
    }

    /// A response, and a second call three seconds later.
    init(
        _ name: String, _ fields: Fields, _ outcome: ServiceCacheOutcome,
        first: [String: String] = [:], second: [String: String] = [:], status: Int = 200,
        shows: [String: String?] = [:], choice: String? = nil
    ) {
        let calls = [
            Call(asking: first, status: status, fields: fields),
            Call(asking: second, later: 3, outcome: outcome, shows: shows),
        ]
        self.init(name, calls, choice: choice)
    }

    /// A date these seconds after the first call.
    private static func date(_ seconds: Int) -> String {
        let time = 8 * 3_600 + seconds
        return String(
            format: "Fri, 15 Jan 2027 %02d:%02d:%02d GMT", time / 3_600, time / 60 % 60, time % 60)
    }

    private static let hour = ("Cache-Control", "max-age=3600")

    // MARK: - Freshness

    static let freshness: [PublicCacheCase] = [
        .init("freshness-max-age-stale", [("Cache-Control", "max-age=2")], .fetched),
        .init("freshness-max-age-0", [("Cache-Control", "max-age=0")], .fetched),
        .init("freshness-max-age-age", [hour, ("Age", "7200")], .fetched),
        .init(
            "freshness-max-age-0-expires",
            [("Cache-Control", "max-age=0"), ("Expires", date(3_600))],
            .fetched),
        .init("freshness-max-age-negative", [("Cache-Control", "max-age=-3600")], .fetched),
        .init(
            "freshness-max-age-ignore-quoted",
            [("Cache-Control", "extension=\"max-age=3600\", max-age=1")], .fetched),
        .init(
            "freshness-max-age-ignore-quoted-rev",
            [("Cache-Control", "max-age=1, extension=\"max-age=3600\"")], .fetched),
        .init("freshness-max-age-leading-zero", [("Cache-Control", "max-age=003600")], .fresh),
        .init("freshness-max-age-single-quoted", [("Cache-Control", "max-age='3600'")], .fetched),
        .init("freshness-expires-past", [("Expires", "Wed, 16 Dec 2026 08:00:00 GMT")], .fetched),
        .init("freshness-expires-present", [("Expires", date(0))], .fetched),
        .init(
            "freshness-expires-old-date", [("Expires", date(300)), ("Date", date(400))], .fetched),
        .init("freshness-expires-invalid", [("Expires", "0")], .fetched),
        .init(
            "freshness-expires-age-slow-date",
            [("Date", date(-10)), ("Expires", date(10)), ("Age", "25")],
            .fetched),
        .init(
            "freshness-expires-age-fast-date",
            [("Date", date(10)), ("Expires", date(20)), ("Age", "15")],
            .fetched),
    ]

    /// The name in the suite, after `age-parse-`, the lines, and the outcome.
    static let ages: [PublicCacheCase] = [
        ("nonnumeric", ["abc"], .fresh), ("negative", ["-7200"], .fresh),
        ("float", ["7200.0"], .fresh),
        ("large-minus-one", ["2147483647"], .fetched), ("large", ["2147483648"], .fetched),
        ("larger", ["2147483649"], .fetched), ("suffix", ["7200, 0"], .fetched),
        ("prefix", ["0, 7200"], .fresh), ("suffix-twoline", ["7200", "0"], .fetched),
        ("prefix-twoline", ["0", "7200"], .fresh), ("dup-0", ["0, 0"], .fresh),
        ("dup-0-twoline", ["0", "0"], .fresh), ("dup-old", ["3500", "3500"], .fresh),
    ].map { (name: String, lines: [String], outcome: ServiceCacheOutcome) in
        .init("age-parse-" + name, [hour] + lines.map { ("Age", $0) }, outcome)
    }

    /// The name in the suite, after `freshness-expires-`, the lines, and the outcome.
    static let dates: [PublicCacheCase] = [
        ("32bit", ["Tue, 19 Jan 2038 14:14:08 GMT"], .fresh),
        ("far-future", ["Sun, 21 Nov 2286 04:46:39 GMT"], .fresh),
        ("rfc850", ["Thursday, 18-Aug-50 02:01:18 GMT"], .fresh),
        ("ansi-c", ["Thu Aug  8 02:01:18 2050"], .fresh),
        ("wrong-case-weekday", ["THU, 18 Aug 2050 02:01:18 GMT"], .fresh),
        ("wrong-case-month", ["Thu, 18 AUG 2050 02:01:18 GMT"], .fresh),
        ("wrong-case-tz", ["Thu, 18 Aug 2050 02:01:18 gMT"], .fresh),
        ("invalid-utc", ["Thu, 18 Aug 2050 02:01:18 UTC"], .fetched),
        ("invalid-aest", ["Thu, 18 Aug 2050 02:01:18 AEST"], .fetched),
        ("invalid-2-digit-year", ["Thu, 18 Aug 50 02:01:18 GMT"], .fetched),
        ("invalid-no-comma", ["Thu 18 Aug 2050 02:01:18 GMT"], .fetched),
        ("invalid-multiple-spaces", ["Thu, 18  Aug  2050 02:01:18 GMT"], .fetched),
        ("invalid-date-dashes", ["Thu, 18-Aug-2050 02:01:18 GMT"], .fetched),
        ("invalid-time-periods", ["Thu, 18 Aug 2050 02.01.18 GMT"], .fetched),
        ("invalid-1-digit-hour", ["Thu, 18 Aug 2050 2:01:18 GMT"], .fetched),
        (
            "invalid-multiple-lines",
            ["Thu, 18 Aug 2050 2:01:18 GMT", "Thu, 18 Aug 2050 2:01:19 GMT"], .fetched
        ),
    ].map { (name: String, lines: [String], outcome: ServiceCacheOutcome) in
        .init("freshness-expires-" + name, lines.map { ("Expires", $0) }, outcome)
    }

    // MARK: - Directives

    /// `stale-while-revalidate-window` is in `CachePolicyTests`, which wait for the background request.
    static let directives: [PublicCacheCase] =
        [
            .init("cc-resp-no-store", [("Cache-Control", "no-store")], .fetched),
            .init("cc-resp-no-store-case-insensitive", [("Cache-Control", "No-StOrE")], .fetched),
            .init(
                "cc-resp-no-store-fresh", [("Cache-Control", "max-age=3600, no-store")], .fetched),
            .init("cc-resp-no-cache", [("Cache-Control", "max-age=3600, no-cache")], .fetched),
            .init(
                "cc-resp-no-cache-case-insensitive", [("Cache-Control", "max-age=3600, No-CaChE")],
                .fetched),
            .init(
                "cc-resp-must-revalidate-stale",
                [
                    Call(fields: [
                        ("Cache-Control", "max-age=2, must-revalidate"), ("ETag", "\"a\""),
                    ]),
                    Call(later: 1, outcome: .fresh),
                    Call(later: 3, fields: [("ETag", "\"a\"")], outcome: .revalidated),
                ]),
            .init(
                "status-599-must-understand",
                [("Cache-Control", "max-age=3600, no-store, must-understand")],
                .fetched, status: 599),
            .init(
                "stale-close-must-revalidate",
                [
                    Call(fields: [("Cache-Control", "max-age=2, must-revalidate")]),
                    Call(later: 3, closesConnection: true, outcome: nil),
                ],
                choice: "The call throws. The suite wants a response of the cache, such as a 504."),
            .init(
                "stale-close-no-cache",
                [
                    Call(fields: [("Cache-Control", "max-age=3600, no-cache")]),
                    Call(later: 3, closesConnection: true, outcome: nil),
                ],
                choice: "The call throws. The suite wants a response of the cache, such as a 504."),
        ]

    static let newerDirectives: [PublicCacheCase] =
        ["no-store", "no-store, max-age=0"].map { (newer: String) in
            .init(
                newer == "no-store" ? "cc-resp-no-store-old-new" : "cc-resp-no-store-old-max-age",
                [
                    Call(fields: [hour, ("A", "1")]),
                    Call(
                        later: 3, fields: [("Cache-Control", newer), ("A", "2")], outcome: .fresh),
                    Call(later: 3, outcome: .fresh, shows: ["A": "1"]),
                ])
        }

    // MARK: - Statuses, methods and URLs

    static let unknownLifetimes: [PublicCacheCase] =
        [201, 202, 403, 502, 503, 504, 599].map { (status: Int) in
            .init(
                "heuristic-\(status)-not_cached",
                [("Last-Modified", "Thu, 14 Jan 2027 08:00:00 GMT")],
                .fetched, status: status)
        }

    static let staleStatuses: [PublicCacheCase] =
        [200, 203, 204, 299, 400, 404, 410, 499, 500, 502, 503, 504, 599].map { (status: Int) in
            .init(
                "status-\(status)-stale", [("Expires", date(-5_000))], .fetched, status: status)
        }

    static let freshStatuses: [PublicCacheCase] =
        [203, 204, 299, 400, 404, 410, 499, 500, 502, 503, 504, 599].map { (status: Int) in
            .init(
                "status-\(status)-fresh", [hour], .fetched, status: status,
                choice: "Only responses with status 200 are stored.")
        }

    static let successes: [PublicCacheCase] =
        [
            .init("status-200-fresh", [hour], .fresh),
            .init(
                "heuristic-200-cached", [("Last-Modified", "Thu, 14 Jan 2027 08:00:00 GMT")],
                .fetched, choice: "Without max-age and Expires, a response is never fresh."),
        ]

    static let invalidations: [PublicCacheCase] =
        ["POST", "PUT", "DELETE", "M-SEARCH"].map { (method: String) in
            .init(
                "invalidate-" + method,
                [Call(fields: [hour]), Call(method: method, later: 3), Call(outcome: .fetched)])
        }

    static let requests: [PublicCacheCase] =
        [
            .init(
                "query-args-different",
                [
                    Call(query: "?test=1", fields: [hour]),
                    Call(query: "?test=2", outcome: .fetched),
                ]),
            .init(
                "partial-use-headers",
                [
                    Call(fields: [hour, ("A", "1")]),
                    Call(
                        asking: ["Range": "bytes=0-1"], fields: [("A", "2")], outcome: .fetched,
                        shows: ["A": "2"]),
                ], choice: "A request with a Range is sent, even if the whole body is stored."),
        ]

    // MARK: - Vary

    private typealias VaryRow = (
        name: String, first: [String: String], second: [String: String], lines: [String],
        outcome: ServiceCacheOutcome
    )

    /// The name in the suite, after `vary-`, the headers of the two requests, the `Vary`, and the outcome.
    private static let varyRows: [VaryRow] =
        [
            ("match", ["Foo": "1"], ["Foo": "1"], ["Foo"], .fresh),
            ("no-match", ["Foo": "1"], ["Foo": "2"], ["Foo"], .fetched),
            ("omit-stored", [:], ["Foo": "1"], ["Foo"], .fetched),
            ("omit", ["Foo": "1"], [:], ["Foo"], .fetched),
            (
                "2-no-match", ["Foo": "1", "Bar": "a"], ["Foo": "2", "Bar": "a"], ["Foo, Bar"],
                .fetched
            ),
            ("2-match-omit", ["Foo": "1", "Bar": "a"], [:], ["Foo, Bar"], .fetched),
            (
                "3-no-match", ["Foo": "1", "Bar": "a", "Baz": "7"],
                ["Foo": "2", "Bar": "a", "Baz": "7"], ["Foo, Bar, Baz"], .fetched
            ),
            (
                "3-order", ["Foo": "1", "Bar": "a", "Baz": "7"],
                ["Foo": "1", "Baz": "7", "Bar": "b"],
                ["Foo, Bar, Baz"], .fetched
            ),
            ("star", ["Foo": "1"], ["Foo": "1"], ["*"], .fetched),
            ("syntax-star-star", ["Foo": "1"], ["Foo": "1"], ["*, *"], .fetched),
            ("syntax-star-star-lines", ["Foo": "1"], ["Foo": "1"], ["*", "*"], .fetched),
            ("syntax-empty-star", ["Foo": "1"], ["Foo": "1"], [", *"], .fetched),
            ("syntax-empty-star-lines", ["Foo": "1"], ["Foo": "1"], ["", "*"], .fetched),
            ("syntax-star-foo", ["Foo": "1"], ["Foo": "1"], ["*, Foo"], .fetched),
            ("syntax-foo-star", ["Foo": "1"], ["Foo": "1"], ["Foo, *"], .fetched),
        ]

    static let vary: [PublicCacheCase] = varyRows.map { row in
        PublicCacheCase(
            "vary-" + row.name, [hour] + row.lines.map { ("Vary", $0) }, row.outcome,
            first: row.first, second: row.second)
    }

    static let conditions: [PublicCacheCase] =
        [
            .init(
                "conditional-etag-vary-headers",
                [
                    Call(
                        asking: ["Abc": "123"],
                        fields: [("Expires", date(1)), ("ETag", "\"a\""), ("Vary", "Abc")]),
                    Call(
                        asking: ["Abc": "123"], later: 3, fields: [("ETag", "\"a\"")],
                        outcome: .revalidated),
                ])
        ]

    // MARK: - Headers

    /// `headers-store-Content-Encoding` and `headers-store-Transfer-Encoding` have unknown codings:
    /// a transport refuses them.
    static let storedHeaders: [PublicCacheCase] =
        [
            ("Test-Header", "a"), ("X-Test-Header", "a"), ("Content-Foo", "a"),
            ("X-Content-Foo", "a"), ("Content-Location", "/bar"),
            ("Content-MD5", "N7UdGUp1E+RbVvZSTy1R8g=="), ("Content-Range", "a"),
            ("Content-Security-Policy", "default-src 'self' cdn.example.com"),
            ("Content-Type", "text/plain;charset=utf-8"), ("Clear-Site-Data", "cookies"),
            ("ETag", "\"ghijkl\""), ("Expires", "Mon, 11 Jan 2038 11:11:11 GMT"),
            ("X-Frame-Options", "sameorigin"), ("X-XSS-Protection", "1; mode=block"),
        ].map { (name: String, value: String) in
            .init("headers-store-" + name, [hour, (name, value)], .fresh, shows: [name: value])
        }

    static let connectionHeaders: [PublicCacheCase] =
        [
            "Connection", "Keep-Alive", "Proxy-Authenticate", "Proxy-Authentication-Info",
            "Proxy-Authorization", "Proxy-Connection", "TE", "Upgrade",
        ].map { (name: String) in
            .init("headers-store-" + name, [hour, (name, "abc")], .fresh, shows: [name: nil])
        }

    static let cookies: [PublicCacheCase] =
        ["Set-Cookie", "Set-Cookie2"].map { (name: String) in
            .init(
                "headers-store-" + name, [hour, (name, "a=c")], .fresh, shows: [name: nil],
                choice: "Secrets aren't stored.")
        }

    static let otherHeaders: [PublicCacheCase] =
        [
            .init("headers-store-Cache-Control", [hour], .fresh, shows: [hour.0: hour.1]),
            .init("headers-store-Content-Length", [hour], .fresh, shows: ["Content-Length": "4"]),
            .init(
                "headers-omit-headers-listed-in-Connection",
                [hour, ("Connection", "a, b"), ("A", "1"), ("B", "2"), ("C", "3")], .fresh,
                shows: ["A": nil, "B": nil, "C": "3"]),
            .init("other-age-gen", [hour], .fresh, shows: ["Age": "3"]),
            .init(
                "other-age-update-expires", [("Expires", date(3_600)), ("Age", "30")], .fresh,
                shows: ["Age": "33"]),
            .init(
                "other-age-update-max-age", [hour, ("Age", "30")], .fresh, shows: ["Age": "33"]),
            .init("other-date-update", [hour], .fresh, shows: ["Date": date(0)]),
            .init(
                "other-date-update-expires", [("Expires", date(3_600))], .fresh,
                shows: ["Date": date(0)]),
        ]

    /// A 304 updates the stored headers.
    static let updatedHeaders: [PublicCacheCase] =
        ["Test-Header", "X-Test-Header", "Content-Foo", "X-Content-Foo"].map { (name: String) in
            let briefly = ("Cache-Control", "max-age=2")
            return .init(
                "304-etag-update-response-" + name,
                [
                    Call(fields: [(name, "1"), briefly, ("ETag", "\"a\"")]),
                    Call(
                        later: 3, fields: [(name, "2"), hour, ("ETag", "\"a\"")],
                        outcome: .revalidated, shows: [name: "2"]),
                    Call(outcome: .fresh, shows: [name: "2"]),
                ])
        }

    static let updates: [PublicCacheCase] =
        [
            .init(
                "304-lm-use-stored-Test-Header",
                [
                    Call(fields: [
                        ("Cache-Control", "max-age=2"), ("Test-Header", "1"),
                        ("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT"),
                    ]),
                    Call(
                        later: 3, fields: [("Last-Modified", "Wed, 01 Jan 2020 00:00:00 GMT")],
                        outcome: .revalidated, shows: ["Test-Header": "1"]),
                ]),
            .init(
                "304-etag-update-response-Cache-Control",
                [
                    Call(fields: [("Cache-Control", "max-age=1"), ("ETag", "\"a\"")]),
                    Call(later: 3, fields: [hour, ("ETag", "\"a\"")], outcome: .revalidated),
                    Call(later: 3, outcome: .fresh, shows: [hour.0: hour.1]),
                ]),
            .init(
                "304-etag-update-response-Content-Length",
                [
                    Call(fields: [("Cache-Control", "max-age=2"), ("ETag", "\"a\"")]),
                    Call(
                        later: 3, fields: [("Content-Length", "10"), hour, ("ETag", "\"a\"")],
                        outcome: .revalidated, shows: ["Content-Length": "4"]),
                    Call(outcome: .fresh, shows: ["Content-Length": "4"]),
                ]),
        ]

    static let all = [
        freshness, ages, dates, directives, newerDirectives, unknownLifetimes, staleStatuses,
        freshStatuses, successes, invalidations, requests, vary, conditions, storedHeaders,
        connectionHeaders, cookies, otherHeaders, updatedHeaders, updates,
    ].flatMap { $0 }
}
