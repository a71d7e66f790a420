// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// What the threads of one server share: the script, the record, and who is still running.
final class LoopbackState: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that every `var` is used under `condition` only.
    private let condition = NSCondition()
    private var answers: ArraySlice<LoopbackAnswer> = []
    private var recorded: [LoopbackRequest] = []
    private var takenCount = 0
    private var acceptedCount = 0
    private var threads: Set<ObjectIdentifier> = []
    private var isStopping = false

    let bodyLimit: Int
    private let handler: @Sendable (LoopbackRequest) -> LoopbackAnswer
    private let wakePipe: WakePipe

    init(
        bodyLimit: Int, wakePipe: WakePipe,
        handler: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) {
        self.bodyLimit = max(0, bodyLimit)
        self.wakePipe = wakePipe
        self.handler = handler
    }

    var requests: [LoopbackRequest] { condition.withLock { recorded } }

    var connectionCount: Int { condition.withLock { acceptedCount } }

    /// Counts a connection, and tells its index.
    func countConnection() -> Int {
        condition.withLock {
            defer { acceptedCount += 1 }
            return acceptedCount
        }
    }

    func enqueue(_ more: [LoopbackAnswer]) { condition.withLock { answers += more } }

    func answer(to request: LoopbackRequest) -> LoopbackAnswer {
        condition.withLock { answers.popFirst() } ?? handler(request)
    }

    func record(_ request: LoopbackRequest) {
        condition.withLock {
            recorded.append(request)
            condition.broadcast()
        }
    }

    func nextRequest(timeout: TimeInterval) -> LoopbackRequest? {
        // A date further off than this overflows inside Foundation on Linux.
        let deadline = Date(timeIntervalSinceNow: timeout > 0 ? min(timeout, 1_000_000) : 0)
        return condition.withLock {
            while takenCount == recorded.count {
                guard !isStopping, condition.wait(until: deadline) else { return nil }
            }
            takenCount += 1
            return recorded[takenCount - 1]
        }
    }

    func startThread(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread {
            work()
            self.endThread()
        }
        thread.name = "LoopbackServer"
        thread.stackSize = 512 << 10
        condition.withLock { _ = threads.insert(ObjectIdentifier(thread)) }
        thread.start()
    }

    private func endThread() {
        condition.withLock {
            threads.remove(ObjectIdentifier(Thread.current))
            // The accepting thread runs until the stop, so the set is not empty before it.
            if threads.isEmpty { wakePipe.closeBoth() }
            condition.broadcast()
        }
    }

    func stop() {
        condition.withLock {
            if !isStopping { wakePipe.wake() }
            isStopping = true
            condition.broadcast()
            // A handler that stops its own server must not wait for itself to end.
            guard !threads.contains(ObjectIdentifier(Thread.current)) else { return }
            while !threads.isEmpty { condition.wait() }
        }
    }
}
