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
}

/// Diagnostics and Transfers need this.
nonisolated extension ServiceRequest {
    /// Calls `report` with the progress of each attempt, in order, on the transport's thread: don't
    /// block. Providers have more convenient ways.
    public mutating func reportProgress(_ report: @escaping @Sendable (ServiceProgress) -> Void) {
        let sink = ServiceProgressSink(inner: bodySink, report: report)
        bodySink = sink
        sink.setTotal(urlRequest.httpBody.map { Int64($0.count) })
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
        (self.inner, self.report) = (inner, report)
    }

    var destination: ServiceBodyDestination { inner?.destination ?? .memory }

    func setTotal(_ total: Int64?) { progress.withLock { $0.totalToSend = total } }

    func didSend(_ sent: Int64) {
        inner?.didSend(sent)
        update { $0.sent = sent }
    }

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        let length = response.header("Content-Length").flatMap { Int64($0) }
        let isEncoded = response.header("Content-Encoding") != nil
        update { ($0.received, $0.totalToReceive) = (0, isEncoded ? nil : length) }
        try inner?.begin(response, control: control)
    }

    func receive(_ chunk: Data) throws {
        try inner?.receive(chunk)
        update { $0.received += Int64(chunk.count) }
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
