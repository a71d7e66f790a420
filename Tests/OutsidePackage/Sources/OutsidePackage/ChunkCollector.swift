// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider

/// Collects the chunks of a body, and cancels the transfer after a number of them.
final class ChunkCollector: ServiceBodySink, @unchecked Sendable {
    let destination: ServiceBodyDestination
    private let limit: Int
    private let lock = NSLock()
    private var chunks: [String] = []
    private var control: ServiceTransferControl?

    init(_ destination: ServiceBodyDestination, limit: Int = .max) {
        self.destination = destination
        self.limit = limit
    }

    func didSend(_ sent: Int64) {}

    func begin(_ response: ServiceResponse, control: ServiceTransferControl) throws {
        lock.withLock { (chunks, self.control) = ([], control) }
    }

    func receive(_ chunk: Data) throws {
        lock.withLock {
            chunks.append(String(decoding: chunk, as: UTF8.self))
            if chunks.count == limit { control?.cancel() }
        }
    }

    func end(_ error: (any Error)?) {
        lock.withLock { chunks.append(error == nil ? "." : "!") }
    }

    /// The chunks, and "." after a whole body or "!" after an error.
    var text: String { lock.withLock { chunks.joined(separator: "|") } }
}
