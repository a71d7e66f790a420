// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Returns stored responses while they are fresh, and asks the server whether an older one is still
/// current, instead of loading it again (RFC 9111).
///
/// ```swift
/// let provider = ServiceProvider<BlogService>(interceptors: [ServiceCache()])
/// ```
///
/// The response to a GET with status 200 is stored. How long it's fresh is in its headers: `max-age` or
/// `Expires`. Without them, it's never fresh. A stale
/// response with an `ETag` or a `Last-Modified` is revalidated: the next GET sends that
/// validator, and if the server responds with 304, the caller gets the stored body, with status 200
/// and the headers of both responses. `stale-while-revalidate` and `stale-if-error` are respected (RFC
/// 5861), and so are `no-cache`, `no-store`, `must-revalidate` and `Vary`. A URL has one
/// stored response at a time, or one in memory and one in the store.
///
/// A ``ServiceCachePolicy`` changes these rules for a call, and so does a `Cache-Control` header in
/// its request (RFC 9111, section 5.2.1). A ``ServiceCacheOutcome`` says where a response came
/// from.
///
/// Some requests are sent unchanged, and their 304 is returned: those with a `Range` or a condition
/// of their own, and those with a response that goes to a file or a stream. A successful PUT, POST,
/// PATCH or DELETE removes the response that is stored for its URL (section 4.4). This includes
/// a request that the server redirects.
///
/// Place it inside the interceptors that add credentials or change the URL: a response is reused
/// only for the same URL and the same credentials, so no one gets a response that is meant for
/// others. It can't see the cookies that a session adds: call ``removeAll()`` when the
/// user changes. (On Apple platforms, a session with a `urlCache` caches too, and may
/// hide a 304. On Linux, no session does.)
public nonisolated final class ServiceCache: ServiceInterceptor {
    private let store: (any ServiceResponseStore)?
    private let memory: ServiceMemoryStore
    private let clock: ServiceClock
    /// Grows when stored responses are removed.
    private let changes = ServiceLocked(0)
    /// The keys of the responses that are revalidated in the background.
    private let revalidations = ServiceLocked<Set<String>>([])

    /// Creates a cache with an empty memory.
    ///
    /// - Parameters:
    ///   - store: Where to store responses, such as a ``ServiceDirectoryStore``. Default: nil, which
    ///     means in memory. The store gets no secrets: the response to a request with a secret
    ///     header or URL (see `ServiceRequest.isSecret(_:)`) stays in memory.
    ///   - maximumMemorySize: How many bytes to keep in memory. The least recently stored or revalidated
    ///     responses are removed first, and a response larger than a tenth of that isn't
    ///     stored. Default: 10 MB.
    ///   - clock: The clock that measures ages.
    public init(
        store: (any ServiceResponseStore)? = nil, maximumMemorySize: Int = 10 << 20,
        clock: ServiceClock = ServiceClock()
    ) {
        self.store = store
        self.clock = clock
        memory = ServiceMemoryStore(maximumSize: maximumMemorySize)
    }

    /// Forgets all responses, in memory and in the store.
    public func removeAll() async {
        await countingChange {
            await memory.removeAll()
            await store?.removeAll()
        }
    }

    /// Returns a stored response, or sends the request, with the validator of the stored response.
    ///
    /// - Throws: The errors of the inner interceptors and the transport.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        request.cacheOutcome = .fetched
        request.noteRedirects()
        let policy = request.cachePolicy
        let isLocal =
            policy == .onlyIfCached || policy == .offline
            || request.cacheControl.contains("only-if-cached")
        guard request.acceptsStoredResponses else {
            guard !isLocal else { return request.unavailable }
            return try await pass(request, next)
        }
        // On Apple platforms, URLSession's own cache would respond without asking the server.
        request.urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        // Read before the stored response, because a change may remove that one at any time.
        let changes = changes.withLock { $0 }
        var match: ServiceCacheMatch?
        if policy != .reload {
            match = await self.match(for: request)
        }
        let now = clock.now()
        if let response = match?.response(to: request, ifStale: \.whenever, at: now) {
            return response
        }
        guard !isLocal else { return request.unavailable }
        guard let response = match?.response(to: request, ifStale: \.atFirst, at: now) else {
            return try await send(request, match, changes, next)
        }
        // The call ends now, so the background request mustn't report progress to it.
        request.bodySink = nil
        let isFirst = revalidations.withLock { $0.insert(request.cacheKey).inserted }
        if isFirst {
            revalidate(request, match, changes, next)
        }
        return response
    }

    private func revalidate(
        _ request: ServiceRequest, _ match: ServiceCacheMatch?, _ changes: Int,
        _ next: @escaping ServiceNext
    ) {
        Task {
            _ = try? await send(request, match, changes, next)
            revalidations.withLock { revalidations in
                _ = revalidations.remove(request.cacheKey)
            }
        }
    }

    /// Sends a request that can't use stored responses. If it may have changed something on the
    /// server, removes the stored response for its URL.
    private func pass(
        _ request: ServiceRequest, _ next: ServiceNext
    ) async throws -> ServiceResponse {
        guard let change = ServiceCacheChange(request) else { return try await next(request) }
        let redirected = ServiceLocked<[ServiceCacheChange?]>([])
        let result: Result<ServiceResponse, any Error>
        do {
            result = .success(try await next(request.reportingRedirects(to: redirected)))
        } catch {
            result = .failure(error)
        }
        // A redirect isn't an error (RFC 9111, section 4.4), even if the request that follows it fails.
        var changes = redirected.withLock { $0 }
        if case .success(let response) = result {
            var requests = response.earlierRequests
            if (200..<400).contains(response.statusCode) {
                requests.append(response.request)
            }
            changes += requests.map(ServiceCacheChange.init)
        }
        if !changes.isEmpty {
            await removeResponses([change] + changes)
        }
        var response = try result.get()
        response.request.onRedirect = request.onRedirect
        return response
    }

    /// Removes the stored responses that a change on the server has made outdated.
    private func removeResponses(_ changes: [ServiceCacheChange?]) async {
        await countingChange {
            for case let change? in changes {
                await memory.removeResponse(for: change.url)
                if change.isPublic {
                    await store?.removeResponse(for: change.url)
                }
            }
        }
    }

    /// Counts a removal before it begins, and again at its end: a request that starts meanwhile may still have found the
    /// stored response.
    private func countingChange(_ removal: () async -> Void) async {
        countChange()
        await removal()
        countChange()
    }

    private func countChange() {
        changes.withLock { changes in
            changes += 1
        }
    }

    /// Sends a request with the validator of a stored response, and stores the response.
    private func send(
        _ request: ServiceRequest, _ match: ServiceCacheMatch?, _ changes: Int, _ next: ServiceNext
    ) async throws -> ServiceResponse {
        var sent = clock.now()
        var response: ServiceResponse
        do {
            response = try await next(request.withValidators(of: match?.stored))
            response.request = response.request.withValidators(of: nil)
            if response.statusCode == 304, let stored = match?.stored, stored.hasValidator {
                // The 304 may be about another version, URL or credential.
                if let current = stored.confirmed(by: response, for: request.cacheKey) {
                    response = current
                } else {
                    sent = clock.now()
                    response = try await next(request)
                }
            }
        } catch {
            guard case .transport = ServiceError(error),
                let stale = match?.response(to: request, ifStale: \.afterErrors, at: clock.now())
            else { throw error }
            return stale
        }
        if response.statusCode == 200 {
            await keep(response, sent: sent, changes: changes)
        }
        guard [500, 502, 503, 504].contains(response.statusCode) else { return response }
        // RFC 5861, section 4.
        return match?.response(to: request, ifStale: \.afterErrors, at: clock.now()) ?? response
    }

    // MARK: - Storing

    /// The store for the response to a request. If inner interceptors add secrets, the request that
    /// was sent may have another store.
    private func store(for request: ServiceRequest) -> any ServiceResponseStore {
        guard let store, request.isPublic else { return memory }
        return store
    }

    private func match(for request: ServiceRequest) async -> ServiceCacheMatch? {
        guard let stored = await store(for: request).response(for: request.cacheKey),
            stored.varyHeaders.isIdentical(to: request.varyHeaders(in: stored.headers))
        else { return nil }
        return ServiceCacheMatch(stored, for: request)
    }

    /// Stores a response for the URL that it came from, which may be the target of a redirect.
    private func keep(_ response: ServiceResponse, sent: Date, changes: Int) async {
        let request = response.request
        let fields = response.lowercasedHeaders
        let store = store(for: request)
        // The response may repeat a secret of an earlier request.
        let isPublic = response.earlierRequests.allSatisfy(\.isPublic)
        let isAllowed = isPublic || self.store == nil
        // A change since the request began may have made the response outdated.
        let isCurrent = changes == self.changes.withLock { $0 }
        guard isAllowed && isCurrent && Self.isStorable(fields) else {
            await store.removeResponse(for: request.cacheKey)
            return
        }
        let connection = ServiceCacheControl(fields["connection"])
        let kept = fields.filter { name, _ in
            Self.isStored(name, connection) && !request.isSecret(name)
        }
        let stored = ServiceStoredResponse(
            headers: kept, data: response.data, varyHeaders: request.varyHeaders(in: fields),
            created: ServiceStoredResponse.created(fields, sent: sent, received: clock.now()))
        await store.store(stored, for: request.cacheKey)
        // A change since then may have removed the earlier response before this one was stored.
        if changes != self.changes.withLock({ $0 }) {
            await store.removeResponse(for: request.cacheKey)
        }
    }

    /// Whether a header is stored. Those that `Connection` names are about one connection, but a server
    /// can't hide the two that protect others from a stored response (RFC 9110, section 7.6.1).
    private static func isStored(_ name: String, _ connection: ServiceCacheControl) -> Bool {
        let isNamed = connection.contains(name) && !["cache-control", "vary"].contains(name)
        return !isNamed && !unstored.contains(name)
    }

    /// Headers about a connection or a proxy (RFC 9111, section 3.1), and the age, which is in
    /// ``ServiceStoredResponse/created``.
    private static let unstored: Set<String> = [
        "age", "connection", "keep-alive", "proxy-authenticate", "proxy-authentication-info",
        "proxy-authorization", "proxy-connection", "te", "trailer", "transfer-encoding", "upgrade",
    ]

    /// RFC 9111, section 3, for a cache of one user.
    private static func isStorable(_ fields: [String: String]) -> Bool {
        let isRefused = ServiceCacheControl(fields["cache-control"]).contains("no-store")
        return !isRefused && fields["vary"]?.contains("*") != true
    }
}

nonisolated extension ServiceResponse {
    var lowercasedHeaders: [String: String] {
        Dictionary(headers.map { ($0.key.lowercased(), $0.value) }) { $1 }
    }
}
