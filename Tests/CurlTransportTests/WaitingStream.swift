// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport

extension ServiceProvider {
    /// Sends a body whose stream waits for its next chunk.
    @discardableResult
    nonisolated(nonsending) func upload(
        service: T, chunks: AsyncStream<Data>
    ) async throws -> ServiceResponse {
        let sending = Intercept.changing { $0.urlRequest.httpBodyStream = WaitingStream(chunks) }
        return try await wrapped(in: sending).response(service: service)
    }
}

/// While this stream waits for bytes, its status is `.reading`. It calls its delegate when bytes arrive.
private final class WaitingStream: InputStream {
    private struct State {
        var bytes = Data()
        var isComplete = false
        /// Tells the transport that it can read again.
        var report: (() -> Void)?

        mutating func take(_ buffer: UnsafeMutableBufferPointer<UInt8>) -> Int {
            guard !bytes.isEmpty else { return isComplete ? 0 : -1 }
            let count = bytes.copyBytes(to: buffer)
            bytes = Data(bytes.dropFirst(count))
            return count
        }
    }

    private let state: Locked<State>
    private let writer: Task<Void, Never>
    private var isWaiting = false

    init(_ chunks: AsyncStream<Data>) {
        let state = Locked(State())
        self.state = state
        writer = Task {
            for await chunk in chunks {
                state { $0.bytes += chunk }
                state { $0.report }?()
            }
            state { $0.isComplete = true }
            state { $0.report }?()
        }
        super.init(data: Data())
    }

    deinit { writer.cancel() }

    override var hasBytesAvailable: Bool { true }
    override var streamStatus: Stream.Status { isWaiting ? .reading : super.streamStatus }

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
        let count = state { $0.take(.init(start: buffer, count: limit)) }
        isWaiting = count < 0
        return count
    }
}
#endif
