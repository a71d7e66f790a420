// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Loads an endpoint as a stream: returns with the headers of a successful response, before its
    /// body.
    ///
    /// ```swift
    /// let stream = try await provider.stream(service: .export)
    /// for try await chunk in stream { parser.parse(chunk) }
    /// ```
    ///
    /// - Throws: The same errors as `response(service:)`.
    public nonisolated(nonsending) func stream(service: T) async throws -> ServiceStream {
        try await pipeline.stream(request(service: service))
    }
}

nonisolated extension ServicePipeline {
    /// - Parameter rule: The media types that are accepted. Default: nil, any.
    @concurrent func stream(
        _ request: ServiceRequest, accepting rule: ServiceContentTypeRule? = nil
    ) async throws -> ServiceStream {
        var request = request
        let buffer = ServiceStreamBuffer()
        // Made before the call, so that a failed call closes the buffer.
        let reader = ServiceStream.AsyncIterator(buffer)
        request.bodySink = buffer
        guard let rule else {
            return ServiceStream(response: try await send(request), reader: reader)
        }
        let response = try await rule.send(request) { try await send($0) }
        return ServiceStream(response: response, reader: reader)
    }
}

/// The body of a response, read in chunks as it arrives.
///
/// Leaving the loop, cancelling the task or releasing the stream stops the transfer. A stream can be
/// read only once. If several loops read it, each chunk goes to one of them.
///
/// A slow reader slows the server down when about 1 MB is unread. URLSession can't do that on Linux, and may not do it on
/// Apple platforms: the stream then fails with `URLError.dataLengthExceedsMaximum` when more than 8 MB are unread. If
/// your code is slower than the network, use a download.
public nonisolated struct ServiceStream: AsyncSequence, Sendable {
    /// The number of unread bytes that a stream holds, in bytes.
    package static let maximumUnreadSize = 8 << 20

    /// The status and the headers, without the body.
    public let response: ServiceResponse
    let reader: AsyncIterator

    fileprivate init(response: ServiceResponse, reader: AsyncIterator) {
        self.response = response
        self.reader = reader
        // An interceptor may have returned the response. A transport has already called `begin`, so that this
        // throws.
        let isNew: Void? = try? reader.buffer.begin(response, control: ServiceTransferControl {})
        guard isNew != nil else { return }
        try? reader.buffer.receive(response.data)
        reader.buffer.end(nil)
    }

    /// Starts reading.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reader.buffer, of: reader) }

    /// Reads a stream. Releasing it stops the transfer.
    public final class AsyncIterator: AsyncIteratorProtocol, Sendable {
        fileprivate let buffer: ServiceStreamBuffer
        /// The stream's own reader. It's kept, because releasing it would stop the transfer.
        private let parent: AsyncIterator?
        private let hasFailed = ServiceLocked(false)

        fileprivate init(_ buffer: ServiceStreamBuffer, of parent: AsyncIterator? = nil) {
            self.buffer = buffer
            self.parent = parent
        }

        deinit { buffer.close() }

        /// The next chunk; nil at the end, and after an error. Chunks that wait are returned as one.
        ///
        /// - Throws: `ServiceError.transport(_:)`; `ServiceError.cancelled` if the task was
        ///   cancelled, or another loop stopped the transfer.
        public nonisolated(nonsending) func next() async throws -> Data? {
            let chunk = await withTaskCancellationHandler {
                await withCheckedContinuation { reader in
                    buffer.update { $0.readers.append(reader) }
                }
            } onCancel: {
                buffer.close()
            }
            do {
                return try chunk.get()
            } catch {
                // The second time, the stream has ended.
                let isFirst = hasFailed.withLock { hasFailed in
                    let isFirst = !hasFailed
                    hasFailed = true
                    return isFirst
                }
                guard isFirst else { return nil }
                throw error
            }
        }
    }
}
