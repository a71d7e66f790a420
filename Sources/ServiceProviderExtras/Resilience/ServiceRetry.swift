// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Retries failed requests with exponential backoff and jitter.
///
/// ```swift
/// let provider = ServiceProvider<BlogService>(interceptors: [ServiceRetry()])
/// ```
///
/// Only requests that may be sent twice are retried: see ``methods``. Any other request is retried, too, if nothing
/// of it was sent, because no connection was made. A request with an `httpBodyStream` isn't retried, and neither is
/// a response with a status that the service counts as success. A stream is retried until the head of its response. A
/// download starts its file again, or continues it with `ServiceDownloadOptions.resume`. Cancelling the call ends a
/// wait immediately. After the last attempt, the call gets the last response or error. `ServiceRequest.attempt` counts the
/// attempts.
public nonisolated struct ServiceRetry: ServiceInterceptor {
    /// How many times a request is sent at most; values below 1 count as 1. Default: 3.
    public var attempts: Int
    /// The methods to retry. Default: the idempotent ones (RFC 9110, section 9.2.2).
    ///
    /// `ServiceRequest.isRepeatable` overrides this. Other methods are retried if the request has an
    /// `Idempotency-Key`.
    public var methods: Set<ServiceMethod>
    /// The status codes to retry. Default: 408, 429, 500, 502, 503, 504.
    public var statusCodes: Set<Int>
    /// The errors to retry. Default: timeouts, connections that fail or are lost, DNS failures, and
    /// being offline. (Also `unknown` and `badServerResponse`, because URLSession on Linux reports them if a
    /// connection closes inside a body, and before a response.)
    public var errorCodes: Set<URLError.Code>
    /// The longest first wait in seconds; it doubles with each attempt. Default: 0.5.
    public var delay: TimeInterval
    /// The longest wait in seconds. Default: 30. If the server asks for a longer one, the response is returned without a
    /// retry.
    public var maximumDelay: TimeInterval
    /// How many seconds after the first attempt the last one may start. Default: 60. A running
    /// attempt isn't stopped: for that, use ``ServiceDeadline``.
    public var maximumTime: TimeInterval
    /// Returns how many seconds the server asks to wait, such as a number in the body of a 429. A retry waits at least as
    /// long. Default: nil.
    ///
    /// If it is nil or returns nil, the header fields of the response decide: `Retry-After`; and if the status is 429 or
    /// the number of remaining requests is 0, `RateLimit`, `X-RateLimit-Reset-After`, `X-RateLimit-Reset` and
    /// `RateLimit-Reset` (a number of seconds, or a time), or `x-ratelimit-reset-requests` and `-tokens` (such as `6m0s`).
    public var requestedDelay: (@Sendable (ServiceResponse) -> TimeInterval?)?
    /// The clock to wait with. Default: the system's.
    public var clock: ServiceClock
    /// Chooses a wait between 0 and the longest one. Default: a uniform distribution.
    public var random: @Sendable (ClosedRange<Double>) -> Double

    /// Creates a policy. The properties say what each argument means.
    public init(
        attempts: Int = 3, methods: Set<ServiceMethod> = ServiceMethod.idempotent,
        statusCodes: Set<Int> = [408, 429, 500, 502, 503, 504],
        errorCodes: Set<URLError.Code> = ServiceRetry.temporaryErrorCodes,
        delay: TimeInterval = 0.5, maximumDelay: TimeInterval = 30,
        maximumTime: TimeInterval = 60,
        requestedDelay: (@Sendable (ServiceResponse) -> TimeInterval?)? = nil,
        clock: ServiceClock = ServiceClock(),
        random: @escaping @Sendable (ClosedRange<Double>) -> Double = { Double.random(in: $0) }
    ) {
        self.attempts = attempts
        self.methods = methods
        self.statusCodes = statusCodes
        self.errorCodes = errorCodes
        self.delay = delay
        self.maximumDelay = maximumDelay
        self.maximumTime = maximumTime
        self.requestedDelay = requestedDelay
        self.clock = clock
        self.random = random
    }

    /// The default of ``errorCodes``.
    public static let temporaryErrorCodes: Set<URLError.Code> = [
        .timedOut, .cannotFindHost, .cannotConnectToHost, .networkConnectionLost,
        .dnsLookupFailed, .notConnectedToInternet, .unknown, .badServerResponse,
    ]

    /// Sends the request, and retries it if that may help.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let start = clock.now()
        var attempt = 1
        var recorded = request.keepingItsKey
        recorded.sendingRecord = request.sendingRecord ?? ServiceSendingRecord()
        while true {
            recorded.attempt = attempt
            let request = recorded
            let outcome = await clock.timed { try await next(request) }.outcome
            let mayRepeat = attempt < attempts && request.mayBeRepeatedNow(ifMethodIn: methods)
            guard mayRepeat, let wait = wait(after: outcome, attempt: attempt) else {
                return try outcome.get()
            }
            guard clock.now().timeIntervalSince(start) + wait <= maximumTime else {
                return try outcome.get()
            }
            try await clock.sleep(wait)
            try Task.checkCancellation()
            attempt += 1
        }
    }

    /// Seconds until the next attempt; nil after the last one.
    private func wait(
        after outcome: Result<ServiceResponse, any Error>, attempt: Int
    ) -> TimeInterval? {
        var shortest: TimeInterval = 0
        switch outcome {
        case .success(let response):
            guard statusCodes.contains(response.statusCode), !response.hasValidStatus
            else { return nil }
            shortest = wait(requestedBy: response)
            guard shortest <= maximumDelay.atMostAWeek else { return nil }
        case .failure(let error):
            guard case .transport(let error) = ServiceError(error), errorCodes.contains(error.code)
            else { return nil }
        }
        let longest = min(delay * exp2(Double(attempt - 1)), maximumDelay).atMostAWeek
        return min(max(random(0...longest), shortest), maximumDelay).atMostAWeek
    }

    private func wait(requestedBy response: ServiceResponse) -> TimeInterval {
        if let seconds = requestedDelay?(response) {
            return seconds
        }
        return ServiceRequestedDelay(response: response, now: clock.now()).seconds ?? 0
    }
}

nonisolated extension ServiceRequest {
    /// The request, which follows no redirect to another origin if it is repeatable by its `Idempotency-Key` only. The
    /// other origin doesn't get the key, so it could accept a payment twice.
    fileprivate var keepingItsKey: ServiceRequest {
        let name = "Idempotency-Key"
        guard urlRequest.value(forHTTPHeaderField: name) != nil else { return self }
        var request = self
        request.addRedirectRule { next, _, _ in
            let hasKey = next.urlRequest.value(forHTTPHeaderField: name) != nil
            return hasKey || next.mayBeRepeated() ? next : nil
        }
        return request
    }
}
