// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The progress of a transfer, in bytes.
///
/// Only the body of a successful response counts as received. The body of an error, such as a 401 that
/// makes an authenticator send the request again, doesn't.
public nonisolated struct ServiceProgress: Hashable, Sendable {
    /// How much of the request's body has been sent.
    public var sent: Int64 = 0
    /// The size of the request's body. Nil if it isn't known.
    public var totalToSend: Int64?
    /// How much of the response's body has arrived, after decompression.
    public var received: Int64 = 0
    /// The size of the response's body. Nil if the server doesn't send it, or compresses the body.
    public var totalToReceive: Int64?

    /// Creates a value in which no bytes have been transferred.
    public init() {}

    /// How much of the request's body has been sent, from 0 to 1. Nil without a body or if its size isn't known,
    /// and 1 if the body is empty.
    public var fractionSent: Double? { Self.fraction(sent, of: totalToSend) }

    /// How much of the response's body has arrived, from 0 to 1. Nil if its size isn't known, such as before the
    /// headers have arrived, and 1 if the body is empty.
    ///
    /// ```swift
    /// let provider = provider.onProgress { bar.progress = $0.fractionReceived ?? 0 }
    /// ```
    public var fractionReceived: Double? { Self.fraction(received, of: totalToReceive) }

    private static func fraction(_ count: Int64, of total: Int64?) -> Double? {
        guard let total, total >= 0 else { return nil }
        guard total > 0 else { return 1 }
        return min(max(Double(count) / Double(total), 0), 1)
    }
}

nonisolated extension ServiceRequest {
    /// Calls `report` with the progress of each attempt, in order, on the transport's thread: don't
    /// block. Providers have more convenient ways.
    public mutating func reportProgress(_ report: @escaping @Sendable (ServiceProgress) -> Void) {
        let sink = ServiceProgressSink(inner: bodySink, report: report)
        bodySink = sink
        sink.setTotal(urlRequest.httpBody.map { Int64($0.count) } ?? bodySource?.length)
        guard let upload else { return }
        self.upload = {
            let body = try upload()
            sink.setTotal(body.size)
            return body
        }
    }
}

/// Reports progress, and passes every event on to another sink.
private nonisolated final class ServiceProgressSink: ServiceBodySink {
    private let inner: (any ServiceBodySink)?
    private let report: @Sendable (ServiceProgress) -> Void
    private let progress = ServiceLocked(ServiceProgress())

    init(inner: (any ServiceBodySink)?, report: @escaping @Sendable (ServiceProgress) -> Void) {
        self.inner = inner
        self.report = report
    }

    var destination: ServiceBodyDestination { inner?.destination ?? .memory }

    func setTotal(_ total: Int64?) {
        progress.withLock { progress in
            progress.totalToSend = total
        }
    }

    func didSend(_ sent: Int64) {
        inner?.didSend(sent)
        update { progress in
            progress.sent = sent
        }
    }

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        let length = response.header("Content-Length").flatMap { Int64($0) }
        let isEncoded = response.header("Content-Encoding") != nil
        update { progress in
            progress.received = 0
            progress.totalToReceive = isEncoded ? nil : length
        }
        try inner?.begin(response, control: control)
    }

    func receive(_ chunk: Data) throws {
        try inner?.receive(chunk)
        update { progress in
            progress.received += Int64(chunk.count)
        }
    }

    func end(_ error: (any Error)?) { inner?.end(error) }

    private func update(_ change: (inout ServiceProgress) -> Void) {
        progress.withLock { progress in
            change(&progress)
            // Under the lock, so that the last report has the last state.
            report(progress)
        }
    }
}
