// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

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
