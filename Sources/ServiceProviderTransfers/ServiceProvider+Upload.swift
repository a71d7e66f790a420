// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceProvider {
    /// Sends a body whose chunks become available while it is sent, such as a recording.
    ///
    /// ```swift
    /// let response = try await provider.upload(
    ///     service: .dictation, chunks: microphone, contentType: "audio/wav")
    /// ```
    ///
    /// Over HTTP/1.1, the body has the chunked transfer coding (RFC 9112, section 7.1). Each chunk is
    /// sent before the next one is taken from the sequence, so a slow server slows the sequence
    /// down.
    ///
    /// With `CurlTransport`, the timeout doesn't apply while the sequence waits for its next chunk, until the
    /// response begins.
    ///
    /// A sequence runs once, so the request is sent once: it isn't retried. After a 307, a 308 or a
    /// rejected token, the call fails with that response. If the sequence throws, the server sees
    /// an incomplete body. If the call ends first, the task that reads the sequence is cancelled.
    ///
    /// - Parameters:
    ///   - service: An endpoint without a body, whose method may have one.
    ///   - chunks: A sequence that ends when its task is cancelled.
    ///   - contentType: The type, if the endpoint doesn't set one. Default:
    ///     `application/octet-stream`.
    /// - Throws: The same errors as `response(for:)`; the sequence's error, as
    ///   `ServiceError.invalidRequest(_:reason:)` unless it is a `ServiceError`. URLSession on Linux
    ///   can't wait for chunks, so the call throws `ServiceError.invalidRequest(_:reason:)`: use
    ///   `CurlTransport` there.
    @discardableResult
    public nonisolated(nonsending) func upload<Chunks: AsyncSequence & Sendable>(
        service: T, chunks: Chunks, contentType: String = "application/octet-stream"
    ) async throws -> ServiceResponse where Chunks.Element == Data {
        let upload = SequenceUpload(chunks: chunks, contentType: contentType)
        return try await adding(upload).response(for: service)
    }
}

/// Writes a sequence into the body of a request. The outermost interceptor, so that the others know
/// that the body can be sent only once.
private nonisolated struct SequenceUpload<Chunks: AsyncSequence & Sendable>: ServiceInterceptor
where Chunks.Element == Data {
    let chunks: Chunks
    let contentType: String

    @concurrent func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        try ServiceError.require(!request.hasBody, .body, "the endpoint has a body of its own")
        var request = request
        let (stream, pipe) = try ServiceBodyPipe.make()
        request.urlRequest.httpBodyStream = stream
        try request.setDefaultHeader("Content-Type", contentType)
        return try await withThrowingTaskGroup(of: ServiceResponse?.self) { [request] group in
            group.addTask { try await next(request) }
            group.addTask {
                try await write(to: pipe)
                return nil
            }
            defer { group.cancelAll() }
            while let ended = try await group.next() {
                if let response = ended { return response }
            }
            throw CancellationError()
        }
    }

    private func write(to pipe: ServiceBodyPipe) async throws {
        do {
            for try await chunk in chunks { try await pipe.write(chunk) }
            // A sequence may also end because it was cancelled.
            try Task.checkCancellation()
        } catch {
            throw ServiceError(error, of: .body)
        }
        pipe.finish()
    }
}
