// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Bytes that wait to be sent. A task adds them, and the transfer reads them on another thread without waiting.
nonisolated final class ServiceBodyBuffer: Sendable {
    /// The most bytes that wait.
    private static let capacity = 1 << 16

    private struct State {
        var bytes: [UInt8] = []
        /// How many of them have been read.
        var start = 0
        var isEnded = false
        var isClosed = false
        var failure: (any Error)?
        /// The error that the reader has seen.
        var reported: (any Error)?
        /// Whether the last read found no bytes.
        var isWaiting = false
        /// Whether the reader must be called when there is something to read.
        var isCallDue = false
        /// Calls the reader.
        var wake: (() -> Void)?
        /// The task that waits for room.
        var writer: CheckedContinuation<Void, Never>?

        var room: Int { capacity - (bytes.count - start) }
        var isOver: Bool { isEnded || isClosed }

        /// The reader's call, once after each read that found no bytes.
        mutating func takeCall() -> (() -> Void)? {
            guard isCallDue else { return nil }
            isCallDue = false
            return wake
        }

        mutating func append(_ more: Data) {
            // Rarely, and at most half of the bytes move: elements and reads can be small.
            if start >= bytes.count / 2 {
                bytes.removeFirst(start)
                start = 0
            }
            bytes += more
        }

        mutating func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
            let count = min(buffer.count, bytes.count - start)
            guard count > 0 else { return 0 }
            bytes.withUnsafeBytes { bytes in
                let part = UnsafeRawBufferPointer(rebasing: bytes[start..<start + count])
                UnsafeMutableRawBufferPointer(buffer).copyMemory(from: part)
            }
            start += count
            // An upload that waits needs no memory.
            if start == bytes.count {
                bytes = []
                start = 0
            }
            return count
        }
    }

    private let state = ServiceLocked(State())

    // MARK: - For the task

    /// Waits for room. Returns false if the transfer has ended.
    func hasRoom() async -> Bool {
        await withCheckedContinuation { continuation in
            let mustWait = state.withLock { state in
                guard state.room <= 0, !state.isClosed else { return false }
                state.writer = continuation
                return true
            }
            if !mustWait { continuation.resume() }
        }
        return !state.withLock(\.isClosed)
    }

    /// Adds bytes as soon as there is room for them, a part at a time.
    func append(_ bytes: Data) async {
        var rest = bytes[...]
        while !rest.isEmpty, await hasRoom() {
            let (count, wake) = state.withLock { state -> (Int, (() -> Void)?) in
                guard !state.isClosed else { return (rest.count, nil) }
                let part = rest.prefix(state.room)
                state.append(part)
                return (part.count, state.takeCall())
            }
            rest = rest.dropFirst(count)
            wake?()
        }
    }

    /// Ends the body. Returns whether the transfer still needs to know.
    @discardableResult func end(_ failure: (any Error)?) -> Bool {
        let (isNews, wake) = state.withLock { state in
            let isNews = !state.isOver
            state.isEnded = true
            if isNews { state.failure = failure }
            return (isNews, state.takeCall())
        }
        wake?()
        return isNews
    }

    // MARK: - For the transfer

    /// The error that a read has met.
    var failure: (any Error)? { state.withLock(\.reported) }
    var isClosed: Bool { state.withLock(\.isClosed) }
    /// Whether the last read found no bytes, although the body hasn't ended.
    var isWaiting: Bool { state.withLock(\.isWaiting) }

    /// Sets what to call, on any thread, when bytes have arrived or the body has ended. Only after a read that found
    /// no bytes.
    func onNews(_ wake: @escaping () -> Void) { state.withLock { $0.wake = wake } }

    /// Reads bytes. Returns 0 at the end of the body, and -1 if it has no bytes yet, has failed, or was closed.
    func read(into buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        let (count, writer) = state.withLock { state -> (Int, CheckedContinuation<Void, Never>?) in
            state.isWaiting = false
            guard !state.isClosed else { return (-1, nil) }
            let count = state.read(into: buffer)
            guard count == 0 else { return (count, state.writer.take()) }
            guard state.isEnded else {
                state.isWaiting = true
                state.isCallDue = true
                return (-1, nil)
            }
            state.reported = state.failure
            return (state.failure == nil ? 0 : -1, nil)
        }
        writer?.resume()
        return count
    }

    /// Drops the bytes, and lets the task end.
    func close() {
        let writer = state.withLock { state in
            state.isClosed = true
            state.isWaiting = false
            state.bytes = []
            state.start = 0
            state.wake = nil
            return state.writer.take()
        }
        writer?.resume()
    }
}
