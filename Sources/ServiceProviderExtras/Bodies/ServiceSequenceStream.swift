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
        // A read tells the transport about a failure.
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
    ///
    /// The stream isn't of a class of our own: what URLSession asks of one isn't documented.
    func attach(to request: inout ServiceRequest) throws {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(
            withBufferSize: 1 << 16, inputStream: &input, outputStream: &output)
        guard let input, let output else { throw CocoaError(.fileReadUnknown) }
        request.urlRequest.httpBodyStream = input
        request.bodySource = ServiceBoundSource(self, output)
    }
}

/// Writes the bytes of a sequence to a stream, whose other end URLSession reads.
private nonisolated final class ServiceBoundSource: NSObject, ServiceBodySource, StreamDelegate,
    @unchecked Sendable
{
    private let source: ServiceSequenceSource
    private let queue = DispatchQueue(label: "ServiceBody.stream")
    // `@unchecked Sendable`, because the rest is used only on the queue.
    private let output: OutputStream
    private var isOpen = false
    /// Bytes that the stream had no room for.
    private var rest: ArraySlice<UInt8> = []

    init(_ source: ServiceSequenceSource, _ output: OutputStream) {
        self.source = source
        self.output = output
    }

    var length: Int64? { source.length }

    func start(onFailure fail: @escaping @Sendable (any Error) -> Void) {
        source.buffer.onNews { [weak self] in
            guard let self else { return }
            queue.async { self.write() }
        }
        queue.async {
            self.isOpen = true
            self.output.delegate = self
            CFWriteStreamSetDispatchQueue(self.output as CFWriteStream, self.queue)
            self.output.open()
        }
        // A sequence that fails leaves the stream open, because URLSession would take its end for that of the body.
        source.start(onFailure: fail)
    }

    func stop() {
        source.stop()
        queue.async { self.close() }
    }

    func stream(_ stream: Stream, handle event: Stream.Event) {
        if event == .hasSpaceAvailable { write() }
    }

    /// Writes as many bytes as there are and as the stream has room for, without waiting.
    private func write() {
        while isOpen, output.hasSpaceAvailable {
            if rest.isEmpty {
                var bytes = [UInt8](repeating: 0, count: 1 << 14)
                let count = bytes.withUnsafeMutableBufferPointer { source.buffer.read(into: $0) }
                // The end of the body.
                if count == 0 { close() }
                guard count > 0 else { return }
                rest = bytes.prefix(count)
            }
            let count = rest.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
            }
            // URLSession has closed its end: the transfer is over, and stops the source.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    private func close() {
        guard isOpen else { return }
        isOpen = false
        output.delegate = nil
        CFWriteStreamSetDispatchQueue(output as CFWriteStream, nil)
        output.close()
    }
}
#endif
