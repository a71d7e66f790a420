// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import TestSupport

/// The body of an upload. It waits for its next piece, and announces it to the transport as the plan says.
final class StormStream: InputStream {
    private struct State {
        var bytes = Data()
        var isComplete = false
        /// Whether the transport has found no bytes.
        var isWaiting = false
        var isOpen = false
        /// Whether the call has ended.
        var isOver = false
        /// The number of the next piece.
        var next = 0
        var report: (() -> Void)?
    }

    private let plan: UploadPlan
    private let cancel: @Sendable () -> Void
    private let state = Locked(State())

    /// - Parameter cancel: Called after the piece after which the plan cancels the call.
    init(_ plan: UploadPlan, cancel: @escaping @Sendable () -> Void) {
        self.plan = plan
        self.cancel = cancel
        super.init(data: Data())
    }

    /// Adds all pieces, on the caller's thread. Returns when the call needs no more.
    func run() {
        var random = SeededGenerator(state: plan.seed)
        while plan.telling != .withinRead, addNext() {
            switch plan.telling {
            case .late:
                // As a run loop would. The transport may find the bytes before.
                if Bool.random(using: &random) {
                    Thread.sleep(forTimeInterval: .random(in: 0...0.002, using: &random))
                }
                tell()
            case .onAnotherThread:
                nonisolated(unsafe) let report = state { $0.report }
                DispatchQueue.global().async { report?() }
            case .atOnce, .withinRead:
                tell()
            }
            if Int.random(in: 0..<4, using: &random) > 0 {
                _ = state.wait { $0.isWaiting && $0.bytes.isEmpty || $0.isOver }
            }
        }
    }

    /// Call this when the call has ended.
    func stop() { state { $0.isOver = true } }

    /// Adds the next piece, or the end after the last one. Returns false if nothing is left to add.
    private func addNext() -> Bool {
        let piece: Int? = state { state in
            let isLast = state.next == plan.pieces.count
            guard !state.isOver, !state.isComplete, !isLast || plan.isEnding else { return nil }
            if isLast {
                state.isComplete = true
            } else {
                state.bytes += plan.pieces[state.next]
            }
            state.next += 1
            return state.next - 1
        }
        guard let piece else { return false }
        if piece == plan.cancelled { cancel() }
        return true
    }

    private func tell() { state { $0.report }?() }

    override var hasBytesAvailable: Bool { true }

    override var streamStatus: Stream.Status {
        state { $0.isOpen ? ($0.isWaiting ? .reading : .open) : .notOpen }
    }

    override func open() { state { $0.isOpen = true } }

    override var delegate: (any StreamDelegate)? {
        get { nil }
        set {
            let report = { [weak self, weak newValue] in
                guard let self else { return }
                newValue?.stream(self, handle: .hasBytesAvailable)
            }
            state { $0.report = report }
        }
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength limit: Int) -> Int {
        let count: Int = state { state in
            state.isWaiting = state.bytes.isEmpty && !state.isComplete
            if state.isWaiting { return -1 }
            let count = state.bytes.copyBytes(
                to: UnsafeMutableBufferPointer(start: buffer, count: limit))
            state.bytes = Data(state.bytes.dropFirst(count))
            return count
        }
        // The next piece comes before the transport knows that it has to wait.
        if count < 0, plan.telling == .withinRead, addNext() { tell() }
        return count
    }
}
#endif
