// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
// Exported, because on Apple platforms `import Foundation` has these types too.
@_exported import FoundationNetworking

/// Workarounds for URLSession on Linux (swift-corelibs-foundation).
nonisolated extension URLSessionCallDelegate {
    package static func makeSession(_ configuration: URLSessionConfiguration) -> URLSession {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        let seconds = wholeSeconds(configuration.timeoutIntervalForRequest)
        configuration.timeoutIntervalForRequest = seconds
        configuration.urlCache = nil
        // It is a file that everyone can read, and other programs use it: those in a folder of the same name.
        if configuration.httpCookieStorage === HTTPCookieStorage.shared {
            configuration.httpCookieStorage = nil
        }
        return URLSession(
            configuration: configuration, delegate: URLSessionCallDelegate(),
            delegateQueue: InlineQueue())
    }

    /// URLSession delivers data to the session's delegate, never to a task's delegate.
    static func serialSession(like session: URLSession) -> URLSession {
        makeSession(session.configuration)
    }

    /// URLSession drops fractions, and traps on infinity and NaN. Values that aren't above 0 become its default, 60.
    private static func wholeSeconds(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds.rounded(.up), ServiceRequest.maximumTimeout) : 60
    }

    /// URLSession takes a stream that has no bytes yet for one that has failed, or blocks the other transfers of the
    /// session until it has some.
    static func check(_ request: ServiceRequest) throws {
        try ServiceError.require(
            request.bodySource == nil, of: .body,
            reason: "on Linux, only CurlTransport can send a sequence")
    }

    static func prepared(_ request: URLRequest) -> URLRequest {
        var request = request
        let seconds = wholeSeconds(request.timeoutInterval)
        // Setting a timeout overrides the session's, so set it only if it changes.
        if seconds != request.timeoutInterval { request.timeoutInterval = seconds }
        // URLSession would send a stream in chunks, in spite of its Content-Length. With this header it
        // doesn't, and libcurl leaves out a header that has only spaces.
        if request.value(forHTTPHeaderField: "Content-Length") != nil {
            request.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
        }
        return request
    }

    /// Nil, because suspending a task would send its request again.
    static func setPaused(_ task: URLSessionTask) -> (@Sendable (Bool) -> Void)? { nil }

    /// A reused connection has closed without a response. This throws, because URLSession would
    /// send the request again with an empty or partial body, and the server may already have
    /// received it.
    static func reopened(_ request: ServiceRequest) throws -> ServiceRequest? {
        throw URLError(.networkConnectionLost)
    }

    /// Cancelling a task and then refusing its redirect crashes the process ("we're not waiting for
    /// it"). Each of them ends the task, so do only one.
    func refuseRedirect(
        of task: URLSessionTask, in session: URLSession, _ completionHandler: (URLRequest?) -> Void
    ) {
        if delegate(of: task).takeRunningTask() != nil {
            completionHandler(nil)
        }
    }

    /// A Basic challenge without a credential never ends, not even after the timeout. So the 401
    /// that came before it is the response, and the challenge is cancelled.
    package func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        guard delegate(of: task).takeRunningTask() != nil else { return }
        urlSession(session, task: task, didCompleteWithError: nil)
        // Safe because nothing else calls the handler. The handler waits for this method's queue,
        // so call it on another one.
        nonisolated(unsafe) let handler = completionHandler
        DispatchQueue.global().async { handler(.cancelAuthenticationChallenge, nil) }
    }
}

/// Runs operations immediately, on the session's own queue. Otherwise 100 MB and more of a large download
/// wait in memory for the delegate.
private nonisolated final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

#else

nonisolated extension URLSessionCallDelegate {
    package static func makeSession(_ configuration: URLSessionConfiguration) -> URLSession {
        URLSession(configuration: configuration)
    }

    /// A concurrent queue would call the delegate in parallel.
    static func serialSession(like session: URLSession) -> URLSession {
        guard session.delegateQueue.maxConcurrentOperationCount == 1
        else { return makeSession(session.configuration) }
        return session
    }

    static func check(_ request: ServiceRequest) throws {}

    static func prepared(_ request: URLRequest) -> URLRequest { request }

    static func setPaused(_ task: URLSessionTask) -> (@Sendable (Bool) -> Void)? {
        { $0 ? task.suspend() : task.resume() }
    }

    /// The request with a new stream of its body. Nil if that can be read only once.
    static func reopened(_ request: ServiceRequest) throws -> ServiceRequest? {
        guard request.upload != nil else { return nil }
        let size = request.urlRequest.value(forHTTPHeaderField: "Content-Length")
        var request = request
        try request.openBody()
        let newSize = request.urlRequest.value(forHTTPHeaderField: "Content-Length")
        try ServiceError.require(newSize == size, of: .body, reason: "its size has changed")
        return request
    }

    func refuseRedirect(
        of task: URLSessionTask, in session: URLSession,
        _ completionHandler: (URLRequest?) -> Void
    ) {
        completionHandler(nil)
        endRefusedRedirect(of: task, in: session, after: Self.patience)
    }

    /// Keeps the metrics, and passes them to the delegate of a caller's session, which URLSession leaves out if the task has
    /// a delegate for them.
    package func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        delegate(of: task).note(ServiceMetrics(metrics))
        let owner = session.delegate as? URLSessionTaskDelegate
        owner?.urlSession?(session, task: task, didFinishCollecting: metrics)
    }
}
#endif
