// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Writes a body to one end of a stream. URLSession reads the other end. On Apple platforms only: URLSession on Linux
/// reads streams of any class.
///
/// It needs no thread, and never waits: the stream says when it has room. The stream isn't of a class of our own, because
/// URLSession's requirements for such classes aren't documented.
package nonisolated final class ServiceStreamWriter: NSObject, StreamDelegate, @unchecked Sendable {
    /// Reads the next bytes of the body. Returns 0 at its end, and -1 if it has no bytes yet or has failed.
    package typealias Read = (UnsafeMutableBufferPointer<UInt8>) -> Int

    // Objects that the stream creates must not stay in memory until the queue has nothing to do. And without this target, each
    // busy queue would get a thread of its own.
    package let queue = DispatchQueue(
        label: "ServiceBody", autoreleaseFrequency: .workItem, target: .global())
    // `@unchecked Sendable`, because the rest is used only on the queue.
    private let output: OutputStream
    /// Nil at the end, so that the body is released.
    private var read: Read?
    private var isOpen = false
    /// Bytes that the stream had no room for.
    private var rest: ArraySlice<UInt8> = []

    package init(_ output: OutputStream, _ read: @escaping Read) {
        self.output = output
        self.read = read
    }

    /// Starts to write, once.
    package func open() {
        queue.async {
            guard self.read != nil, !self.isOpen else { return }
            self.isOpen = true
            self.output.delegate = self
            self.schedule(on: self.queue)
            self.output.open()
            self.write()
        }
    }

    /// Writes bytes that the body has got since the last read.
    package func wake() { queue.async { self.write() } }

    /// Closes the stream, even if bytes are left. Can be called often.
    package func close() { queue.async { self.end() } }

    package func stream(_ stream: Stream, handle event: Stream.Event) {
        switch event {
        case .hasSpaceAvailable: write()
        // The reader has closed its end.
        case .errorOccurred, .endEncountered: end()
        default: break
        }
    }

    /// Writes as many bytes as there are and as the stream has room for.
    private func write() {
        while isOpen, output.hasSpaceAvailable {
            if rest.isEmpty {
                guard readMore() else { return }
            }
            let count = rest.withUnsafeBufferPointer { bytes in
                bytes.baseAddress.map { output.write($0, maxLength: bytes.count) } ?? 0
            }
            // 0: the stream says when it has room again. Less: its reader has closed its end.
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }

    /// Whether there are bytes to write.
    private func readMore() -> Bool {
        var bytes = [UInt8](repeating: 0, count: 1 << 14)
        let count = bytes.withUnsafeMutableBufferPointer { read?($0) ?? -1 }
        if count == 0 { end() }
        guard count > 0 else { return false }
        rest = bytes.prefix(count)
        return true
    }

    private func end() {
        read = nil
        rest = []
        guard isOpen else { return }
        isOpen = false
        output.delegate = nil
        schedule(on: nil)
        output.close()
    }

    #if canImport(FoundationNetworking)
    private func schedule(on queue: DispatchQueue?) {}
    #else
    private func schedule(on queue: DispatchQueue?) {
        CFWriteStreamSetDispatchQueue(output as CFWriteStream, queue)
    }

    /// Two streams: bytes that are written to the second one can be read from the first one.
    static func boundStreams() throws -> (InputStream, OutputStream) {
        var input: InputStream?
        var output: OutputStream?
        Stream.getBoundStreams(
            withBufferSize: 1 << 16, inputStream: &input, outputStream: &output)
        guard let input, let output else { throw CocoaError(.fileReadUnknown) }
        return (input, output)
    }
    #endif
}
