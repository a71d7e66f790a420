// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// How an event stream reconnects.
public nonisolated struct ServiceReconnection: Sendable {
    /// The wait in seconds, unless the server sends another. Default: 3.
    ///
    /// It doubles until an event arrives. Up to a half is added at random, so that clients don't
    /// reconnect at the same time.
    public var delay: TimeInterval
    /// The longest wait in seconds, without its random part. Default: 60. The shortest is 0.1.
    public var maximumDelay: TimeInterval
    /// The clock that measures the waits. If a wait throws, the events end with `ServiceError.cancelled`.
    public var clock: ServiceClock

    /// Creates a value. The properties say what each argument means.
    public init(
        delay: TimeInterval = 3, maximumDelay: TimeInterval = 60,
        clock: ServiceClock = ServiceClock()
    ) {
        self.delay = delay
        self.maximumDelay = maximumDelay
        self.clock = clock
    }
}
