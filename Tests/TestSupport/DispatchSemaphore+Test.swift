// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Dispatch

extension DispatchSemaphore {
    /// Blocks until a signal, but at most a minute.
    ///
    /// Use it in handlers of servers: a server waits for its handlers when it's released, and a test
    /// that fails early never signals.
    public func waitForAMinute() { _ = wait(timeout: .now() + 60) }
}
