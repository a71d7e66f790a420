// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceBody {
    /// The bytes of a sequence, sent as they become available, for example a recording or the output of a program.
    ///
    /// ```swift
    /// var body: ServiceBody? { .stream(recording, contentType: "audio/aac") }
    /// ```
    ///
    /// Without a length, HTTP/1.1 sends the body in chunks, and some servers refuse that. The next element is asked for
    /// only when less than 64 KB wait to be sent. When the call ends, the task that reads the sequence is cancelled. It
    /// isn't the caller's task.
    ///
    /// A sequence is read once, so such a request is never sent again: not by `ServiceRetry`, not after a 401, and a 307
    /// or 308 is the response. Each request reads the sequence from its start, so don't use a body with an `AsyncStream`
    /// for two requests.
    ///
    /// If the sequence throws, or doesn't keep to its length, the call throws `ServiceError.invalidRequest(_:reason:)`,
    /// and the server never sees a complete body. With `CurlTransport` and HTTP/2, a response that has no length and ends
    /// before the sequence is returned when the sequence goes on. (A `CancellationError` becomes `ServiceError.cancelled`, and a
    /// `ServiceError` stays as it is.) On Linux, this needs `CurlTransport`: URLSession throws that error before it sends
    /// anything.
    ///
    /// - Parameters:
    ///   - sequence: The bytes. Empty elements are skipped.
    ///   - length: The number of all bytes. With 0, the body is empty, and the sequence isn't read. Default: nil, it
    ///     isn't known.
    ///   - contentType: Default: `application/octet-stream`.
    public static func stream<Bytes: AsyncSequence & Sendable>(
        _ sequence: Bytes, length: Int64? = nil, contentType: String = "application/octet-stream"
    ) -> ServiceBody where Bytes.Element == Data {
        ServiceBody { request in
            try ServiceError.require(
                length ?? 0 >= 0, of: .body, reason: "the length of the sequence is negative")
            try ServiceSequenceSource(sequence, length: length).attach(to: &request)
            return contentType
        }
    }
}

/// Reads a sequence in a task of its own, into a buffer that the transfer reads.
nonisolated final class ServiceSequenceSource: ServiceBodySource {
    typealias Reader = @Sendable (ServiceBodyBuffer) async throws -> Void

    let length: Int64?
    let buffer = ServiceBodyBuffer()
    private let state: ServiceLocked<State>

    private struct State {
        /// Reads the sequence. Nil once it has started or stopped, so that the sequence is released.
        var reader: Reader?
        var task: Task<Void, Never>?
    }

    init<Bytes: AsyncSequence & Sendable>(
        _ sequence: Bytes, length: Int64?
    ) where Bytes.Element == Data {
        self.length = length
        state = ServiceLocked(
            State(reader: { try await Self.read(sequence, length: length, into: $0) }))
    }

    // The task doesn't keep the source, so a request that is released stops its task.
    deinit { stop() }

    func start(onFailure fail: @escaping @Sendable (any Error) -> Void) {
        guard length != 0 else {
            // The sequence isn't read. (`CurlTransport` doesn't even start an empty body.)
            buffer.end(nil)
            return
        }
        let isStarted = state.withLock { state in
            guard let reader = state.reader.take() else { return false }
            state.task = Task { [buffer] in
                do {
                    try await reader(buffer)
                    buffer.end(nil)
                } catch {
                    let error = ServiceError(error, of: .body)
                    if buffer.end(error) { fail(error) }
                }
            }
            return true
        }
        guard !isStarted else { return }
        // The sequence has been read.
        fail(URLError(.requestBodyStreamExhausted))
    }

    func stop() {
        // Before the task is cancelled: an `AsyncStream` ends then, which must not end the body.
        buffer.close()
        state.withLock { state in
            state.reader = nil
            state.task?.cancel()
        }
    }

    private static func read<Bytes: AsyncSequence>(
        _ sequence: Bytes, length: Int64?, into buffer: ServiceBodyBuffer
    ) async throws where Bytes.Element == Data {
        var iterator = sequence.makeAsyncIterator()
        var total: Int64 = 0
        while await buffer.hasRoom() {
            guard let element = try await iterator.next() else {
                return try ServiceError.require(
                    total == length ?? total, of: .body,
                    reason: "the sequence ended after \(total) of \(length ?? total) bytes")
            }
            total += Int64(element.count)
            try require(total, atMost: length)
            if total == length, !element.isEmpty {
                // The last element waits for the end of the sequence: otherwise the server would see a complete body
                // of a sequence that is too long.
                while let next = try await iterator.next() {
                    try require(total + Int64(next.count), atMost: length)
                }
                return await buffer.append(element)
            }
            await buffer.append(element)
        }
        // The transfer has ended, and `stop()` cancels this task next. A sequence such as `AsyncStream` notices that only
        // when it is asked, and then informs its source.
        while !Task.isCancelled { await Task.yield() }
        _ = try await iterator.next()
    }

    private static func require(_ total: Int64, atMost length: Int64?) throws {
        let length = length ?? total
        try ServiceError.require(
            total <= length, of: .body,
            reason: "the sequence has more bytes than its length, \(length)")
    }
}
