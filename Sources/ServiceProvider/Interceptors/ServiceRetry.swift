// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends a request again that failed in a way that may pass.
///
/// ```swift
/// let provider = ServiceProvider<BlogService>(interceptors: [ServiceRetry()])
/// ```
///
/// Only one that may be sent twice: see ``methods``. Never one whose body is a stream that has been read,
/// nor one whose answer has a status that its service counts as success; a stream is the caller's from its
/// head on, while a download begins its file anew. Between attempts it waits by exponential back-off with
/// full jitter; who is cancelled meanwhile ends at once. At the end the last answer or error is the
/// call's.
public nonisolated struct ServiceRetry: ServiceInterceptor {
    /// How often a request is sent, at most; below 1 counts as 1. Default: 3.
    public var attempts = 3
    /// Methods that are repeated. Default: the idempotent ones (RFC 9110, section 9.2.2).
    ///
    /// What a service says by ``Service/isRepeatable`` counts more. Of one that says nothing, a method
    /// that is not listed is repeated with an `Idempotency-Key`.
    public var methods: Set<ServiceMethod> = [
        .get, .head, .put, .delete, .options, ServiceMethod(rawValue: "TRACE"),
    ]
    /// Status codes that may pass. Default: 408, 429, 500, 502, 503, 504.
    public var statusCodes: Set<Int> = [408, 429, 500, 502, 503, 504]
    /// Errors that may pass. Default: time-outs, lost connections, and what being offline looks like.
    /// (`unknown` is what URLSession on Linux makes of a connection that breaks off within a body.)
    public var errorCodes: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
        .dnsLookupFailed, .notConnectedToInternet, .unknown,
    ]
    /// Seconds that the first wait lasts at most; each further one twice as long. Default: 0.5.
    public var delay: TimeInterval = 0.5
    /// Seconds that no wait exceeds. Default: 30. Where the server asks for a longer one by `Retry-After`, its
    /// answer is the call's at once: it must not be asked sooner.
    public var maximumDelay: TimeInterval = 30
    /// Seconds from the first attempt after which no other begins: a wait that would end later is not
    /// begun. Default: 60. (It stops no attempt: ``ServiceDeadline`` does.)
    public var totalTime: TimeInterval = 60
    /// The time.
    public var clock = ServiceClock()
    /// Chooses a wait between 0 and the longest one. Default: any of them, as likely as any other.
    public var random: @Sendable (ClosedRange<Double>) -> Double = { Double.random(in: $0) }

    /// A policy with the defaults, to be changed by its properties.
    public init() {}

    /// Sends the request, and again where that may help.
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

    /// Seconds until the next attempt; nil when there is to be none.
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

    /// A number that is one of seconds: no range goes to infinity, and none has NaN. (In this order of
    /// arguments, `max` gives 0 for NaN.)
    private static func bounded(_ seconds: TimeInterval) -> TimeInterval {
        max(0, min(seconds, ServiceRequest.aWeek))
    }

    /// What a `Retry-After` says, as seconds or as a date (RFC 9110, sections 10.2.3 and 5.6.7), by the
    /// clock of this machine; nil for anything else.
    private func seconds(_ text: String) -> TimeInterval? {
        let isNumber = text.utf8.allSatisfy { (0x30...0x39).contains($0) }
        guard !isNumber else { return TimeInterval(text) }
        // DateFormatter on Linux traps at other texts, such as "Fri\u{FE01} Jan 15 08:00:09 2027".
        guard text.utf8.allSatisfy({ (0x20...0x7E).contains($0) }) else { return nil }
        let formatter = DateFormatter()
        formatter.locale = Locale(identifier: "en_US_POSIX")
        formatter.timeZone = TimeZone(secondsFromGMT: 0)
        // A year of two digits is no more than 50 years ahead.
        let years: TimeInterval = 50 * 365.25 * 86_400
        formatter.twoDigitStartDate = clock.now() - years
        let formats = [
            "EEE, dd MMM yyyy HH:mm:ss 'GMT'", "EEEE, dd-MMM-yy HH:mm:ss 'GMT'",
            "EEE MMM d HH:mm:ss yyyy",
        ]
        let dates = formats.lazy.compactMap { format in
            formatter.dateFormat = format
            return formatter.date(from: text)
        }
        return dates.first?.timeIntervalSince(clock.now())
    }
}
