// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Retries failed requests with exponential backoff and jitter.
///
/// ```swift
/// let provider = ServiceProvider<BlogService>(interceptors: [ServiceRetry()])
/// ```
///
/// Only requests that may be sent twice are retried: see ``methods``. A request whose body is a stream that
/// has been read isn't retried, and neither is a response whose status the service counts as success. A
/// stream is retried until the head of its response. A download starts its file again, or continues it
/// with ``ServiceDownloadOptions/resume``. Cancelling the call ends a wait immediately. After the last
/// attempt, the call gets the last response or error.
public nonisolated struct ServiceRetry: ServiceInterceptor {
    /// How many times a request is sent at most; values below 1 count as 1. Default: 3.
    public var attempts = 3
    /// The methods to retry. Default: the idempotent ones (RFC 9110, section 9.2.2).
    ///
    /// ``Service/isRepeatable`` overrides this. Other methods are retried if the request has an
    /// `Idempotency-Key`.
    public var methods: Set<ServiceMethod> = [
        .get, .head, .put, .delete, .options, ServiceMethod(rawValue: "TRACE"),
    ]
    /// The status codes to retry. Default: 408, 429, 500, 502, 503, 504.
    public var statusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// The errors to retry. Default: timeouts, lost connections, and being offline. (URLSession on Linux
    /// reports a connection that closes inside a body as `unknown`.)
    public var errorCodes: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
        .dnsLookupFailed, .notConnectedToInternet, .unknown,
    ]
    /// The longest first wait in seconds; it doubles with each attempt. Default: 0.5.
    public var delay: TimeInterval = 0.5
    /// The longest wait in seconds. Default: 30. If `Retry-After` is longer than this, the response is
    /// returned without a retry.
    public var maximumDelay: TimeInterval = 30
    /// How many seconds after the first attempt the last one may start. Default: 60. A running attempt
    /// isn't stopped: for that, use ``ServiceDeadline``.
    public var totalTime: TimeInterval = 60
    /// The clock to wait with.
    public var clock = ServiceClock()
    /// Chooses a wait between 0 and the longest one. Default: a uniform distribution.
    public var random: @Sendable (ClosedRange<Double>) -> Double = { Double.random(in: $0) }

    /// Makes a policy with the default values.
    public init() {}

    /// Sends the request, and retries it if that may help.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let start = clock.now()
        var attempt = 1
        while true {
            let outcome: Swift.Result<ServiceResponse, any Error>
            do { outcome = .success(try await next(request)) } catch { outcome = .failure(error) }
            guard attempt < attempts, mayRepeat(request),
                let wait = wait(after: outcome, attempt: attempt),
                clock.now().timeIntervalSince(start) + wait <= totalTime
            else { return try outcome.get() }
            try await clock.sleep(wait)
            try Task.checkCancellation()
            attempt += 1
        }
    }

    private func mayRepeat(_ request: ServiceRequest) -> Bool {
        guard request.urlRequest.httpBodyStream == nil else { return false }
        let method = ServiceMethod(rawValue: request.urlRequest.httpMethod ?? "GET")
        let hasKey = request.urlRequest.value(forHTTPHeaderField: "Idempotency-Key") != nil
        return request.isRepeatable ?? (hasKey || methods.contains(method))
    }

    /// Seconds until the next attempt; nil if there is none.
    private func wait(
        after outcome: Swift.Result<ServiceResponse, any Error>, attempt: Int
    ) -> TimeInterval? {
        var asked: TimeInterval = 0
        switch outcome {
        case .success(let response):
            let isValid = response.request.validStatusCodes.contains(response.statusCode)
            guard statusCodes.contains(response.statusCode), !isValid else { return nil }
            asked = response.header("Retry-After").flatMap(seconds) ?? 0
            if asked > Self.bounded(maximumDelay) { return nil }
        case .failure(let error):
            guard case .transport(let error) = ServiceError(error), errorCodes.contains(error.code)
            else { return nil }
        }
        let longest = Self.bounded(min(delay * exp2(Double(attempt - 1)), maximumDelay))
        return Self.bounded(min(max(random(0...longest), asked), maximumDelay))
    }

    /// Limits a number of seconds: ranges can't contain infinity or NaN. (In this order of arguments,
    /// `max` returns 0 for NaN.)
    private static func bounded(_ seconds: TimeInterval) -> TimeInterval {
        max(0, min(seconds, ServiceRequest.aWeek))
    }

    /// The seconds in a `Retry-After`, which has a number or a date (RFC 9110, section 10.2.3); nil for
    /// anything else. A date is compared with the clock of this machine.
    private func seconds(_ text: String) -> TimeInterval? {
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard !isNumber else { return TimeInterval(text) }
        return Date(httpDate: text, now: clock.now())?.timeIntervalSince(clock.now())
    }
}

nonisolated extension Date {
    /// Parses the three formats of a date in HTTP (RFC 9110, section 5.6.7).
    ///
    /// By hand, because DateFormatter on Linux traps at some texts: "Fri\u{FE01} Jan 15 08:00:09 2027".
    ///
    /// - Parameter now: A year of two digits is at most 50 years after this.
    fileprivate init?(httpDate text: String, now: Date) {
        // The longest date is "Wednesday, 06-Nov-94 08:49:37 GMT".
        guard text.utf8.count <= 33, text.utf8.allSatisfy({ $0 < 0x80 }) else { return nil }
        var words = text.split { " ,-".contains($0) }
        // "Sun Nov  6 08:49:37 1994"
        if words.count == 5 { words = [words[0], words[2], words[1], words[4], words[3], "GMT"] }
        guard words.count == 6, words[5] == "GMT", [2, 4].contains(words[3].utf8.count),
            let month = Self.months.firstIndex(of: words[2]), let day = Self.number(words[1]),
            var year = Self.number(words[3])
        else { return nil }
        let time = words[4].split(separator: ":").compactMap(Self.number)
        guard time.count == 3, time[0] < 24, time[1] < 60, time[2] < 61 else { return nil }
        let seconds = time[0] * 3_600 + time[1] * 60 + time[2]
        if words[3].utf8.count == 2 {
            let averageYear = 31_556_952.0
            let sinceZero = now.timeIntervalSince1970 / averageYear + 1970
            let century = Int(Swift.min(Swift.max(sinceZero, 0), 9_999)) / 100
            year += (century + 1) * 100
            let latest = now + 50 * averageYear
            for _ in 0..<2 {
                let midnight = Self.midnight(year, month, day) ?? .distantPast
                if midnight + TimeInterval(seconds) > latest { year -= 100 }
            }
        }
        guard let midnight = Self.midnight(year, month, day) else { return nil }
        self = midnight + TimeInterval(seconds)
    }

    private static let months: [Substring] = [
        "Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec",
    ]

    private static func number(_ digits: Substring) -> Int? {
        digits.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(digits) : nil
    }

    /// The start of a day in UTC; nil for a day that the month doesn't have.
    ///
    /// - Parameter month: 0 for January.
    private static func midnight(_ year: Int, _ month: Int, _ day: Int) -> Date? {
        let isLeapYear = year % 4 == 0 && year % 100 != 0 || year % 400 == 0
        let days = [31, isLeapYear ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...days[month]).contains(day) else { return nil }
        // Counted in years that start in March, so that a leap day is the last one of its year.
        let marchYear = month < 2 ? year - 1 : year
        let dayOfYear = (153 * ((month + 10) % 12) + 2) / 5 + day - 1
        let leapDays = marchYear / 4 - marchYear / 100 + marchYear / 400
        return Date(
            timeIntervalSince1970: 86_400
                * TimeInterval(marchYear * 365 + leapDays + dayOfYear - 719_468))
    }
}
