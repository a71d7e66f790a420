// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The wait of one task for a value, which ends once. The folders Authentication, Limits and Resilience use it.
nonisolated final class ServiceWait<Value: Sendable>: Sendable {
    private struct State {
        var continuation: CheckedContinuation<Value, any Error>?
        var outcome: Result<Value, any Error>?
    }

    private let state = ServiceLocked(State())

    /// Waits for the end, which may have come already.
    ///
    /// - Throws: The error of the end; `CancellationError` if the task is cancelled before.
    func wait() async throws -> Value {
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let outcome = state.withLock { state in
                    state.continuation = continuation
                    return state.outcome
                }
                if let outcome {
                    continuation.resume(with: outcome)
                }
            }
        } onCancel: {
            end(with: .failure(CancellationError()))
        }
    }

    var hasEnded: Bool { state.withLock { $0.outcome != nil } }

    /// Ends the wait. Returns false if it has ended before.
    @discardableResult func end(with outcome: Result<Value, any Error>) -> Bool {
        var continuation: CheckedContinuation<Value, any Error>?
        let isFirst = state.withLock { state in
            guard state.outcome == nil else { return false }
            state.outcome = outcome
            continuation = state.continuation.take()
            return true
        }
        continuation?.resume(with: outcome)
        return isFirst
    }
}
