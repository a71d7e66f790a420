// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Dispatch
import LoopbackServer

/// A server that delays each response until the test calls ``answer(_:)``.
final class WaitingServer {
    let server: LoopbackServer
    private let semaphores: [String: DispatchSemaphore]
    private let arrivals: AsyncStream<String>

    /// Creates a server with a response for each query. Other queries get status 404.
    init(_ responses: [String: LoopbackResponse]) throws {
        let semaphores = responses.mapValues { _ in DispatchSemaphore(value: 0) }
        let (arrivals, arrival) = AsyncStream.makeStream(of: String.self)
        server = try LoopbackServer { request in
            let query = request.query ?? ""
            arrival.yield(query)
            // The limit ends this thread if a test fails before it calls `answer`.
            _ = semaphores[query]?.wait(timeout: .now() + 30)
            return responses[query] ?? .statusCode(404)
        }
        (self.semaphores, self.arrivals) = (semaphores, arrivals)
    }

    /// Waits for the next request. Returns its query.
    func next() async -> String? {
        for await query in arrivals { return query }
        return nil
    }

    /// Sends the response to the request with this query.
    func answer(_ query: String) {
        semaphores[query]?.signal()
    }
}
