// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

public struct TookTooLong: Error {
    public init() {}
}

/// A watchdog for work that, should it freeze, would keep the tests from ending.
///
/// A second counts when one has passed and a task that was queued in it has had its turn: on a busy
/// machine, where the work waits for its own turns, they are longer. When no task gets a turn at all,
/// so that not even the failure can be told, the process ends.
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

/// By a timer of Dispatch, since a freeze may take the threads of Swift's tasks with it.
private func countTurns(
    _ left: Int, until isOver: Locked<Bool>, _ end: @escaping @Sendable () -> Void
) {
    if isOver({ $0 }) { return }
    if left == 0 { end() }
    let hadTurn = Locked(false)
    DispatchQueue.global().asyncAfter(deadline: .now() + 1) {
        Task {
            hadTurn { $0 = true }
            countTurns(left - 1, until: isOver, end)
        }
    }
    DispatchQueue.global().asyncAfter(deadline: .now() + 300) {
        if !hadTurn({ $0 }), !isOver({ $0 }) { fatalError("Frozen: no task has run for minutes.") }
    }
}

/// How long something took, in seconds.
public func duration(of work: () async throws -> Void) async rethrows -> TimeInterval {
    let start = ProcessInfo.processInfo.systemUptime
    try await work()
    return ProcessInfo.processInfo.systemUptime - start
}
