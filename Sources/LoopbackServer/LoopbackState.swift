// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The state that a server's threads share: queued responses, recorded requests, running threads.
final class LoopbackState: @unchecked Sendable {
    // Unchecked, because the compiler can't see that every `var` is used only under `condition`.
    private let condition = NSCondition()
    private var responses: ArraySlice<LoopbackResponse> = []
    private var recorded: [LoopbackRequest] = []
    private var untaken: ArraySlice<LoopbackRequest> = []
    private var acceptedCount = 0
    private var threads: Set<Thread> = []
    private var isStopping = false
    let listener: LoopbackListener

    init(_ listener: LoopbackListener) { self.listener = listener }

    var requests: [LoopbackRequest] { condition.withLock { recorded } }

    var connectionCount: Int { condition.withLock { acceptedCount } }

    func countConnection() { condition.withLock { acceptedCount += 1 } }

    func enqueue(_ more: [LoopbackResponse]) { condition.withLock { responses += more } }

    /// Records a request. If it's complete, takes its response from the queue under the same lock, so that requests
    /// get the responses in the order in which they are recorded.
    @discardableResult func record(_ request: LoopbackRequest) -> LoopbackResponse? {
        condition.withLock {
            recorded.append(request)
            untaken.append(request)
            condition.broadcast()
            return request.isComplete ? responses.popFirst() : nil
        }
    }

    func nextRequest(timeout: TimeInterval) -> LoopbackRequest? {
        // A later date overflows inside Foundation on Linux.
        let deadline = Date(timeIntervalSinceNow: max(0, min(timeout, 1_000_000)))
        return condition.withLock {
            while untaken.isEmpty, !isStopping, condition.wait(until: deadline) {}
            return untaken.popFirst()
        }
    }

    func startThread(_ work: @escaping @Sendable () -> Void) {
        let thread = Thread {
            work()
            self.condition.withLock {
                self.threads.remove(.current)
                // The accepting thread runs until the stop, so the set can't be empty before.
                if self.threads.isEmpty {
                    self.listener.closeAll()
                }
                self.condition.broadcast()
            }
        }
        thread.stackSize = 512 << 10
        condition.withLock {
            threads.insert(thread)
            thread.start()
        }
    }

    func stop() {
        condition.withLock {
            if !isStopping {
                listener.wakeAll()
            }
            isStopping = true
            condition.broadcast()
            // A handler that stops its own server must not wait for itself to end.
            while !threads.isEmpty, !threads.contains(.current) {
                condition.wait()
            }
        }
    }
}
