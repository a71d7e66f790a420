// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import LoopbackServer

extension LoopbackServer {
    /// Runs a closure in which the targets use this server.
    func serve(_ work: () async throws -> Void) async throws {
        try await Server.$baseURL.withValue(baseURL, operation: work)
    }
}
