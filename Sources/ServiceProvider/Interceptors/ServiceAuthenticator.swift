// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Puts a token into each request, and gets a new one when it is refused or about to expire.
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
/// One refresh serves all requests that wait for it. Each is then sent once more, and what it gets then
/// is its answer; so is one that was refused with an older token than the current one. Who is cancelled
/// while waiting ends at once, and the refresh goes on for the others.
///
/// Handed over as it came is a refusal by another origin than the one that was asked (after a redirect),
/// and one of a request whose body or answer is a stream that has begun.
///
/// The token is in memory: keep it by `refresh`, as above. What that closure sends by the same provider
/// goes out as it is, without a token, and starts no refresh. (Not by a detached task, which would wait
/// for itself.)
public nonisolated final class ServiceAuthenticator<Token: Sendable>: ServiceInterceptor {
    private typealias Waiter = AsyncThrowingStream<Void, any Error>.Continuation

    private struct State: Sendable {
        var token: Token?
        /// Another one with each token, by which a refused request knows whether its token is old.
        var generation = UUID()
        var refresh: (id: UUID, task: Task<Void, Never>)?
        var waiters: [Waiter] = []
    }

    private let authorization: @Sendable (Token) -> any ServiceInterceptor
    private let expiry: @Sendable (Token) -> Date?
    private let leeway: TimeInterval
    private let clock: ServiceClock
    private let isRejected: @Sendable (ServiceResponse) -> Bool
    private let refresh: @concurrent @Sendable (Token?) async throws -> Token
    private let lock = NSLock()
    /// Safe because it is touched under the lock alone.
    nonisolated(unsafe) private var state: State

    /// Makes an authenticator. Give the same one to all providers that share the token.
    ///
    /// - Parameters:
    ///   - token: What is there already; nil when nobody has logged in.
    ///   - authorization: What puts a token into a request, such as a `ServiceAuthorization`.
    ///   - expiry: When a token expires. Default: nil, nobody knows.
    ///   - leeway: How many seconds before that it is refreshed. Default: 60.
    ///   - clock: What time it is.
    ///   - isRejected: Whether an answer refuses its token. Default: a 401, unless the service counts it
    ///     as success.
    ///   - refresh: Gets a new token for an old one; nil when there was none. What it throws is the error
    ///     of all requests that wait; the next one to be refused tries again. Where services belong to
    ///     the main actor, write `{ @MainActor old in … }`.
    public init(
        token: Token?,
        authorization: @escaping @Sendable (Token) -> any ServiceInterceptor,
        expiry: @escaping @Sendable (Token) -> Date? = { _ in nil },
        leeway: TimeInterval = 60,
        clock: ServiceClock = ServiceClock(),
        isRejected: @escaping @Sendable (ServiceResponse) -> Bool = {
            $0.statusCode == 401 && !$0.request.validStatusCodes.contains(401)
        },
        refresh: @escaping @concurrent @Sendable (Token?) async throws -> Token
    ) {
        (state, self.authorization, self.expiry) = (State(token: token), authorization, expiry)
        (self.leeway, self.clock) = (leeway, clock)
        (self.isRejected, self.refresh) = (isRejected, refresh)
    }

    /// The current token. Set it at a login, and to nil at a logout: requests then go without one.
    ///
    /// It counts in place of what a refresh brings that is under way: that one is cancelled, and who
    /// waits for it goes on with this token, or without one gets the refusal.
    public var token: Token? {
        get { lock.withLock { state.token } }
        set { settle(State(token: newValue)) }
    }

    /// Puts the token in, and again where it was refused.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var current = lock.withLock { state }
        // A refresh that waited for itself would never end.
        let isRefresh = current.refresh.map { ServiceRefreshes.underWay.contains($0.id) }
        guard isRefresh != true else { return try await next(request) }
        if let date = current.token.flatMap(expiry), clock.now() + leeway >= date {
            current = try await renewed(current)
        }
        let response = try await send(request, current.token, next)
        guard isRejected(response), Self.canRepeat(request, after: response)
        else { return response }
        let token = try await renewed(current).token
        return token == nil ? response : try await send(request, token, next)
    }

    private func send(
        _ request: ServiceRequest, _ token: Token?, _ next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let token else { return try await next(request) }
        return try await authorization(token).intercept(request, next: next)
    }

    private static func canRepeat(
        _ request: ServiceRequest, after response: ServiceResponse
    ) -> Bool {
        // Nobody but who was asked is to decide when a token is sent or refreshed.
        let (asked, answering) = (request.urlRequest.url, response.request.urlRequest.url)
        let isAsked = asked.map(ServiceRequest.origin) == answering.map(ServiceRequest.origin)
        let isTaken = request.validStatusCodes.contains(response.statusCode)
        let isStream = request.urlRequest.httpBodyStream != nil
        return isAsked && !isStream && (request.delivery == nil || !isTaken)
    }

    /// What follows an old state: after a refresh, unless it is there already.
    private func renewed(_ old: State) async throws -> State {
        // Not the value of a task: who waits for that waits on when cancelled.
        let (end, waiter) = AsyncThrowingStream<Void, any Error>.makeStream()
        lock.withLock {
            guard state.generation == old.generation else { return waiter.finish() }
            state.waiters.append(waiter)
            // A task of its own: it must not end with the request that happens to be the first.
            guard state.refresh == nil else { return }
            let id = UUID()
            state.refresh = (id, Task { await renew(old, id) })
        }
        for try await _ in end {}
        try Task.checkCancellation()
        return lock.withLock { state }
    }

    private func renew(_ old: State, _ id: UUID) async {
        var next = State(token: old.token, generation: old.generation)
        var failure: (any Error)?
        let underWay = ServiceRefreshes.underWay.union([id])
        do {
            let token = try await ServiceRefreshes.$underWay.withValue(underWay) {
                try await refresh(old.token)
            }
            next = State(token: token)
        } catch {
            failure = error
        }
        settle(next, failure, after: old.generation)
    }

    /// Goes on with another state, and tells who waits.
    ///
    /// - Parameter generation: Of the token that was refreshed: when it is no longer the current one,
    ///   then a login or a logout was faster, and counts.
    private func settle(
        _ next: State, _ failure: (any Error)? = nil, after generation: UUID? = nil
    ) {
        let old: State? = lock.withLock {
            guard generation == nil || generation == state.generation else { return nil }
            defer { state = next }
            return state
        }
        // Neither of them under the lock: others listen.
        old?.refresh?.task.cancel()
        for waiter in old?.waiters ?? [] { waiter.finish(throwing: failure) }
    }
}

private nonisolated enum ServiceRefreshes {
    /// The refreshes that this task is part of.
    @TaskLocal static var underWay: Set<UUID> = []
}
