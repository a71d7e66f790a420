// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Dispatch
import LoopbackServer

/// A server that answers a request when the test says so.
final class WaitingServer {
    let server: LoopbackServer
    private let semaphores: [String: DispatchSemaphore]
    private let arrivals: AsyncStream<String>

    /// Creates a server with a response for each query. Other queries get status 404.
    init(_ responses: [String: LoopbackAnswer]) throws {
        let semaphores = responses.mapValues { _ in DispatchSemaphore(value: 0) }
        let (arrivals, arrival) = AsyncStream.makeStream(of: String.self)
        server = try LoopbackServer { request in
            let query = request.query ?? ""
            arrival.yield(query)
            // A limit, so that a test that fails doesn't keep the process running.
            _ = semaphores[query]?.wait(timeout: .now() + 30)
            return responses[query] ?? .status(404)
        }
        (self.semaphores, self.arrivals) = (semaphores, arrivals)
    }

    /// Waits for the next request, and returns its query.
    func next() async -> String? {
        for await query in arrivals { return query }
        return nil
    }

    /// Answers the request with a query.
    func answer(_ query: String) {
        semaphores[query]?.signal()
    }
}
