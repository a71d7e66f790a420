// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// A real HTTP/1.1 server on 127.0.0.1 for tests, that can also misbehave.
///
/// It listens as soon as it is made, on a port that the system chooses, so that tests can run side
/// by side. It answers from a queue or by a closure, and records what came over the wire.
///
/// ```swift
/// let server = try LoopbackServer(answers: [.json(#"{"id": 1}"#), .status(503)])
/// // point the client under test at server.baseURL
/// #expect(server.nextRequest()?.path == "/users/1")
/// ```
///
/// A request that is malformed, or whose head is larger than 1 MB, is answered with 400 and the
/// connection closed. One whose head was sound is recorded, as incomplete.
public final class LoopbackServer: Sendable {
    /// The port it listens on.
    public var port: Int { state.listener.port }

    private let state: LoopbackState

    /// Answers each request by a closure.
    ///
    /// The closure runs on the connection's own thread, several at a time where there are several
    /// connections, and may block. Answers put into the queue go before it. It must not keep the
    /// server alive: a closure that captures its server keeps it from ever being released.
    ///
    /// - Parameters:
    ///   - bodyLimit: How many bytes of each request's body are kept, 1 MB by default. The rest is
    ///     read and counted.
    ///   - handler: Makes the answer to a request whose body has been read.
    /// - Throws: The system call that failed.
    public init(
        recordingBodiesUpTo bodyLimit: Int = 1 << 20,
        handler: @escaping @Sendable (LoopbackRequest) -> LoopbackAnswer
    ) throws(LoopbackError) {
        state = LoopbackState(try LoopbackListener())
        state.startThread { [state] in
            for index in 0... {
                guard let socket = state.listener.nextConnection() else { return }
                state.countConnection()
                let connection = LoopbackConnection(
                    socket: socket, index: index, state: state, bodyLimit: bodyLimit,
                    handler: handler)
                state.startThread { connection.serve() }
            }
        }
    }

    /// Answers from a queue, in order.
    ///
    /// A request that finds the queue empty gets 404 and a text that says so.
    ///
    /// - Parameter answers: The first answers of the queue; ``enqueue(_:)`` adds more.
    /// - Throws: The system call that failed.
    public convenience init(answers: [LoopbackAnswer] = []) throws(LoopbackError) {
        try self.init {
            .text("LoopbackServer: no answer left for \($0.method) \($0.target)\n", status: 404)
        }
        state.enqueue(answers)
    }

    deinit { stop() }

    /// Where it is reached, without a slash at the end: "http://127.0.0.1:PORT".
    public var baseURL: String { "http://127.0.0.1:\(port)" }

    /// Every request that came, as it came over the wire, in the order their bodies ended.
    public var requests: [LoopbackRequest] { state.requests }

    /// How many connections it has accepted so far.
    public var connectionCount: Int { state.connectionCount }

    /// Adds answers to the end of the queue.
    public func enqueue(_ answers: LoopbackAnswer...) { state.enqueue(answers) }

    /// Takes the next request that has not been taken yet, waiting for it where need be.
    ///
    /// - Parameter timeout: How many seconds to wait, 10 by default.
    /// - Returns: Nil when none came in time, or none is left and the server has stopped.
    public func nextRequest(timeout: TimeInterval = 10) -> LoopbackRequest? {
        state.nextRequest(timeout: timeout)
    }

    /// Closes every connection and the port.
    ///
    /// It returns when every thread has done its work and every descriptor is closed. It waits for
    /// a handler that is still running; called by a handler, it does not wait. It may be called
    /// more than once, and is called when the server is released.
    public func stop() { state.stop() }
}
