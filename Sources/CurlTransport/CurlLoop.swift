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
        /// The stream of an upload may have bytes.
        case resumeUpload(CurlTransfer)
        /// The sink can take more, or the next turn has come.
        case resumeDownload(CurlTransfer)
        /// Accept no new transfers, and end those that are left at this time.
        case drain(UInt64, UnsafeContinuation<Void, Never>?)
    }

    let library: CurlLibrary
    let configuration: CurlTransport.Configuration
    let buffers = CurlBuffers()
    private let poll: CurlPoll

    private struct Inbox {
        var commands: [Command] = []
        var isStopping = false
        /// Whether the thread is waiting and must be woken for a command.
        var isAsleep = false
        /// Whether the thread is ending and takes no more commands.
        var isOver = false
        /// The numbers after the last turn.
        var statistics = CurlTransport.Statistics()
    }

    let lock = NSLock()
    /// Used only under the lock.
    private var inbox = Inbox()

    /// Held during a turn.
    private let turnLock = NSLock()
    /// Used only in a turn.
    let multi: CurlMulti
    /// The callers that another thread resumes.
    private let resumptions = DispatchGroup()
    /// The time at which the loop's thread wakes up, in nanoseconds. Used only in a turn.
    private var wakeUp: UInt64 = .max

    init(_ library: CurlLibrary, _ configuration: CurlTransport.Configuration)
        throws(CurlUnavailable)
    {
        guard let poll = CurlPoll() else {
            throw CurlUnavailable(reason: "the process has too many open files")
        }
        multi = try CurlMulti(library, configuration, poll)
        self.library = library
        self.configuration = configuration
        self.poll = poll
        try startThread()
    }

    /// `Thread` doesn't say whether the system has created one.
    private func startThread() throws(CurlUnavailable) {
        let argument = Unmanaged.passRetained(self)
        let code = ccurl_start_thread(
            { argument in
                guard let argument else { return nil }
                Unmanaged<CurlLoop>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, argument.toOpaque())
        guard code == 0 else {
            argument.release()
            multi.closeAll()
            throw CurlUnavailable(reason: "the system has no thread left")
        }
    }

    // MARK: - Called from any thread

    /// Starts a transfer: in a turn of this thread if no transfer runs, otherwise on the loop's thread.
    func start(_ transfer: CurlTransfer) {
        // A sink or a stream could block the caller's thread.
        let isSimple = transfer.builder == nil && !transfer.upload.isStreamed
        guard isSimple, turnLock.try() else { return post(.start(transfer)) }
        guard multi.isIdle else {
            turnLock.unlock()
            return post(.start(transfer))
        }
        var mask = sigset_t()
        ccurl_enter_from_caller(&mask)
        let ended = multi.run([.start(transfer)])
        ccurl_leave_to_caller(&mask)
        publishStatistics()
        if multi.next < wakeUp { poll.ring() }
        // In the turn, so that a drain in a later one waits for the callers.
        resumptions.enter()
        turnLock.unlock()
        complete(ended)
        resumptions.leave()
    }

    /// Call this in a turn, before the callers of ended transfers are resumed.
    private func publishStatistics() {
        let statistics = multi.statistics
        lock.withLock { inbox.statistics = statistics }
    }

    /// The numbers after the last turn.
    var statistics: CurlTransport.Statistics { lock.withLock { inbox.statistics } }

    /// Resumes the callers of the calls and drains that have ended.
    private func complete(_ ended: CurlMulti.Ended) {
        if ended.calls.count > 1 {
            // A resumed caller wakes a thread, which can take this thread's processor each time. A thread
            // that is awake resumes all of them with one wake-up, if it is one of the threads that run the callers.
            let isUrgent = ended.calls[0].transfer.priority >= .userInitiated
            let queue = DispatchQueue.global(qos: isUrgent ? .userInitiated : .default)
            queue.async(group: resumptions) { Self.resume(ended.calls) }
        } else {
            Self.resume(ended.calls)
        }
        guard !ended.drains.isEmpty else { return }
        // Those of earlier turns, too: a process may end after a drain.
        resumptions.notify(queue: .global()) {
            for drain in ended.drains {
                drain.resume()
            }
        }
    }

    private static func resume(_ calls: [CurlMulti.Ended.Call]) {
        for call in calls {
            call.transfer.complete(call.error, call.metrics)
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
        while let milliseconds = turnLock.withLock(timeToWait) {
            let events = poll.wait(milliseconds)
            let ended = turnLock.withLock {
                lock.withLock {
                    inbox.isAsleep = false
                    swap(&commands, &inbox.commands)
                }
                // Blocks while the process ends, because libcurl's libraries are then torn down.
                ccurl_enter()
                defer { ccurl_leave() }
                defer { publishStatistics() }
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
