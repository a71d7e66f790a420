// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(FoundationNetworking)

nonisolated extension ServiceSequenceSource {
    /// Makes this source the body of a request. It starts when the transport opens the stream.
    func attach(to request: inout ServiceRequest) throws {
        request.urlRequest.httpBodyStream = ServiceSequenceStream(self)
        request.bodySource = self
    }
}

/// Never waits for bytes: without them, `read` returns -1 and the status is `.reading`. When it has some, it calls its
/// delegate on any thread.
private nonisolated final class ServiceSequenceStream: InputStream {
    private let source: ServiceSequenceSource
    private var isOpen = false
    private var isAtEnd = false
    private weak var reader: (any StreamDelegate)?

    init(_ source: ServiceSequenceSource) {
        self.source = source
        super.init(data: Data())
    }

    override var hasBytesAvailable: Bool { !isAtEnd }
    override var streamError: (any Error)? { source.buffer.failure }

    override var streamStatus: Stream.Status {
        let buffer = source.buffer
        guard buffer.failure == nil else { return .error }
        guard !buffer.isClosed else { return .closed }
        guard isOpen else { return .notOpen }
        guard !isAtEnd else { return .atEnd }
        return buffer.isWaiting ? .reading : .open
    }

    override var delegate: (any StreamDelegate)? {
        get { reader }
        set {
            reader = newValue
            source.buffer.onNews { [weak self, weak newValue] in
                guard let self else { return }
                newValue?.stream(self, handle: .hasBytesAvailable)
            }
        }
    }

    override func open() {
        isOpen = true
        // The transport gets a failure when it reads.
        source.start { _ in }
    }

    override func close() { source.stop() }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength limit: Int) -> Int {
        let count = source.buffer.read(into: .init(start: buffer, count: limit))
        isAtEnd = count == 0
        return count
    }
}

#else

nonisolated extension ServiceSequenceSource {
    /// Makes this source the body of a request.
    func attach(to request: inout ServiceRequest) throws {
        let (input, output) = try ServiceStreamWriter.boundStreams()
        request.urlRequest.httpBodyStream = input
        request.bodySource = ServiceBoundSource(self, output)
    }
}

/// Writes the bytes of a sequence to one end of a stream. URLSession reads the other end.
private nonisolated final class ServiceBoundSource: ServiceBodySource {
    private let source: ServiceSequenceSource
    private let writer: ServiceStreamWriter

    init(_ source: ServiceSequenceSource, _ output: OutputStream) {
        self.source = source
        writer = ServiceStreamWriter(output) { source.buffer.read(into: $0) }
    }

    deinit { writer.close() }

    var length: Int64? { source.length }

    func start(onFailure fail: @escaping @Sendable (any Error) -> Void) {
        source.buffer.onNews { [writer] in writer.wake() }
        writer.open()
        // A sequence that fails leaves the stream open, because URLSession would take its end for that of the body.
        source.start(onFailure: fail)
    }

    func stop() {
        source.stop()
        writer.close()
    }
}
#endif
