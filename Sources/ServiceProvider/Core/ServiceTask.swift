// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A call that is under way.
public nonisolated struct ServiceTask: Sendable {
    let task: Task<Void, Never>

    /// Stops the call; its handler gets ``ServiceError/cancelled``.
    ///
    /// Called on the main actor, it is certain: unless the handler has run already, it gets
    /// ``ServiceError/cancelled`` and nothing else, also when the answer had just come. To call it
    /// again, or when the call has ended, does nothing.
    public func cancel() {
        task.cancel()
    }
}
