// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Tasks that several callers share: one task for each key.
///
/// The first caller for a key starts its task. Callers that come while the task runs wait for it
/// too, and all of them get its outcome. Cancelling a caller ends its wait immediately, and doesn't
/// affect the others.
package nonisolated final class ServiceSharedTasks<Key: Hashable & Sendable, Value: Sendable>:
    Sendable
{
    private struct Running {
        /// Distinguishes the task from an earlier or later one with the same key.
        let id = UUID()
        var task: Task<Void, Never>?
        var callers: [UUID: AsyncThrowingStream<Value, any Error>.Continuation] = [:]
    }

    private let running = ServiceLocked<[Key: Running]>([:])
    private let stopsWithoutCallers: Bool

    /// - Parameter stopsWithoutCallers: Whether cancelling the last caller cancels the task.
    package init(stopsWithoutCallers: Bool) {
        self.stopsWithoutCallers = stopsWithoutCallers
    }

    /// Whether the current task is part of the task with this key, and would wait for itself.
    package func isCurrentTaskPart(of key: Key) -> Bool {
        let id = running.withLock { $0[key]?.id }
        return id.map(ServiceSharedTask.current.contains) ?? false
    }

    /// Starts a task that no caller waits for, unless the task with this key is running.
    package func startUnlessRunning(
        _ key: Key, _ work: @escaping @concurrent @Sendable () async throws -> Value
    ) {
        running.withLock { running in
            guard running[key] == nil else { return }
            running[key] = start(key, work)
        }
    }

    /// Waits for the task with this key, and starts it if it isn't running.
    ///
    /// - Parameter work: The work of a new task. It sees the task-local values of this caller.
    /// - Throws: The error of the task; `CancellationError` if the caller is cancelled.
    package func value(
        for key: Key, _ work: @escaping @concurrent @Sendable () async throws -> Value
    ) async throws -> Value {
        try Task.checkCancellation()
        // Not the value of a task: cancelling a caller wouldn't end its wait.
        let wait = AsyncThrowingStream<Value, any Error>.makeStream()
        let caller = UUID()
        running.withLock { running in
            running[key, default: start(key, work)].callers[caller] = wait.continuation
        }
        for try await value in wait.stream {
            return value
        }
        // Without a value, the stream ends only if the caller is cancelled.
        leave(key, caller)
        throw CancellationError()
    }

    /// Forgets a caller that was cancelled, and the task if no one waits for it.
    private func leave(_ key: Key, _ caller: UUID) {
        let unwanted = running.withLock { running -> Running? in
            guard running[key]?.callers.removeValue(forKey: caller) != nil else { return nil }
            guard stopsWithoutCallers, running[key]?.callers.isEmpty == true else { return nil }
            // Later callers start a new task, even if this one takes its time to stop.
            return running.removeValue(forKey: key)
        }
        unwanted?.task?.cancel()
    }

    /// Starts a task that isn't a child of the current one, and isn't cancelled with it.
    private func start(
        _ key: Key, _ work: @escaping @concurrent @Sendable () async throws -> Value
    ) -> Running {
        var new = Running()
        new.task = Task { [id = new.id] in
            let ids = ServiceSharedTask.current.union([id])
            do {
                let value = try await ServiceSharedTask.$current.withValue(ids, operation: work)
                end(key, id, with: .success(value))
            } catch {
                end(key, id, with: .failure(error))
            }
        }
        return new
    }

    /// Cancels the task with this key, if there is one, and gives its callers an outcome.
    ///
    /// - Parameter id: The task to end. Default: any.
    package func end(_ key: Key, _ id: UUID? = nil, with outcome: Swift.Result<Value, any Error>) {
        let ended = running.withLock { running -> Running? in
            guard id == nil || id == running[key]?.id else { return nil }
            return running.removeValue(forKey: key)
        }
        // Not under the lock, because this runs other code.
        ended?.task?.cancel()
        for caller in (ended?.callers ?? [:]).values {
            caller.yield(with: outcome)
        }
    }
}

private nonisolated enum ServiceSharedTask {
    /// The shared tasks that the current task is part of.
    @TaskLocal static var current: Set<UUID> = []
}
