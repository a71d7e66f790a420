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
/// connection closed; only one whose head was sound is recorded.
public final class LoopbackServer: Sendable {
    /// The port it listens on.
    public let port: Int

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
        let wakePipe = try WakePipe()
        do throws(LoopbackError) {
            let (listener, port) = try LoopbackSocket.listening(wakePipe)
            self.port = port
            let state = LoopbackState(bodyLimit: bodyLimit, wakePipe: wakePipe, handler: handler)
            state.startThread { Self.acceptConnections(on: listener, state) }
            self.state = state
        } catch {
            wakePipe.closeBoth()
            throw error
        }
    }

    /// Answers from a queue, in order.
    ///
    /// A request that finds the queue empty gets 404 and a text that says so.
    ///
    /// - Parameter answers: The first answers of the queue; ``enqueue(_:)`` adds more.
    /// - Throws: The system call that failed.
    public convenience init(answers: [LoopbackAnswer] = []) throws(LoopbackError) {
        try self.init { request in
            let unanswered = "\(request.method) \(request.target)"
            return .text("LoopbackServer: no answer left for \(unanswered)\n", status: 404)
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

    private static func acceptConnections(on listener: LoopbackSocket, _ state: LoopbackState) {
        while let socket = listener.acceptNext() {
            let index = state.countConnection()
            state.startThread {
                LoopbackConnection(socket: socket, index: index, state: state).serve()
            }
        }
        listener.hangUp()
    }
}
