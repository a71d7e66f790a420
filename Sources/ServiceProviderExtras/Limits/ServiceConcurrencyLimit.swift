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
/// A request that an inner interceptor sends, or a task that it starts, doesn't wait: its call has a turn already, and
/// would wait for itself. The refresh of a ``ServiceAuthenticator`` doesn't wait either, because the calls that wait for
/// it may have all the turns.
public nonisolated final class ServiceConcurrencyLimit: ServiceInterceptor {
    private struct State {
        var free: Int
        /// One for each priority, the highest first. Slices, because removing their first element takes constant time.
        var queues: [ArraySlice<UUID>] = [[], [], []]
        /// Resumed with true to start a request, and with false to cancel it.
        var waiting: [UUID: CheckedContinuation<Bool, Never>] = [:]
    }

    private let state: ServiceLocked<State>
    private let id = UUID()

    /// Makes an instance. A limit below 1 counts as 1.
    public init(_ limit: Int) {
        state = ServiceLocked(State(free: max(limit, 1)))
    }

    /// How many requests are waiting.
    public var waitingCount: Int { state.withLock { $0.waiting.count } }

    /// Waits until fewer requests are running, and sends the request.
    ///
    /// - Throws: The errors of the inner interceptors and the transport; `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let turns = ServiceTurn.current
        guard !turns.contains(id), !turns.contains(nil) else { return try await next(request) }
        guard await waitForTurn(request.priority) else { throw CancellationError() }
        defer { startNext() }
        return try await ServiceTurn.$current.withValue(turns.union([id])) {
            try await next(request)
        }
    }

    /// Returns false if the task was cancelled while it waited.
    func waitForTurn(_ priority: ServicePriority) async -> Bool {
        let id = UUID()
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let isFree = state.withLock { state in
                    guard state.free == 0 else {
                        state.free -= 1
                        return true
                    }
                    state.waiting[id] = continuation
                    state.queues[priority.place].append(id)
                    return false
                }
                if isFree {
                    continuation.resume(returning: true)
                } else if Task.isCancelled {
                    // A cancellation before this didn't find the request.
                    cancel(id)
                }
            }
        } onCancel: {
            cancel(id)
        }
    }

    private func cancel(_ id: UUID) {
        state.withLock { $0.waiting.removeValue(forKey: id) }?.resume(returning: false)
    }

    /// Gives the turn to the next request.
    func startNext() {
        let next = state.withLock { state -> CheckedContinuation<Bool, Never>? in
            for place in state.queues.indices {
                // Cancelled requests are still in their queue.
                while let id = state.queues[place].popFirst() {
                    guard let waiting = state.waiting.removeValue(forKey: id) else { continue }
                    return waiting
                }
            }
            state.free += 1
            return nil
        }
        next?.resume(returning: true)
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
