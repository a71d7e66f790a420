// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// One server-sent event.
public nonisolated struct ServiceEvent: Hashable, Sendable {
    /// The kind of event. Default: "message".
    public var name: String
    /// The data. Several lines are joined by LF.
    public var data: String
    /// The last identifier the server sent, with this event or an earlier one; empty if none.
    public var id: String
    /// How many seconds the server wants clients to wait before they reconnect; nil if it didn't say.
    public var retry: TimeInterval?

    /// Creates an event, for example in a test.
    public init(
        data: String = "", name: String = "message", id: String = "", retry: TimeInterval? = nil
    ) {
        self.data = data
        self.name = name
        self.id = id
        self.retry = retry
    }
}
