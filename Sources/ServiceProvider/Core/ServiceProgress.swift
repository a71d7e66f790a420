// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// How far a transfer has come, in bytes.
///
/// Only the body that the call delivers counts as received. The body of an error, such as a 401 that is
/// replayed with another token, doesn't.
public nonisolated struct ServiceProgress: Hashable, Sendable {
    /// How much of the request's body was sent.
    public var sent: Int64 = 0
    /// The size of the request's body; nil if it isn't known.
    public var totalToSend: Int64?
    /// How much of the response's body has arrived, after decompression.
    public var received: Int64 = 0
    /// The size of the response's body; nil if the server doesn't say, or compresses it.
    public var totalToReceive: Int64?

    /// Makes a progress of no bytes.
    public init() {}
}
