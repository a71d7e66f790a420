// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A real HTTP/1.1 server on 127.0.0.1 for tests. It can also misbehave.
///
/// It starts when it is created, on a port that the system chooses, so tests can run in parallel.
/// It responds from a queue or with a closure, and records every request.
///
/// ```swift
/// let server = try LoopbackServer(responses: [.json(#"{"id": 1}"#), .statusCode(503)])
/// // point the client under test at server.baseURL
/// #expect(server.nextRequest()?.path == "/users/1")
/// ```
///
/// If a request line doesn't have three words, a header has no colon, the headers are larger than
/// 1 MB, or the client starts TLS, the server responds with 400 and closes the connection. It does
/// the same if a body has any coding but `chunked` or is malformed, and records the request as
/// incomplete. Otherwise, it doesn't check requests: ``LoopbackRequest/head`` has the received bytes.
public final class LoopbackServer: Sendable {
    /// The port it listens on.
    public var port: Int { state.listener.port }

    private let state: LoopbackState

    /// Starts a server that responds to each request with a closure.
    ///
    /// The closure runs on the connection's thread, so it may block, and runs in parallel if there
    /// are several connections. Responses in the queue take precedence. Don't capture the server
    /// strongly in the closure, because it would never be released.
    ///
    /// - Parameters:
    ///   - maximumBodySize: How many bytes of each request's body are recorded. The rest is read and
    ///     counted. Default: 1 MB.
    ///   - handler: Returns the response to a request, after its body was read.
    /// - Throws: A ``LoopbackError`` if the server can't start.
    public init(
        recordingBodiesUpTo maximumBodySize: Int = 1 << 20,
        handler: @escaping @Sendable (LoopbackRequest) -> LoopbackResponse
    ) throws(LoopbackError) {
        state = LoopbackState(try LoopbackListener())
        state.startThread { [state] in
            while let socket = state.listener.nextConnection() {
                let connection = LoopbackConnection(
                    socket: socket, index: state.connectionCount, state: state,
                    maximumBodySize: maximumBodySize, handler: handler)
                state.countConnection()
                state.startThread { connection.serve() }
            }
        }
    }

    /// Starts a server that responds from a queue, in order.
    ///
    /// If the queue is empty, it responds with 404 and a text that says so.
    ///
    /// - Parameter responses: The first responses in the queue. ``enqueue(_:)`` adds more.
    /// - Throws: A ``LoopbackError`` if the server can't start.
    public convenience init(responses: [LoopbackResponse] = []) throws(LoopbackError) {
        try self.init {
            .text(
                "LoopbackServer: no response left for \($0.method) \($0.target)\n", statusCode: 404)
        }
        state.enqueue(responses)
    }

    deinit { stop() }

    /// The server's URL without a slash at the end, "http://127.0.0.1:PORT".
    public var baseURL: String { "http://127.0.0.1:\(port)" }

    /// All requests received so far, in the order in which their bodies ended.
    public var requests: [LoopbackRequest] { state.requests }

    /// How many connections the server has accepted so far.
    public var connectionCount: Int { state.connectionCount }

    /// Adds responses to the end of the queue.
    public func enqueue(_ responses: LoopbackResponse...) { state.enqueue(responses) }

    /// Returns the next request that hasn't been returned yet, and waits for it if necessary.
    ///
    /// - Parameter timeout: How many seconds to wait. Default: 10.
    /// - Returns: Nil if no request arrived in time, or if none is left and the server has stopped.
    public func nextRequest(timeout: TimeInterval = 10) -> LoopbackRequest? {
        state.nextRequest(timeout: timeout)
    }

    /// Closes all connections and the port.
    ///
    /// Returns once all threads have finished and all descriptors are closed. It waits for handlers
    /// that are still running, unless a handler calls it. You can call it more than once. Releasing
    /// the server calls it too.
    public func stop() { state.stop() }
}
