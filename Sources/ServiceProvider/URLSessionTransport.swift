// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests by URLSession: the default transport.
public nonisolated final class URLSessionTransport: ServiceTransport {
    /// The transport that providers use by default.
    public static let shared = URLSessionTransport()

    private let session: URLSession
    private let delegate = URLSessionTransportDelegate()

    /// Creates a transport with its own session, which ends with the transport.
    ///
    /// - Parameter configuration: Default: `URLSessionConfiguration.default`. Don't put credentials into
    ///   `httpAdditionalHeaders`: they are sent to every host that a redirect names. Cookies are sent to
    ///   all ports of their host. On Linux a `urlCache` isn't used: URLSession's answers the wrong query
    ///   there, and can end the process.
    public init(configuration: URLSessionConfiguration = .default) {
        session = delegate.makeSession(configuration)
    }

    /// Creates a transport with your session, which it never invalidates.
    ///
    /// On Linux a task's data only reaches the session's delegate. So the transport creates a session with
    /// the same configuration (without `urlCache`), and your session's delegate isn't called.
    public init(session: URLSession) {
        self.session = delegate.adopt(session)
    }

    deinit {
        if session.delegate === delegate { session.finishTasksAndInvalidate() }
    }

    /// Sends a request. Timeouts are rounded up to whole seconds, because Linux rounds them down.
    ///
    /// - Throws: A `URLError`; if the task is cancelled, `URLError.cancelled`.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        var urlRequest = request.urlRequest
        let seconds = URLSessionTransportDelegate.wholeSeconds(urlRequest.timeoutInterval)
        // A timeout that is set replaces the session's own, so don't set the same one.
        if seconds != urlRequest.timeoutInterval { urlRequest.timeoutInterval = seconds }
        URLSessionTransportDelegate.prepare(&urlRequest)
        let task = session.dataTask(with: urlRequest)
        task.delegate = delegate
        defer { delegate.synchronize() }
        // Not `URLSession.data(for:)`, which can freeze all sessions on Linux when it is cancelled.
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { delegate.start(task, request, $0) }
        } onCancel: {
            delegate.cancel(task)
        }
    }
}

/// The delegate of a transport's tasks. It has a list of the running calls.
nonisolated final class URLSessionTransportDelegate: NSObject, URLSessionDataDelegate {
    private struct Call {
        let builder: ServiceResponseBuilder
        var continuation: CheckedContinuation<ServiceResponse, any Error>?
        /// The task, until someone cancels it.
        var cancellable: URLSessionTask?
        /// The error that ended the transfer.
        var failure: (any Error)?
    }

    private let lock = NSLock()
    // Safe because it is only used under the lock.
    nonisolated(unsafe) private var calls: [URLSessionTask: Call] = [:]

    /// URLSession on Linux cuts fractions off, and traps at infinity and NaN.
    static func wholeSeconds(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds.rounded(.up), ServiceRequest.aWeek) : 60
    }

    func start(
        _ task: URLSessionTask, _ request: ServiceRequest,
        _ continuation: CheckedContinuation<ServiceResponse, any Error>
    ) {
        let cancel = { @Sendable in self.cancel(task) }
        let control = ServiceTransferControl(cancel: cancel, pause: Self.pause(task))
        let builder = ServiceResponseBuilder(for: request, control: control)
        lock.withLock {
            calls[task] = Call(builder: builder, continuation: continuation, cancellable: task)
        }
        // A cancellation before this didn't find the call.
        if Task.isCancelled { takeCancellable(task)?.cancel() }
        // Also if it is cancelled: a task that is never resumed stays in the session.
        task.resume()
    }

    /// Cancels a task once, on another thread: a second cancellation ends the process on Linux, and
    /// `cancel()` waits for the session's queue, which may be waiting for the caller.
    func cancel(_ task: URLSessionTask) {
        DispatchQueue.global().async { self.takeCancellable(task)?.cancel() }
    }

    /// Returns the task to the first one who asks, who must then cancel it.
    func takeCancellable(_ task: URLSessionTask) -> URLSessionTask? {
        lock.withLock { calls[task]?.cancellable.take() }
    }

    /// Takes the lock, so that ThreadSanitizer sees the order of the callbacks and the code after the
    /// call. (Swift 6.3 doesn't tell it about a continuation that is resumed before it is awaited.)
    func synchronize() { lock.withLock {} }

    func upload(of task: URLSessionTask) -> ServiceBody.Upload? {
        lock.withLock { calls[task] }?.builder.request.upload
    }

    /// Ends a call with an error.
    func fail(_ task: URLSessionTask, with error: any Error) {
        lock.withLock { calls[task]?.failure = error }
        cancel(task)
    }

    /// Passes an event to a call, unless it has failed. The session's callbacks for a task come one after
    /// another, so the builder needs no lock.
    private func update(
        _ task: URLSessionTask, _ change: (ServiceResponseBuilder) throws -> Void
    ) {
        guard let call = lock.withLock({ calls[task] }), call.failure == nil else { return }
        do { try change(call.builder) } catch { fail(task, with: error) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        update(dataTask) { builder in
            guard let http = response as? HTTPURLResponse else { return }
            let head = ServiceResponse(request: builder.request, http: http)
            guard let response = try builder.didReceive(head) else { return }
            lock.withLock { calls[dataTask]?.continuation.take() }?.resume(returning: response)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        update(dataTask) { try $0.didReceive(data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytes: Int64,
        totalBytesSent total: Int64, totalBytesExpectedToSend _: Int64
    ) {
        update(task) { $0.didSend(total) }
    }

    /// The provider follows redirects, the same way on every platform.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        if mayRefuseRedirect(of: task) { completionHandler(nil) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        completionHandler(newBodyStream(for: task))
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let call = lock.withLock({ calls.removeValue(forKey: task) }) else { return }
        let result = Swift.Result {
            // URLSession on Linux doesn't report the response of a redirect that it can't follow.
            let hasHead = call.builder.response != nil
            if error == nil, !hasHead, let http = task.response as? HTTPURLResponse {
                let head = ServiceResponse(request: call.builder.request, http: http)
                _ = try call.builder.didReceive(head)
            }
            return try call.builder.end(call.failure ?? error.map(Self.corrected))
        }
        call.continuation?.resume(with: result)
    }
}
