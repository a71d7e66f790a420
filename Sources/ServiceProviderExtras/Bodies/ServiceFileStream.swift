// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Sends the bytes of a file, or fails with a reason. The platform's own stream would just end, and would send bytes that
/// are appended meanwhile.
nonisolated final class ServiceFileStream: InputStream {
    fileprivate let reader: ServiceFileReader
    private var status = Stream.Status.notOpen

    /// The bytes of a regular file, from the first one, and their number.
    static func opened(_ url: URL) throws -> (stream: InputStream, size: Int64) {
        let reader = try ServiceFileReader(url)
        return (ServiceFileStream(reader), reader.size)
    }

    private init(_ reader: ServiceFileReader) {
        self.reader = reader
        super.init(data: Data())
    }

    /// Always true: URLSession treats false as the end.
    override var hasBytesAvailable: Bool { true }
    override var streamError: (any Error)? { reader.failure }
    override var streamStatus: Stream.Status { reader.failure == nil ? status : .error }
    override func open() { status = .open }
    override func close() { status = .closed }

    override func read(_ buffer: UnsafeMutablePointer<UInt8>, maxLength limit: Int) -> Int {
        reader.read(into: .init(start: buffer, count: limit))
    }
}

#if !canImport(FoundationNetworking)
nonisolated extension ServiceFileStream: ServiceReplaceableStream {
    func replaced() throws -> (stream: InputStream, source: any ServiceBodySource) {
        let (input, output) = try ServiceStreamWriter.boundStreams()
        return (input, ServiceFileSource(reader, output))
    }
}
#endif

/// Writes a file to one end of a stream. URLSession reads the other end.
package nonisolated final class ServiceFileSource: ServiceBodySource {
    private struct State {
        var failure: ServiceError?
        var fail: (@Sendable (any Error) -> Void)?
    }

    package let length: Int64?
    private let writer: ServiceStreamWriter
    private let state: ServiceLocked<State>

    /// Starts immediately, as far as the stream has room, because a transport of an app doesn't call `start`.
    package init(_ reader: ServiceFileReader, _ output: OutputStream) {
        length = reader.size
        let state = ServiceLocked(State())
        self.state = state
        writer = ServiceStreamWriter(output) { buffer in
            let count = reader.read(into: buffer)
            if let failure = reader.failure {
                Self.report(failure, state)
            }
            return count
        }
        writer.open()
    }

    // The stream's queue calls the writer, and not this object, which the request has.
    deinit { writer.close() }

    package func start(onFailure fail: @escaping @Sendable (any Error) -> Void) {
        let failure = state.withLock { state in
            state.fail = fail
            return state.failure
        }
        if let failure { fail(failure) }
    }

    package func stop() {
        state.withLock { $0.fail = nil }
        writer.close()
    }

    /// Ends the transfer. The stream stays open, because URLSession would take its end for that of the body.
    private static func report(_ failure: ServiceError, _ state: ServiceLocked<State>) {
        let fail = state.withLock { state in
            state.failure = failure
            return state.fail
        }
        fail?(failure)
    }
}
