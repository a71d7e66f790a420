// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

public struct TookTooLong: Error {
    public init() {}
}

/// Runs work under a watchdog, so that a freeze can't keep the tests from ending.
///
/// A second counts only when it has passed and a task queued after it has run. On a busy machine,
/// where the work itself waits for its turn, the limit is therefore longer.
public func within<Value: Sendable>(
    seconds: Int, _ work: @escaping @Sendable () async throws -> Value
) async throws -> Value {
    let isOver = Locked(false)
    defer { isOver { $0 = true } }
    return try await withCheckedThrowingContinuation { continuation in
        let waiting = Locked<CheckedContinuation<Value, any Error>?>(continuation)
        let end = { @Sendable (result: Result<Value, any Error>) in
            let first = waiting { waiting in
                defer { waiting = nil }
                return waiting
            }
            first?.resume(with: result)
        }
        let task = Task {
            do { end(.success(try await work())) } catch { end(.failure(error)) }
        }
        countTurns(seconds, until: isOver) {
            end(.failure(TookTooLong()))
            task.cancel()
        }
    }
}

/// Uses a timer of Dispatch, because a freeze may block the threads of Swift's tasks.
private func countTurns(
    _ left: Int, until isOver: Locked<Bool>, _ end: @escaping @Sendable () -> Void
) {
    if isOver({ $0 }) { return }
    if left == 0 { end() }
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
        Task { countTurns(left - 1, until: isOver, end) }
    }
}

/// Returns how long the work took, in seconds.
public func duration(of work: () async throws -> Void) async rethrows -> TimeInterval {
    let start = ProcessInfo.processInfo.systemUptime
    try await work()
    return ProcessInfo.processInfo.systemUptime - start
}
