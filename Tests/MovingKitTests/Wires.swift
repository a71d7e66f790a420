// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import LoopbackServer
import TestSupport

/// The transports that the kits' tests use.
let wires = TransportUnderTest.allCases.filter { $0 != .callersSession }

extension LoopbackServer {
    /// Runs a closure in which the targets and delegates use this server.
    func serve(_ work: () async throws -> Void) async throws {
        try await Server.$baseURL.withValue(baseURL) {
            try await GetServer.$baseURL.withValue(baseURL, operation: work)
        }
    }
}

extension LoopbackRequest {
    /// The first line without the version.
    var line: String { "\(method) \(target)" }

    var text: String { String(decoding: body, as: UTF8.self) }
}
