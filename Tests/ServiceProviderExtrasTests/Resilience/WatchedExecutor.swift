// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import TestSupport

/// Runs tasks, and reports when all of them are suspended or done.
///
/// A caller that has joined another caller's request is suspended. Nothing else shows that it has
/// joined.
@available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
final class WatchedExecutor: TaskExecutor {
    private struct State {
        var jobs = 0
        var watchers: [CheckedContinuation<Void, Never>] = []
    }

    private let queue = DispatchQueue(label: "WatchedExecutor")
    private let state = Locked(State())

    func enqueue(_ job: consuming ExecutorJob) {
        let job = UnownedJob(job)
        state { $0.jobs += 1 }
        queue.async { [self] in
            job.runSynchronously(on: asUnownedTaskExecutor())
            let watchers = state { state in
                state.jobs -= 1
                guard state.jobs == 0 else { return [CheckedContinuation<Void, Never>]() }
                defer { state.watchers = [] }
                return state.watchers
            }
            for watcher in watchers { watcher.resume() }
        }
    }

    /// Returns when no task on this executor is running or waiting to run.
    func idle() async {
        await withCheckedContinuation { continuation in
            let isIdle = state { state in
                if state.jobs > 0 { state.watchers.append(continuation) }
                return state.jobs == 0
            }
            if isIdle { continuation.resume() }
        }
    }
}
