// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking

/// Workarounds for URLSession on Linux (swift-corelibs-foundation).
nonisolated extension URLSessionCall {
    static func makeSession(_ configuration: URLSessionConfiguration) -> URLSession {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        let seconds = wholeSeconds(configuration.timeoutIntervalForRequest)
        configuration.timeoutIntervalForRequest = seconds
        configuration.urlCache = nil
        return URLSession(
            configuration: configuration, delegate: URLSessionCall(),
            delegateQueue: InlineQueue())
    }

    /// URLSession delivers data to the session's delegate, never to a task's delegate.
    static func adopt(_ session: URLSession) -> URLSession { makeSession(session.configuration) }

    /// URLSession drops fractions, and traps on infinity and NaN.
    private static func wholeSeconds(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds.rounded(.up), ServiceRequest.maximumTimeout) : 60
    }

    static func prepare(_ request: inout URLRequest) {
        let seconds = wholeSeconds(request.timeoutInterval)
        // A timeout that is set replaces the session's own, so don't set the same one.
        if seconds != request.timeoutInterval { request.timeoutInterval = seconds }
        // URLSession would send a stream in chunks, in spite of its Content-Length. With this header it
        // doesn't, and libcurl leaves out a header that has only spaces.
        guard request.value(forHTTPHeaderField: "Content-Length") != nil else { return }
        request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
    }

    /// Nil, because suspending a task would send its request again.
    static func pause(_ task: URLSessionTask) -> (@Sendable (Bool) -> Void)? { nil }

    /// A reused connection has closed without a response. This throws, because URLSession would
    /// send the request again with an empty or partial body, and the server may already have
    /// received it.
    static func newBody(_ request: ServiceRequest) throws -> InputStream? {
        throw URLError(.networkConnectionLost)
    }

    /// Cancelling a task and then refusing its redirect crashes the process ("we're not waiting for
    /// it"). Either ends the task, so do only one.
    static func mayRefuseRedirect(of task: URLSessionTask) -> Bool {
        (task.delegate as? URLSessionCall)?.takeCancellable() != nil
    }

    /// URLSession reports the same error code for an invalid response and for a connection that
    /// closes without a response. This method tells them apart.
    static func corrected(_ error: any Error) -> any Error {
        guard let error = error as? URLError, error.code == .badServerResponse,
            error.localizedDescription == "Empty reply from server"
        else { return error }
        return URLError(.networkConnectionLost, userInfo: error.userInfo)
    }

    /// A Basic challenge without a credential never ends, not even after the timeout. So the 401
    /// that came before it is the response, and the challenge is cancelled.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let isFirst = Self.mayRefuseRedirect(of: task)
        urlSession(session, task: task, didCompleteWithError: nil)
        // Safe because nothing else calls the handler. The handler waits for this method's queue,
        // so call it on another one.
        nonisolated(unsafe) let handler = completionHandler
        if isFirst { DispatchQueue.global().async { handler(.cancelAuthenticationChallenge, nil) } }
    }
}

/// Runs operations immediately, on the session's own queue. Otherwise 100 MB and more of a large download
/// wait in memory for the delegate.
private nonisolated final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif
