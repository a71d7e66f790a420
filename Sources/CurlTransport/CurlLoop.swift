// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CCurl

/// Runs transfers in turns: one thread at a time does the work of ``CurlMulti`` that is due.
///
/// The loop's own thread waits for events of sockets, and for commands from other threads. While no
/// transfer runs, a caller's thread takes a turn to start its transfer, because waking the loop's
/// thread takes longer.
final class CurlLoop: @unchecked Sendable {
    enum Command {
        case start(CurlTransfer)
        case cancel(CurlTransfer)
        case resume(CurlTransfer)
    }

    let library: CurlLibrary
    let limits: CurlTransport.Configuration
    let buffers = CurlBuffers()
    private let poll: CurlPoll

    private struct Inbox {
        var commands: [Command] = []
        var isStopping = false
        /// Whether the thread is waiting and must be woken for a command.
        var isAsleep = false
        /// Whether the thread is ending and takes no more commands.
        var isOver = false
    }

    let lock = NSLock()
    /// Used only under the lock.
    private var inbox = Inbox()

    /// Held during a turn.
    private let turn = NSLock()
    /// Used only in a turn.
    let multi: CurlMulti
    /// The time at which the loop's thread wakes up, in nanoseconds. Used only in a turn.
    private var wakeUp: UInt64 = .max

    init(_ library: CurlLibrary, _ limits: CurlTransport.Configuration) throws(CurlUnavailable) {
        guard let poll = CurlPoll() else {
            throw CurlUnavailable(reason: "the process has too many open files")
        }
        guard let multi = CurlMulti(library, limits, poll) else {
            throw CurlUnavailable(reason: "there isn't enough memory")
        }
        self.library = library
        self.limits = limits
        self.poll = poll
        self.multi = multi
        Thread { self.run() }.start()
    }

    // MARK: - Called from any thread

    /// Starts a transfer: in a turn of this thread if no transfer runs, otherwise on the loop's thread.
    func start(_ transfer: CurlTransfer) {
        // A sink or a stream could block the caller's thread.
        let isSimple = transfer.builder == nil && !transfer.isStreamed
        guard isSimple, turn.try() else { return post(.start(transfer)) }
        guard multi.isIdle else {
            turn.unlock()
            return post(.start(transfer))
        }
        var mask = sigset_t()
        ccurl_enter_from_caller(&mask)
        let ended = multi.run([.start(transfer)])
        ccurl_leave_to_caller(&mask)
        if multi.next < wakeUp { poll.ring() }
        turn.unlock()
        complete(ended)
    }

    /// Resumes the callers of transfers that have ended.
    private func complete(_ ended: CurlMulti.Ended) {
        // A resumed caller wakes a thread, which can take this thread's processor each time. A thread
        // that is awake resumes all of them with one wake-up.
        if ended.count > 1 {
            DispatchQueue.global().async { Self.resume(ended) }
        } else {
            Self.resume(ended)
        }
    }

    private static func resume(_ ended: CurlMulti.Ended) {
        for (transfer, error) in ended {
            transfer.complete(error)
        }
    }

    func post(_ command: Command) {
        let isAsleep = lock.withLock {
            guard !inbox.isOver else { return false }
            inbox.commands.append(command)
            let isAsleep = inbox.isAsleep
            inbox.isAsleep = false
            return isAsleep
        }
        // Ring outside the lock, because the loop takes the lock as soon as it is awake.
        if isAsleep { poll.ring() }
    }

    /// Shows ThreadSanitizer that the loop's writes come before the caller's reads. The loop calls
    /// this before resuming a caller, which calls it afterwards.
    ///
    /// Swift 6.3 itself doesn't show it for a continuation that is resumed before it is awaited.
    func synchronize() {
        if ccurl_has_thread_sanitizer { lock.withLock {} }
    }

    /// Ends the thread once all transfers have ended.
    func stop() {
        lock.withLock { inbox.isStopping = true }
        poll.ring()
    }

    // MARK: - Called on the loop's thread

    private func run() {
        ccurl_begin_thread()
        var commands: [Command] = []
        while let milliseconds = turn.withLock(timeToWait) {
            let events = poll.wait(milliseconds)
            let ended = turn.withLock {
                lock.withLock {
                    inbox.isAsleep = false
                    swap(&commands, &inbox.commands)
                }
                // Blocks while the process ends, because libcurl's libraries are then torn down.
                ccurl_enter()
                defer { ccurl_leave() }
                return multi.run(commands, events)
            }
            commands.removeAll(keepingCapacity: true)
            complete(ended)
        }
        multi.closeAll()
    }

    /// Returns how many milliseconds to wait for events, or nil if the thread must end.
    private func timeToWait() -> Int32? {
        lock.withLock {
            inbox.isOver = inbox.isStopping && inbox.commands.isEmpty && multi.isIdle
            guard !inbox.isOver else { return nil }
            inbox.isAsleep = inbox.commands.isEmpty && !multi.canStart
            guard inbox.isAsleep else { return 0 }
            let now = CurlMulti.time()
            // Never later than planned: most turns would move it by only a few microseconds.
            let next = min(multi.next, wakeUp > now ? wakeUp : .max)
            let left = min(next - min(next, now), 600_000_000_000)
            wakeUp = now + left
            return Int32((left + 999_999) / 1_000_000)
        }
    }
}
#endif
