// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(FoundationNetworking)

/// Passes chunks from a task to the stream that a transport reads.
nonisolated final class ServiceBodyPipe: Sendable {
    private struct State {
        var chunk = Data()
        var isComplete = false
        /// Tells the transport that it can read again.
        var onChange: (() -> Void)?
    }

    private let state = ServiceLocked(State())
    /// Gets an element when the chunk has been read.
    private let (reads, report) = AsyncStream.makeStream(
        of: Void.self, bufferingPolicy: .bufferingNewest(1))

    static func make() throws -> (InputStream, ServiceBodyPipe) {
        let pipe = ServiceBodyPipe()
        return (PipeStream(pipe), pipe)
    }

    /// Waits until the transport has read the chunk.
    func write(_ chunk: Data) async throws {
        change { $0.chunk = chunk }
        var reads = reads.makeAsyncIterator()
        while state.withLock({ !$0.chunk.isEmpty }), await reads.next() != nil {}
        try Task.checkCancellation()
    }

    /// Completes the body.
    func finish() { change { $0.isComplete = true } }

    private func change(_ change: (inout State) -> Void) {
        let onChange = state.withLock { state in
            change(&state)
            return state.onChange
        }
        onChange?()
    }

    fileprivate func onChange(_ report: @escaping () -> Void) {
        state.withLock { $0.onChange = report }
    }

    /// Moves bytes to the transport. Returns their number, 0 at the end, and -1 if there are none yet.
    fileprivate func read(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
        state.withLock { state in
            guard !state.chunk.isEmpty else { return state.isComplete ? 0 : -1 }
            let count = state.chunk.copyBytes(to: buffer)
            state.chunk = state.chunk.dropFirst(count)
            if state.chunk.isEmpty { report.yield() }
            return count
        }
    }

    /// Whether the transport waits for more bytes if there are none yet.
    fileprivate var isAwaited: Bool { state.withLock { $0.onChange != nil } }
}

/// While there are no bytes yet, this stream's status is `.reading`. It tells its delegate when
/// bytes arrive. A transport without a delegate can't wait.
private nonisolated final class PipeStream: InputStream {
    private let pipe: ServiceBodyPipe
    private var failure: ServiceError?
    private var isWaiting = false
    private var isOver = false

    init(_ pipe: ServiceBodyPipe) {
        self.pipe = pipe
        super.init(data: Data())
    }

    /// Always true: URLSession treats false as the end.
    override var hasBytesAvailable: Bool { true }
    override var streamError: (any Error)? { failure }
    override var streamStatus: Stream.Status {
        failure != nil ? .error : isWaiting ? .reading : super.streamStatus
    }

    override var delegate: (any StreamDelegate)? {
        get { nil }
        set {
            pipe.onChange { [weak self, weak newValue] in
                if let self { newValue?.stream(self, handle: .hasBytesAvailable) }
            }
        }
    }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength limit: Int) -> Int {
        guard pipe.isAwaited else {
            return fail("URLSession on Linux can't wait for chunks; use CurlTransport")
        }
        guard !isOver else { return fail("a sequence can be sent only once") }
        let count = pipe.read(.init(start: buffer, count: limit))
        (isWaiting, isOver) = (count < 0, count == 0)
        return count
    }

    private func fail(_ reason: String) -> Int {
        failure = .invalidRequest(.body, reason: reason)
        return -1
    }
}

#else

/// Passes chunks from a task to the stream that URLSession reads.
nonisolated final class ServiceBodyPipe: @unchecked Sendable {
    // Unchecked, because the compiler can't see that only one task at a time uses the stream.
    private let output: OutputStream

    private init(_ output: OutputStream) {
        self.output = output
        output.open()
    }

    static func make() throws -> (InputStream, ServiceBodyPipe) {
        var (input, output): (InputStream?, OutputStream?)
        Stream.getBoundStreams(
            withBufferSize: 1 << 16, inputStream: &input, outputStream: &output)
        guard let input, let output else { throw CocoaError(.fileReadUnknown) }
        return (input, ServiceBodyPipe(output))
    }

    func write(_ chunk: Data) async throws {
        var rest = chunk
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { bytes in
                let start = bytes.bindMemory(to: UInt8.self).baseAddress
                // Writing to a full stream would block a thread that other tasks need.
                let canWrite = output.hasSpaceAvailable
                return start.map { canWrite ? output.write($0, maxLength: bytes.count) : 0 } ?? 0
            }
            rest = rest.dropFirst(max(count, 0))
            // If URLSession has closed the stream, the call ends, and cancels this.
            if count <= 0 { try await Task.sleep(nanoseconds: 5_000_000) }
        }
    }

    func finish() { output.close() }
}
#endif
