// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Takes the body of a good answer as it arrives, where memory is not the place for it: a file, a stream.
///
/// A ``ServiceRequest`` carries it as ``ServiceRequest/delivery``. A transport calls it in order, from
/// one thread at a time. The body of an answer whose status does not count as success goes to
/// ``ServiceResponse/data`` as ever, so that errors have it.
public nonisolated protocol ServiceDelivery: Sendable {
    /// Whether the caller gets the response with its head, as one does who reads a stream; else it gets it
    /// after the body.
    var isStream: Bool { get }

    /// A good answer has begun; also a second time, when the request was sent again.
    ///
    /// - Parameters:
    ///   - response: The head, without a body.
    ///   - transfer: What can be done about the bytes that come.
    /// - Throws: Whatever ends the exchange with this error.
    func begin(_ response: ServiceResponse, from transfer: ServiceTransfer) throws

    /// Some of the body.
    ///
    /// - Throws: Whatever ends the exchange with this error.
    func receive(_ chunk: Data) throws

    /// The body has ended, or broken off with an error. Nothing comes after it.
    func end(_ error: (any Error)?)
}

/// What a delivery can do about the bytes that come.
public nonisolated struct ServiceTransfer: Sendable {
    /// Stops the transfer, at any time and from any thread; it ends in `URLError.cancelled`.
    public let cancel: @Sendable () -> Void
    /// Holds the bytes back (true) and lets them go on (false), so that a slow reader slows the server
    /// down; nil where the transport cannot (URLSession on Linux). It neither waits nor calls the
    /// delivery: one may call it under a lock, to have its calls in order.
    public let pause: (@Sendable (Bool) -> Void)?

    /// Makes a transfer, as a transport does.
    public init(cancel: @escaping @Sendable () -> Void, pause: (@Sendable (Bool) -> Void)? = nil) {
        self.cancel = cancel
        self.pause = pause
    }
}
