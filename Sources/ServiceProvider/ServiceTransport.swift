// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Sends one request and returns its response.
///
/// A transport
/// - sends the request as it is, and follows no redirect;
/// - sends it again only if the connection was lost before a response, and the request is
///   repeatable (URLSession decides by itself);
/// - returns every HTTP response with its body, whatever its status;
/// - throws a `URLError` if no response arrives;
/// - stops when its task is cancelled, and throws `CancellationError` or `URLError.cancelled`.
///
/// The provider does the rest. To support ``ServiceRequest/bodySink``, build the response with a
/// ``ServiceResponseBuilder``.
public nonisolated protocol ServiceTransport: Sendable {
    /// Sends a request.
    ///
    /// - Throws: A `URLError` if no HTTP response arrives.
    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse
}

/// Receives the body of a successful response in chunks, for example to write it to a file.
///
/// Set it as ``ServiceRequest/bodySink``. A transport calls it in order, from one thread at a time.
/// The body of an unsuccessful response goes to ``ServiceResponse/data`` instead, so that the error
/// contains it.
public nonisolated protocol ServiceBodySink: AnyObject, Sendable {
    /// Where the body goes.
    var destination: ServiceBodyDestination { get }

    /// A part of the request's body has been sent.
    ///
    /// - Parameter sent: How many bytes have been sent so far.
    func didSend(_ sent: Int64)

    /// The status and the headers of a successful response have arrived. Called again if the request is
    /// sent again.
    ///
    /// - Parameters:
    ///   - response: The response without its body.
    ///   - control: Cancels or pauses the transfer.
    /// - Throws: Any error, which ends the transfer.
    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws

    /// A chunk of the body has arrived.
    ///
    /// - Throws: Any error, which ends the transfer.
    func receive(_ chunk: Data) throws

    /// The body is complete, or the transfer has failed. Called once after each `begin` that didn't throw; without
    /// a successful response, neither is called.
    func end(_ error: (any Error)?)
}

/// Where the body of a successful response goes.
///
/// - `memory`: to ``ServiceResponse/data``. The sink only watches.
/// - `sink`: to the sink.
/// - `stream`: to the sink. The response is returned as soon as its headers have arrived. From then on, only
///   ``ServiceTransferControl/cancel`` stops the transfer, even if the call throws. So call it when the reader goes
///   away.
public nonisolated enum ServiceBodyDestination: Sendable { case memory, sink, stream }

/// Cancels or pauses the transfer of a response body.
public nonisolated struct ServiceTransferControl: Sendable {
    /// Stops the transfer, which ends with `URLError.cancelled`. Can be called from any thread.
    public let cancel: @Sendable () -> Void
    /// Pauses (true) and resumes (false) the transfer, so that a slow reader slows down the server. Nil if
    /// the transport can't do it (URLSession on Linux).
    ///
    /// It doesn't block or call the sink, so it can be called under a lock.
    public let pause: (@Sendable (Bool) -> Void)?

    /// Creates a control.
    public init(cancel: @escaping @Sendable () -> Void, pause: (@Sendable (Bool) -> Void)? = nil) {
        self.cancel = cancel
        self.pause = pause
    }
}

/// Collects the events of one transfer and builds the response. Every transport uses one.
///
/// Call its methods in order, from one thread at a time.
public nonisolated final class ServiceResponseBuilder {
    let request: ServiceRequest
    private let control: ServiceTransferControl
    private(set) var response: ServiceResponse?
    private var sink: (any ServiceBodySink)?

    /// Creates a builder for the response to a request.
    public init(for request: ServiceRequest, control: ServiceTransferControl) {
        self.request = request
        self.control = control
    }

    /// A part of the request's body has been sent. `sent` is the number of bytes so far.
    public func didSend(_ sent: Int64) { request.bodySink?.didSend(sent) }

    /// The status and the headers have arrived. They replace earlier ones: an informational response (103)
    /// may come first.
    ///
    /// - Returns: The response to return now, if the sink streams the body; otherwise nil.
    /// - Throws: The sink's error. The transport must then stop the transfer.
    public func didReceive(_ head: ServiceResponse) throws -> ServiceResponse? {
        response = head
        sink = nil
        guard head.statusCode >= 200, request.validStatusCodes.contains(head.statusCode)
        else { return nil }
        guard let sink = request.bodySink else { return nil }
        try sink.begin(head, control: control)
        self.sink = sink
        guard sink.destination == .stream else { return nil }
        return head
    }

    /// A chunk of the body has arrived.
    ///
    /// - Throws: The sink's error. The transport must then stop the transfer.
    public func didReceive(_ chunk: Data) throws {
        try sink?.receive(chunk)
        guard sink == nil || sink?.destination == .memory else { return }
        response?.data.append(chunk)
    }

    /// The transfer has ended.
    ///
    /// - Throws: The error, or a `URLError` if no HTTP response arrived.
    public func end(_ error: (any Error)?) throws -> ServiceResponse {
        sink?.end(error.map(request.reportable))
        guard error == nil, let response else { throw error ?? URLError(.badServerResponse) }
        return response
    }
}
