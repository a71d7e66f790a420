// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// How far an exchange has come, in bytes.
public nonisolated struct ServiceProgress: Hashable, Sendable {
    /// What of the request's body was sent.
    public var sent: Int64 = 0
    /// The size of the request's body; nil when it is not known.
    public var totalToSend: Int64?
    /// What of the answer's body has arrived, after decompression.
    public var received: Int64 = 0
    /// The size of the answer's body; nil when the server does not say, or compresses it.
    public var totalToReceive: Int64?

    /// Nothing yet.
    public init() {}
}
