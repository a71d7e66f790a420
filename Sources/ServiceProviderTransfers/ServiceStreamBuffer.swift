// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Holds chunks until a reader takes them, and readers until a chunk arrives.
nonisolated final class ServiceStreamBuffer: ServiceBodySink {
    struct State {
        var unread = Data()
        /// The end of the body, or an error; nil while more may come.
        var end: Result<Data?, ServiceError>?
        var transfer: ServiceTransferControl?
        var isPaused = false
        var readers: [CheckedContinuation<Result<Data?, ServiceError>, Never>] = []
    }

    private let state = ServiceLocked(State())

    /// Changes the state, then resumes readers and pauses or resumes the transfer.
    func update(_ change: (inout State) throws -> Void) rethrows {
        var resumptions: [() -> Void] = []
        // Not under the lock: cancelling a task takes the task's lock first, then this one.
        defer {
            for resume in resumptions {
                resume()
            }
        }
        try state.withLock { state in
            try change(&state)
            while let chunk = state.unread.isEmpty ? state.end : .success(state.unread),
                let reader = state.readers.first
            {
                state.unread = Data()
                state.readers.removeFirst()
                resumptions.append { reader.resume(returning: chunk) }
            }
            let isFull = state.unread.count > 1 << 20
            // Under the lock, so that the last call has the latest value.
            guard isFull != state.isPaused else { return }
            state.transfer?.pause?(isFull)
            state.isPaused = isFull
        }
    }

    var destination: ServiceBodyDestination { .stream }

    func didSend(_ sent: Int64) {}

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        try update { state in
            // Bytes of two responses would be mixed.
            guard state.transfer == nil, state.end == nil else {
                throw URLError(.resourceUnavailable, "A stream can have only one response.")
            }
            state.transfer = control
        }
    }

    func receive(_ chunk: Data) throws {
        try update { state in
            guard state.end == nil else { throw CancellationError() }
            guard state.unread.count <= ServiceStream.maximumUnreadSize else {
                throw URLError(.dataLengthExceedsMaximum, "The stream's buffer is full.")
            }
            if state.unread.isEmpty {
                state.unread = chunk
            } else {
                state.unread += chunk
            }
        }
    }

    func end(_ error: (any Error)?) {
        let error = error.map { ServiceError($0) }
        update { state in
            state.transfer = nil
            state.end = state.end ?? error.map { .failure($0) } ?? .success(nil)
        }
    }

    /// Stops the transfer. Unless the body was read to its end, reading it fails with `.cancelled`.
    func close() {
        var transfer: ServiceTransferControl?
        update { state in
            let isRead = state.end != nil && state.unread.isEmpty
            if !isRead {
                state.end = .failure(.cancelled)
            }
            state.unread = Data()
            transfer = state.transfer.take()
        }
        transfer?.cancel()
    }
}
