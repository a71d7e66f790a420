// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Collects the events of one transfer and builds the response. A transport that supports sinks uses one.
///
/// Call its methods in order, from one thread at a time.
public nonisolated final class ServiceResponseBuilder {
    let request: ServiceRequest
    private let control: ServiceTransferControl
    /// How many bytes of a body are kept in memory.
    private let maximumBodySize: Int64
    private(set) var response: ServiceResponse?
    private var sink: (any ServiceBodySink)?

    /// Whether the head of the final response has arrived.
    var hasResponse: Bool { response.map { $0.statusCode >= 200 } ?? false }

    /// Creates a builder for the response to a request.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - control: Cancels or pauses the transfer.
    ///   - maximumBodySize: The transport's limit for a body in memory, in bytes, if the request doesn't set
    ///     ``ServiceRequest/maximumBodySize``. Default: 512 MB.
    public init(
        for request: ServiceRequest, control: ServiceTransferControl,
        maximumBodySize: Int64 = ServiceRequest.defaultMaximumBodySize
    ) {
        self.request = request
        self.control = control
        self.maximumBodySize = request.maximumBodySize ?? maximumBodySize
    }

    /// A part of the request's body has been sent. `sent` is the number of bytes so far.
    public func didSend(_ sent: Int64) { request.bodySink?.didSend(sent) }

    /// The status and the headers have arrived. They replace earlier ones: an informational response (103)
    /// may come first.
    ///
    /// - Returns: The response to return now, if the sink streams the body; otherwise nil.
    /// - Throws: The sink's error. The transport must then stop the transfer.
    public func didReceive(head: ServiceResponse) throws -> ServiceResponse? {
        response = head
        sink = nil
        guard head.statusCode >= 200, head.hasValidStatus else { return nil }
        guard let sink = request.bodySink else { return nil }
        try sink.begin(head, control: control)
        self.sink = sink
        guard sink.destination == .stream else { return nil }
        return head
    }

    /// A chunk of the body has arrived.
    ///
    /// - Throws: The sink's error, or `URLError.dataLengthExceedsMaximum` for a body in memory that is too large. The
    ///   transport must then stop the transfer.
    public func didReceive(chunk: Data) throws {
        try sink?.receive(chunk)
        guard sink == nil || sink?.destination == .memory else { return }
        let size = Int64(response?.data.count ?? 0) + Int64(chunk.count)
        try ServiceRequest.require(bodySize: size, atMost: maximumBodySize)
        response?.data.append(chunk)
    }

    /// The transfer has ended.
    ///
    /// - Throws: The error, or a `URLError` if no HTTP response arrived.
    public func end(_ error: (any Error)?) throws -> ServiceResponse {
        request.bodySource?.stop()
        sink?.end(error.map(request.reportable))
        guard error == nil, let response else { throw error ?? URLError(.badServerResponse) }
        return response
    }
}
