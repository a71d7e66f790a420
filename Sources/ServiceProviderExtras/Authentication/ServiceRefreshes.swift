// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Refreshes that several callers share: one task for each token that is replaced.
///
/// The first caller for a token starts its task. Callers that come while the task runs wait for it too,
/// and all of them get its outcome. Cancelling a caller ends its wait immediately, and doesn't affect
/// the others.
nonisolated final class ServiceRefreshes: Sendable {
    private struct Refresh {
        /// Distinguishes the task from an earlier one for the same token.
        let id = UUID()
        /// The generation of the token that is replaced.
        let generation: UUID
        var task: Task<Void, Never>?
        var callers: [ServiceWait<Void>]
    }

    /// The refreshes that refreshes wait for, by their IDs, of all authenticators.
    private static let waits = ServiceLocked<[UUID: [UUID]]>([:])

    /// The refreshes that the current task is part of.
    @TaskLocal private static var current: [UUID] = []

    /// Rarely more than one.
    private let running = ServiceLocked<[Refresh]>([])

    /// Whether the current task is part of this refresh, and would wait for itself.
    func isCurrentTaskPart(of generation: UUID) -> Bool {
        let id = running.withLock { $0.first { $0.generation == generation }?.id }
        return id.map(Self.current.contains) ?? false
    }

    /// Waits for a refresh, and starts it if it isn't running.
    ///
    /// - Parameter work: The work of a new task. It sees the task-local values of this caller.
    /// - Throws: The error of the task; `CancellationError` if the caller is cancelled; `ServiceRefreshCycle` if the
    ///   refresh waits for one that the current task is part of.
    func wait(
        for generation: UUID, _ work: @escaping @concurrent @Sendable () async throws -> Void
    ) async throws {
        try Task.checkCancellation()
        // Not the value of a task: cancelling a caller wouldn't end its wait.
        let caller = ServiceWait<Void>()
        let id = try running.withLock { running in
            guard let place = running.firstIndex(where: { $0.generation == generation }) else {
                let new = start(generation, work, for: caller)
                running.append(new)
                try Self.noteWait(for: new.id)
                return new.id
            }
            try Self.noteWait(for: running[place].id)
            running[place].callers.append(caller)
            return running[place].id
        }
        defer { Self.forgetWait(for: id) }
        try await caller.wait()
    }

    /// Notes that the refreshes of the current task wait for another one, unless that one waits for them.
    private static func noteWait(for id: UUID) throws {
        try waits.withLock { waits in
            var reached = [id]
            // A refresh isn't added twice, so this ends.
            var next = 0
            while next < reached.count {
                reached += waits[reached[next], default: []].filter { !reached.contains($0) }
                next += 1
            }
            guard !current.contains(where: reached.contains) else { throw ServiceRefreshCycle() }
            for waiting in current {
                waits[waiting, default: []].append(id)
            }
        }
    }

    private static func forgetWait(for id: UUID) {
        waits.withLock { waits in
            for waiting in current {
                guard let place = waits[waiting]?.firstIndex(of: id) else { continue }
                waits[waiting]?.remove(at: place)
                if waits[waiting]?.isEmpty == true {
                    waits[waiting] = nil
                }
            }
        }
    }

    /// Starts a task that isn't a child of the current one, and isn't cancelled with it.
    private func start(
        _ generation: UUID, _ work: @escaping @concurrent @Sendable () async throws -> Void,
        for caller: ServiceWait<Void>
    ) -> Refresh {
        var new = Refresh(generation: generation, callers: [caller])
        // Urgent, because urgent callers may join it later.
        new.task = Task(priority: .userInitiated) { [id = new.id] in
            let ids = Self.current + [id]
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
        _ generation: UUID, _ id: UUID? = nil, with outcome: Result<Void, any Error>
    ) {
        let ended = running.withLock { running -> Refresh? in
            let place = running.firstIndex { $0.generation == generation }
            guard let place, id == nil || id == running[place].id else { return nil }
            return running.remove(at: place)
        }
        // Not under the lock, because this runs other code.
        ended?.task?.cancel()
        for caller in ended?.callers ?? [] {
            caller.end(with: outcome)
        }
    }
}

/// Refreshes need each other's tokens, and would wait for ever.
private nonisolated struct ServiceRefreshCycle: LocalizedError {
    var errorDescription: String? { "The refreshes of several authenticators wait for each other." }
}
