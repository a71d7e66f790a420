// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Adds a token to each request, and refreshes it when a server rejects it or before it expires.
///
/// ```swift
/// let authenticator = ServiceAuthenticator(token: keychain.login) { login in
///     ServiceAuthorization.bearer(login.accessToken)
/// } refresh: { old in
///     let login = try await logins.load(service: .refresh(old), decodeType: Login.self)
///     keychain.login = login
///     return login
/// }
/// ```
///
/// One refresh serves all requests that wait for it. Rejected ones are sent once more, and their
/// callers get that response. A request that was rejected with an older token is sent again with
/// the current one. Cancelling a call ends its wait immediately; the refresh continues for the
/// others.
///
/// A rejected request is sent again whatever its method, even if `ServiceRequest.isRepeatable` is false: a server that
/// responds with 401 has not applied the request (RFC 9110, section 15.5.2), so nothing happens twice. Keep that in
/// mind if you write an `isRejected` of your own.
///
/// Two kinds of rejection are returned as they are: those of another origin (after a redirect), and
/// those with a request body from an `httpBodyStream`. Files are sent again, and so are downloads and streams.
///
/// The token is only in memory: save it in `refresh`, as above. Requests that this closure sends
/// through the same provider go out without a token, and start no refresh. (Don't send them from a
/// detached task, which would wait for itself until the time of the refresh is over.) If the refreshes of two
/// authenticators need each other's token, a call of one of them fails with an error that says so.
public nonisolated final class ServiceAuthenticator<Token: Sendable>: ServiceInterceptor {
    private struct State {
        var token: Token?
        /// Identifies the token: shows whether a rejected request was sent with an old one.
        var generation = UUID()
        /// How many refreshes of this token have failed, and the last one's error.
        var failures = 0
        var failure: (any Error)?
    }

    private let authorization: @Sendable (Token) -> any ServiceInterceptor
    private let expiry: @Sendable (Token) -> Date?
    private let leeway: TimeInterval
    private let refreshTimeout: TimeInterval
    private let clock: ServiceClock
    private let isRejected: @Sendable (ServiceResponse) -> Bool
    private let refresh: @concurrent @Sendable (Token?) async throws -> Token
    private let state: ServiceLocked<State>
    /// By the generation of the token to replace.
    private let refreshes = ServiceRefreshes()

    /// Creates an authenticator. Use one instance for all providers that share the token.
    ///
    /// - Parameters:
    ///   - token: The current token; nil if no one has logged in.
    ///   - authorization: Adds a token to a request. Usually returns a `ServiceAuthorization`.
    ///   - expiry: A token's expiry date. Default: nil, which means that it isn't known.
    ///   - leeway: How many seconds before its expiry a token is refreshed. Default: 60.
    ///   - refreshTimeout: How many seconds a refresh may take, from 0 to a week. Default: 60. After that, the requests
    ///     that wait for it fail with `URLError.timedOut`, the closure is cancelled, and a later request starts it again.
    ///     Allow more if the closure asks a person to log in.
    ///   - clock: The clock to compare the expiry with.
    ///   - isRejected: Whether a response rejects its token. Default: a 401, unless the service
    ///     lists it as success.
    ///   - refresh: Returns a new token for an old one, or for nil if there was none. If it throws,
    ///     all requests that are rejected and have started before that fail with this error, and a
    ///     later one tries again. If your services belong to the main actor, write `{ @MainActor old in … }`.
    public init(
        token: Token?,
        authorization: @escaping @Sendable (Token) -> any ServiceInterceptor,
        expiry: @escaping @Sendable (Token) -> Date? = { _ in nil },
        leeway: TimeInterval = 60,
        refreshTimeout: TimeInterval = 60,
        clock: ServiceClock = ServiceClock(),
        isRejected: @escaping @Sendable (ServiceResponse) -> Bool = {
            $0.statusCode == 401 && !$0.hasValidStatus
        },
        refresh: @escaping @concurrent @Sendable (Token?) async throws -> Token
    ) {
        state = ServiceLocked(State(token: token))
        self.authorization = authorization
        self.expiry = expiry
        self.leeway = leeway
        self.refreshTimeout = refreshTimeout.atMostAWeek
        self.clock = clock
        self.isRejected = isRejected
        self.refresh = refresh
    }

    /// The current token. Set it after a login, and to nil after a logout: requests are then sent
    /// without one.
    ///
    /// Setting it cancels a refresh that is running. The waiting requests go on with the token that
    /// you set; without one, rejected ones stay rejected.
    public var token: Token? {
        get { state.withLock { $0.token } }
        set {
            let old = replaceState(State(token: newValue))
            refreshes.end(old.generation, with: .success(()))
        }
    }

    private func replaceState(_ new: State) -> State {
        state.withLock { state in
            let old = state
            state = new
            return old
        }
    }

    /// Sends a request with the token, and after a rejection, again with a new token.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var current = state.withLock { $0 }
        var request = request
        request.noteRedirects()
        // This request is part of the refresh, and would wait for itself.
        guard !refreshes.isCurrentTaskPart(of: current.generation) else {
            return try await next(request)
        }
        if let date = current.token.flatMap(expiry), clock.now() + leeway >= date {
            current = try await renewed(current)
        }
        let response = try await send(request, current.token, next)
        guard isRejected(response), Self.canBeSentWithNewToken(request, after: response) else {
            return response
        }
        guard let token = try await renewed(current).token else { return response }
        return try await send(request, token, next)
    }

    /// Whether a rejected request may be sent again: not if another origin has rejected it, because a redirect drops the
    /// token, and not if a body is a stream.
    private static func canBeSentWithNewToken(
        _ request: ServiceRequest, after response: ServiceResponse
    ) -> Bool {
        let origin = request.urlRequest.url.map(ServiceRequest.origin)
        for sent in response.earlierRequests + [response.request] {
            guard sent.urlRequest.url.map(ServiceRequest.origin) == origin else { return false }
        }
        let wasDelivered = request.deliversBody && response.hasValidStatus
        return request.urlRequest.httpBodyStream == nil && !wasDelivered
    }

    private func send(
        _ request: ServiceRequest, _ token: Token?, _ next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let token else { return try await next(request) }
        return try await authorization(token).intercept(request, next: next)
    }

    /// Returns a state newer than `old`: refreshes the token, unless that was done already.
    private func renewed(_ old: State) async throws -> State {
        try await refreshes.wait(for: old.generation) { [self] in
            let current = state.withLock { $0 }
            guard current.generation == old.generation else { return }
            // A refresh has failed since this request started. Otherwise, many requests that are rejected one after the
            // other would each start one.
            if let failure = current.failure, current.failures > old.failures {
                throw failure
            }
            do {
                try await refreshInTime(old)
            } catch {
                try finishRefresh(of: old, with: .failure(error))
            }
        }
        return state.withLock { $0 }
    }

    /// Refreshes the token. When the time is over, cancels the closure, and doesn't wait for its end.
    private func refreshInTime(_ old: State) async throws {
        let end = ServiceWait<Void>()
        let work = Task {
            do {
                let token = try await refreshExempt(old.token)
                // Even if the time is over: the server may accept the old token only once.
                try finishRefresh(of: old, with: .success(token))
                end.end(with: .success(()))
            } catch {
                end.end(with: .failure(error))
            }
        }
        let timer = Task { [refreshTimeout] in
            // Not the clock of the caller, which may be one that doesn't wait.
            try await ServiceClock().sleep(refreshTimeout)
            let text = "the refresh of the token took longer than \(refreshTimeout) seconds."
            end.end(with: .failure(URLError(.timedOut, text)))
        }
        defer {
            work.cancel()
            timer.cancel()
        }
        try await end.wait()
    }

    /// Calls the closure. Its requests pass all limits, because the calls that wait for it may have all the places.
    private func refreshExempt(_ old: Token?) async throws -> Token {
        let pass = ServiceLimitPass()
        defer { pass.end() }
        return try await ServiceLimitPass.$exemption.withValue(pass) {
            try await refresh(old)
        }
    }

    /// Stores the outcome of a refresh. After a login or a logout meanwhile, waiting requests use the new state.
    private func finishRefresh(
        of old: State, with outcome: Result<Token, any Error>
    ) throws {
        try state.withLock { state in
            guard state.generation == old.generation else { return }
            do {
                state = State(token: try outcome.get())
            } catch {
                state.failures += 1
                state.failure = error
                throw error
            }
        }
    }
}
