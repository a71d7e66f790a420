// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Limits how many requests run at the same time. Other requests wait: the one with the highest
/// priority is next, and among equals the one that came first.
///
/// ```swift
/// let provider = ServiceProvider<API>(interceptors: [ServiceConcurrencyLimit(4)])
/// ```
///
/// Set `ServiceRequest.priority` in `Service.prepare(_:)`. Share one instance among providers to limit them
/// together. Cancelling a call ends its wait immediately. A stream counts until its headers have arrived.
/// A request that an inner interceptor sends, or a task that it starts, doesn't wait while its call runs: the call has a
/// place already, and would wait for itself. The refresh of a ``ServiceAuthenticator`` doesn't wait either, because the
/// calls that wait for it may have all the places. After the call or the refresh has ended, such a task waits like
/// others. Place the limit inside a cache: then it also limits the requests that update stale responses in the background.
public nonisolated final class ServiceConcurrencyLimit: ServiceInterceptor {
    private struct State {
        var free: Int
        /// One for each priority, the highest first. Slices, because removing their first element takes constant time.
        var queues: [ArraySlice<ServiceWait<Void>>] = [[], [], []]
        /// How many tasks wait.
        var waitingCount = 0
        /// How many waits have been cancelled since the queues were searched for them.
        var cancelledCount = 0
    }

    /// The places that the current task has, in this limit and in others.
    @TaskLocal private static var places: [ServiceLimitPass] = []

    private let state: ServiceLocked<State>

    /// Creates an instance. A number below 1 counts as 1.
    public init(_ maximum: Int) {
        state = ServiceLocked(State(free: max(maximum, 1)))
    }

    /// How many requests are waiting.
    package var waitingCount: Int { state.withLock { $0.waitingCount } }

    /// Waits until fewer requests are running, and sends the request.
    ///
    /// - Throws: The errors of the inner interceptors and the transport; `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let places = Self.places.filter(\.isValid)
        let hasPlace = places.contains { $0.limit == ObjectIdentifier(self) }
        guard !hasPlace, !ServiceLimitPass.isExempt else { return try await next(request) }
        try await waitForPlace(request.priority)
        let place = ServiceLimitPass(ObjectIdentifier(self))
        defer {
            place.end()
            startNext()
        }
        return try await Self.$places.withValue(places + [place]) {
            try await next(request)
        }
    }

    /// Throws `CancellationError` if the task is cancelled while it waits.
    func waitForPlace(_ priority: ServicePriority) async throws {
        let wait = state.withLock { state -> ServiceWait<Void>? in
            guard state.free == 0 else {
                state.free -= 1
                return nil
            }
            let wait = ServiceWait<Void>()
            state.queues[priority.place].append(wait)
            state.waitingCount += 1
            return wait
        }
        guard let wait else { return }
        defer { state.withLock { $0.waitingCount -= 1 } }
        do {
            try await wait.wait()
        } catch {
            removeCancelledWaits()
            throw error
        }
    }

    /// Removes the cancelled waits from the queues, once they are about as many as the others: so it takes constant time
    /// on average.
    private func removeCancelledWaits() {
        state.withLock { state in
            state.cancelledCount += 1
            guard state.cancelledCount > state.waitingCount + 100 else { return }
            state.queues = state.queues.map { queue in queue.filter { !$0.hasEnded }[...] }
            state.cancelledCount = 0
        }
    }

    /// Gives the place to the next request that isn't cancelled.
    func startNext() {
        while let next = takeNext(), !next.end(with: .success(())) {}
    }

    private func takeNext() -> ServiceWait<Void>? {
        state.withLock { state in
            for place in state.queues.indices {
                guard let next = state.queues[place].popFirst() else {
                    // Frees the removed waits, which the slice still holds.
                    state.queues[place] = []
                    continue
                }
                return next
            }
            state.free += 1
            return nil
        }
    }
}

/// Which requests a ``ServiceConcurrencyLimit`` starts first.
public nonisolated enum ServicePriority: Sendable {
    /// Low: starts after all others, for example for prefetching. High: starts before all others,
    /// for example for content that the user is waiting for.
    case low, normal, high

    /// The place of its queue.
    fileprivate var place: Int {
        switch self {
        case .high: 0
        case .normal: 1
        case .low: 2
        }
    }
}

nonisolated extension ServiceRequest {
    private enum Priority: ServiceRequestOption {
        static var defaultValue: ServicePriority { .normal }
    }

    /// The priority of the request in a ``ServiceConcurrencyLimit``. Default: ``ServicePriority/normal``.
    public var priority: ServicePriority {
        get { self[Priority.self] }
        set { self[Priority.self] = newValue }
    }
}
