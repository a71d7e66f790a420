// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The progress of one call, for one reader. The reader gets the latest state that it hasn't seen; earlier
/// states may be dropped. The sequence ends with the call.
public nonisolated struct ServiceProgressUpdates: AsyncSequence, Sendable {
    /// A state of the call.
    public typealias Element = ServiceProgress

    let stream: AsyncStream<ServiceProgress>
    let continuation: AsyncStream<ServiceProgress>.Continuation

    /// Makes a sequence for ``ServiceProvider/ServiceProvider/reportingProgress(to:)``.
    public init() {
        (stream, continuation) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Starts reading. A sequence has only one reader.
    public func makeAsyncIterator() -> AsyncStream<ServiceProgress>.Iterator {
        stream.makeAsyncIterator()
    }
}
