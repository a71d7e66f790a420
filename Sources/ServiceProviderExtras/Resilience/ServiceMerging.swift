// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Sends identical GET requests that run at the same time only once: each of their calls gets the response.
///
/// ```swift
/// let provider = ServiceProvider<BlogService>(
///     interceptors: [ServiceRetry(), tokens, ServiceMerging()])
/// ```
///
/// Requests are identical if they have the same URL, the same header fields, and the same settings for status codes,
/// timeout and size. Place it inside the interceptors that add header fields, such as a ``ServiceAuthenticator``: then
/// no one gets a response for the token of another user. Inside a cache, it merges what the cache has to load.
///
/// Cancelling a call ends it immediately, and the others go on. Cancelling the last one cancels the request. An error
/// reaches all calls. Later requests are sent again: nothing is stored. A call that starts after a change, such as a POST
/// through the same instance, never gets a response from before it.
///
/// Some requests are always sent on their own: those with a body, downloads, streams, and calls that report their progress;
/// those with a handler for redirects (`ServiceRequest.onRedirect`); and those of a token's refresh, which would wait for
/// themselves.
public nonisolated final class ServiceMerging: ServiceInterceptor {
    private struct Key: Hashable {
        /// How many changes had ended before the request.
        let changes: Int
        let url: URL?
        /// As bytes: texts with other bytes are equal if they look the same.
        let fields: [[UInt8]: [UInt8]]
        let timeout: TimeInterval
        let maximumBodySize: Int64?
        let acceptsAnyStatus: Bool
        let validStatusCodes: Set<Int>
    }

    /// A request that is being sent.
    private struct Exchange {
        let id = UUID()
        var task: Task<Void, Never>?
        var callers: [ServiceWait<ServiceResponse>]
    }

    /// The requests that the current task is part of.
    @TaskLocal private static var current: [UUID] = []

    private let running = ServiceLocked<[Key: Exchange]>([:])
    private let changes = ServiceLocked(0)

    /// Creates an instance. Share one among providers to merge their requests as well.
    public init() {}

    /// How many calls wait for a response.
    package var waitingCount: Int {
        running.withLock { $0.values.reduce(0) { $0 + $1.callers.count } }
    }

    /// Sends the request, unless an identical one is running, and waits for its response.
    ///
    /// - Throws: The errors of the inner interceptors and the transport; `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let key = key(of: request) else {
            defer { noteChange(by: request) }
            return try await next(request)
        }
        try Task.checkCancellation()
        // Not the value of a task: cancelling a caller wouldn't end its wait.
        let caller = ServiceWait<ServiceResponse>()
        let hasJoined = running.withLock { running in
            // Not the whole exchange: with a second copy of its callers, adding one would take linear time.
            guard let id = running[key]?.id else {
                running[key] = start(key, for: caller) { try await next(request) }
                return true
            }
            // An inner interceptor has sent the same request again. It would wait for itself.
            guard !Self.current.contains(id) else { return false }
            running[key]?.callers.append(caller)
            return true
        }
        guard hasJoined else { return try await next(request) }
        do {
            var response = try await caller.wait()
            response.request.attempt = request.attempt
            response.request.decoder = request.decoder
            response.request.onRedirect = request.onRedirect
            response.request.secretNames.formUnion(request.secretNames)
            return response
        } catch {
            leave(key, caller)
            throw error
        }
    }

    /// Also after a request that failed: the server may have changed something.
    private func noteChange(by request: ServiceRequest) {
        guard !request.hasSafeMethod else { return }
        changes.withLock { $0 += 1 }
    }

    /// Nil for a request that is sent on its own.
    private func key(of request: ServiceRequest) -> Key? {
        let sent = request.urlRequest
        let isPlain = !request.hasBody && request.bodySink == nil && !request.decidesAboutRedirects
        guard sent.httpMethod ?? "GET" == "GET", isPlain, !ServiceLimitPass.isExempt else {
            return nil
        }
        let fields = (sent.allHTTPHeaderFields ?? [:]).map { (Array($0.utf8), Array($1.utf8)) }
        return Key(
            changes: changes.withLock { $0 }, url: sent.url,
            fields: Dictionary(uniqueKeysWithValues: fields),
            timeout: sent.timeoutInterval,
            maximumBodySize: request.maximumBodySize, acceptsAnyStatus: request.acceptsAnyStatus,
            validStatusCodes: request.validStatusCodes)
    }

    /// Starts a task that isn't a child of the current one, and isn't cancelled with it.
    private func start(
        _ key: Key, for caller: ServiceWait<ServiceResponse>,
        _ send: @escaping @Sendable () async throws -> ServiceResponse
    ) -> Exchange {
        var new = Exchange(callers: [caller])
        // Urgent, because urgent callers may join it later.
        new.task = Task(priority: .userInitiated) { [id = new.id] in
            let outcome: Result<ServiceResponse, any Error>
            do {
                let response = try await Self.$current.withValue(
                    Self.current + [id], operation: send)
                outcome = .success(response)
            } catch {
                outcome = .failure(error)
            }
            for caller in takeCallers(key, id) {
                caller.end(with: outcome)
            }
        }
        return new
    }

    private func takeCallers(_ key: Key, _ id: UUID) -> [ServiceWait<ServiceResponse>] {
        running.withLock { running in
            // If all callers have left, another exchange may have the key.
            guard running[key]?.id == id else { return [] }
            return running.removeValue(forKey: key)?.callers ?? []
        }
    }

    /// Removes a caller that is cancelled, and cancels the request of the last one.
    private func leave(_ key: Key, _ caller: ServiceWait<ServiceResponse>) {
        let abandoned = running.withLock { running -> Exchange? in
            let place = running[key]?.callers.firstIndex { $0 === caller }
            guard let place else { return nil }
            running[key]?.callers.remove(at: place)
            guard running[key]?.callers.isEmpty == true else { return nil }
            return running.removeValue(forKey: key)
        }
        // Not under the lock, because this runs other code.
        abandoned?.task?.cancel()
    }
}
