// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Refreshes that several callers share: one task for each token that is replaced.
///
/// The first caller for a token starts its task. Callers that come while the task runs wait for it too,
/// and all of them get its outcome. Cancelling a caller ends its wait immediately, and doesn't affect
/// the others.
nonisolated final class ServiceRefreshes: Sendable {
    private struct Running {
        /// Distinguishes the task from an earlier one for the same token.
        let id = UUID()
        var task: Task<Void, Never>?
        var callers: [UUID: AsyncThrowingStream<Void, any Error>.Continuation] = [:]
    }

    /// The refreshes that the current task is part of.
    @TaskLocal private static var current: Set<UUID> = []

    /// By the generation of the token that is replaced.
    private let running = ServiceLocked<[UUID: Running]>([:])

    /// Whether the current task is part of this refresh, and would wait for itself.
    func isCurrentTaskPart(of generation: UUID) -> Bool {
        let id = running.withLock { $0[generation]?.id }
        return id.map(Self.current.contains) ?? false
    }

    /// Waits for a refresh, and starts it if it isn't running.
    ///
    /// - Parameter work: The work of a new task. It sees the task-local values of this caller.
    /// - Throws: The error of the task; `CancellationError` if the caller is cancelled.
    func wait(
        for generation: UUID, _ work: @escaping @concurrent @Sendable () async throws -> Void
    ) async throws {
        try Task.checkCancellation()
        // Not the value of a task: cancelling a caller wouldn't end its wait.
        let wait = AsyncThrowingStream<Void, any Error>.makeStream()
        let caller = UUID()
        running.withLock { running in
            running[generation, default: start(generation, work)].callers[caller] =
                wait.continuation
        }
        for try await _ in wait.stream {
            return
        }
        // Without a value, the stream ends only if the caller is cancelled.
        running.withLock { running in
            _ = running[generation]?.callers.removeValue(forKey: caller)
        }
        throw CancellationError()
    }

    /// Starts a task that isn't a child of the current one, and isn't cancelled with it.
    private func start(
        _ generation: UUID, _ work: @escaping @concurrent @Sendable () async throws -> Void
    ) -> Running {
        var new = Running()
        new.task = Task { [id = new.id] in
            let ids = Self.current.union([id])
            do {
                try await Self.$current.withValue(ids, operation: work)
                end(generation, id, with: .success(()))
            } catch {
                end(generation, id, with: .failure(error))
            }
        }
        return new
    }

    /// Cancels a refresh, if it is running, and gives its callers an outcome.
    ///
    /// - Parameter id: The task to end. Default: any.
    func end(
        _ generation: UUID, _ id: UUID? = nil, with outcome: Swift.Result<Void, any Error>
    ) {
        let ended = running.withLock { running -> Running? in
            guard id == nil || id == running[generation]?.id else { return nil }
            return running.removeValue(forKey: generation)
        }
        // Not under the lock, because this runs other code.
        ended?.task?.cancel()
        for caller in (ended?.callers ?? [:]).values {
            caller.yield(with: outcome)
        }
    }
}
