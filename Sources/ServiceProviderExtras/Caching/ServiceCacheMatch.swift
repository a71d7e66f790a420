// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// A stored response, and how a request can use it (RFC 9111, section 4.2; RFC 5861).
nonisolated struct ServiceCacheMatch {
    let stored: ServiceStoredResponse
    /// For how many seconds the response can be used when it's stale: in any case, if it's
    /// revalidated in the background, and after an error.
    let staleness: (always: TimeInterval, atFirst: TimeInterval, afterErrors: TimeInterval)
    /// The age at which the response becomes stale.
    private let lifetime: TimeInterval
    /// The age at which the server must be asked.
    private let maximumAge: TimeInterval

    init(_ stored: ServiceStoredResponse, for request: ServiceRequest, isShared: Bool) {
        let wanted = request.cacheControl
        let given = ServiceCacheControl(stored.headers["cache-control"])
        // A session adds cookies that can't be seen here.
        let hasHiddenCookies =
            stored.varyHeaders["cookie"] == nil
            && ServiceCacheControl(stored.headers["vary"]).contains("cookie")
        let mustAsk =
            hasHiddenCookies || wanted.contains("no-cache") || given.contains("no-cache")
        let isStrict =
            given.contains("must-revalidate")
            || isShared && (given.contains("proxy-revalidate") || given.contains("s-maxage"))
        self.stored = stored
        maximumAge = mustAsk ? 0 : wanted.seconds("max-age") ?? .infinity
        lifetime =
            stored.lifetime(given, isShared: isShared)
            - (wanted.seconds("min-fresh", invalid: .infinity) ?? 0)
        let isAnyAccepted =
            wanted["max-stale"] == "" || request[ServiceCachePolicy.self] == .offline
        let errors = [given, wanted].compactMap { $0.seconds("stale-if-error") }
        staleness =
            isStrict
            ? (0, 0, 0)
            : (
                isAnyAccepted ? .infinity : wanted.seconds("max-stale") ?? 0,
                given.seconds("stale-while-revalidate") ?? 0, errors.max() ?? 0
            )
    }

    /// The response without asking the server; nil if it has been stale for too long.
    func response(
        to request: ServiceRequest, ifStaleFor limit: TimeInterval, at now: Date
    ) -> ServiceResponse? {
        let (seconds, longest) = (
            now.timeIntervalSince(stored.created), ServiceCacheControl.longest
        )
        // If the clock has been set back, the age isn't known.
        let age = seconds >= 0 ? min(seconds, longest) : longest
        guard age < maximumAge, age < lifetime + limit else { return nil }
        var request = request
        request[ServiceCacheOutcome.self] = age < lifetime ? .fresh : .stale
        // RFC 9111, section 5.1.
        let fields = stored.headers.merging(["age": "\(Int(age))"]) { $1 }
        return ServiceResponse(
            request: request, statusCode: 200, headers: fields, data: stored.body)
    }
}

nonisolated extension ServiceStoredResponse {
    var hasValidator: Bool { headers["etag"] != nil || headers["last-modified"] != nil }

    /// How many seconds the response is fresh (RFC 9111, section 4.2.1): 0 without a header that
    /// says so.
    fileprivate func lifetime(_ control: ServiceCacheControl, isShared: Bool) -> TimeInterval {
        let shared = isShared ? control.seconds("s-maxage") : nil
        if let seconds = shared ?? control.seconds("max-age") { return seconds }
        let expires = headers["expires"].flatMap { Date(httpDate: $0, now: created) }
        let date = headers["date"].flatMap { Date(httpDate: $0, now: created) }
        return expires?.timeIntervalSince(date ?? created) ?? 0
    }

    /// When a response was created or confirmed, by the clock of this machine (RFC 9111, section
    /// 4.2.3).
    ///
    /// - Parameters:
    ///   - fields: The headers of the response, with names in lowercase.
    ///   - sent: When the request was sent.
    ///   - received: When the response arrived.
    static func created(_ fields: [String: String], sent: Date, received: Date) -> Date {
        let date = fields["date"].flatMap { Date(httpDate: $0, now: received) } ?? received
        let ages = (fields["age"] ?? "0").utf8.split(separator: UInt8(ascii: ",")).map {
            let digits = $0.filter { $0 > 0x20 }
            return ServiceCacheControl.seconds(digits) ?? ServiceCacheControl.longest
        }
        let age = received.timeIntervalSince(sent) + (ages.max() ?? 0)
        return received - max(0, received.timeIntervalSince(date), age)
    }
}
