// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// The delegate of one call's task.
///
/// On Linux, a session only calls its own delegate, which is one without a call. So each callback looks up the
/// delegate of its task.
package nonisolated final class URLSessionCallDelegate: NSObject, URLSessionDataDelegate {
    package typealias Continuation = CheckedContinuation<ServiceResponse, any Error>

    /// How many seconds a refused redirect may take to become the response.
    static let patience: TimeInterval = 5

    private let lock = NSLock()
    // Safe because the next three are only used under the lock.
    /// The task, until someone ends it or it has ended.
    nonisolated(unsafe) private var runningTask: URLSessionTask?
    /// The error that ended the transfer.
    nonisolated(unsafe) private var failure: (any Error)?
    nonisolated(unsafe) private var hasRefusedChallenge = false
    // Safe because the others are set before the task starts, and then only used by its callbacks, which come
    // one after another.
    nonisolated(unsafe) private var continuation: Continuation?
    /// Nil before the call starts and after it has ended.
    nonisolated(unsafe) private var builder: ServiceResponseBuilder?
    /// The head of a redirect that was refused.
    nonisolated(unsafe) private var redirect: ServiceResponse?
    /// Those of the task. Empty on Linux.
    nonisolated(unsafe) private var metrics: [ServiceMetrics] = []
    /// Writes the body that URLSession has asked for again.
    nonisolated(unsafe) private var newSource: (any ServiceBodySource)?

    package func start(_ task: URLSessionTask, _ request: ServiceRequest, _ caller: Continuation) {
        let cancel = { @Sendable in self.end(with: URLError(.cancelled)) }
        let control = ServiceTransferControl(cancel: cancel, setPaused: Self.setPaused(task))
        builder = ServiceResponseBuilder(for: request, control: control)
        continuation = caller
        task.delegate = self
        lock.withLock { runningTask = task }
        // A cancellation before this didn't find the task.
        if Task.isCancelled { takeRunningTask()?.cancel() }
        request.bodySource?.start(onFailure: end)
        // Resume even a cancelled task: otherwise it stays in the session.
        task.resume()
    }

    /// Cancels the task once, on another thread: cancelling twice crashes the process on Linux, and the
    /// task's `cancel()` waits for the session's queue, which may wait for the caller.
    package func cancel() { DispatchQueue.global().async { self.takeRunningTask()?.cancel() } }

    /// Ends the call with an error, even if the rest of the response arrives first.
    private func end(with error: any Error) {
        lock.withLock { failure = failure ?? error }
        cancel()
    }

    /// Returns the task to the first caller, which must then end it.
    func takeRunningTask() -> URLSessionTask? { lock.withLock { runningTask.take() } }

    /// The delegate of a task. On Apple platforms, a task that has ended may have lost its delegate, and this is
    /// the one. On Linux, this may be the session's delegate, which ignores callbacks.
    func delegate(of task: URLSessionTask) -> URLSessionCallDelegate {
        task.delegate as? URLSessionCallDelegate ?? self
    }

    /// Notes that a challenge was refused. URLSession then ends the task as if it was cancelled.
    package func noteRefusedChallenge() { lock.withLock { hasRefusedChallenge = true } }

    /// Keeps the metrics of the task, which come before its end.
    func note(_ metrics: ServiceMetrics) { self.metrics = [metrics] }

    /// Passes an event to the builder of a task, unless its call has failed. The session's callbacks for a
    /// task come one after another, so the builder needs no lock.
    ///
    /// - Returns: The result of the change; nil if the call has failed.
    @discardableResult
    private func update<T>(_ task: URLSessionTask, _ change: (ServiceResponseBuilder) throws -> T?)
        -> T?
    {
        let call = delegate(of: task)
        let hasFailed = call.lock.withLock { call.failure != nil }
        guard let builder = call.builder, !hasFailed else { return nil }
        do {
            return try change(builder)
        } catch {
            call.end(with: error)
            return nil
        }
    }

    package func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        let streamed = update(dataTask) { builder in
            try ServiceResponse(response, to: builder.request).flatMap {
                try builder.didReceive(head: $0)
            }
        }
        if let streamed {
            delegate(of: dataTask).continuation.take()?.resume(returning: streamed)
        }
        completionHandler(.allow)
    }

    package func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data
    ) {
        update(dataTask) { builder in try builder.didReceive(chunk: data) }
    }

    package func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytes: Int64,
        totalBytesSent total: Int64, totalBytesExpectedToSend _: Int64
    ) {
        update(task) { builder in builder.didSend(total) }
    }

    /// The provider follows redirects, the same way on every platform.
    package func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        let call = delegate(of: task)
        call.redirect = update(task) { ServiceResponse(response, to: $0.request) }
        refuseRedirect(of: task, in: session, completionHandler)
    }

    /// Ends a call later if nothing follows the redirect that it has refused.
    ///
    /// URLSession on Apple platforms then sometimes waited for the timeout, as old reports say (rdar://31284156).
    package func endRefusedRedirect(
        of task: URLSessionTask, in session: URLSession, after seconds: TimeInterval
    ) {
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { [weak self, weak task] in
            guard let self, let task else { return }
            // On the queue of the session's callbacks.
            session.delegateQueue.addOperation { self.endRefusedRedirect(of: task, in: session) }
        }
    }

    private func endRefusedRedirect(of task: URLSessionTask, in session: URLSession) {
        let call = delegate(of: task)
        guard call.builder?.hasResponse == false else { return }
        let running = call.takeRunningTask()
        urlSession(session, task: task, didCompleteWithError: nil)
        running?.cancel()
    }

    package func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        let stream = update(task) { builder in
            let call = delegate(of: task)
            let request = try Self.reopened(builder.request)
            builder.request.bodySource?.stop()
            call.newSource?.stop()
            call.newSource = request?.bodySource
            call.newSource?.start(onFailure: call.end)
            return request?.urlRequest.httpBodyStream
        }
        completionHandler(stream)
    }

    package func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let call = delegate(of: task)
        guard let builder = call.builder.take() else { return }
        // It has ended, so it can't be cancelled anymore.
        let wasCancelled = call.takeRunningTask() == nil
        call.newSource?.stop()
        let failure = call.lock.withLock { call.failure }
        let isUnsent = failure == nil && Self.hasSentNothing(task, builder, error)
        if !isUnsent { builder.request.sendingRecord?.noteSent() }
        let problem = failure ?? error.flatMap { call.problem($0, builder, wasCancelled) }
        let result = Result {
            // URLSession on Linux doesn't report the response of a redirect that it can't follow.
            if problem == nil, !builder.hasResponse,
                let head = call.redirect ?? ServiceResponse(task.response, to: builder.request)
            {
                _ = try builder.didReceive(head: head)
            }
            var response = try builder.end(call.measured(problem, isUnsent: isUnsent))
            response.metrics += call.metrics
            return response
        }
        call.continuation.take()?.resume(with: result)
    }

    /// The error of the call, for the error of its task. Nil for a refused redirect: that is the response, without its body.
    private func problem(
        _ error: any Error, _ builder: ServiceResponseBuilder, _ wasCancelled: Bool
    ) -> (any Error)? {
        let isCancellation = (error as? URLError)?.code == .cancelled
        guard redirect == nil || builder.hasResponse || isCancellation else { return nil }
        let isRefusal = isCancellation && !wasCancelled && lock.withLock { hasRefusedChallenge }
        return isRefusal ? URLError(.userCancelledAuthentication) : Self.transportError(error)
    }

    /// An error with the metrics of its task.
    private func measured(_ problem: (any Error)?, isUnsent: Bool) -> (any Error)? {
        guard let error = problem as? URLError else { return problem }
        let reported = isUnsent ? error.unsent : error
        return metrics.isEmpty ? reported : reported.adding(metrics)
    }

    /// Whether a task failed before it sent a byte of its body. URLSession on Linux has these codes for some connections
    /// that were lost, too.
    private static func hasSentNothing(
        _ task: URLSessionTask, _ builder: ServiceResponseBuilder, _ error: (any Error)?
    ) -> Bool {
        guard let error = error as? URLError, builder.response == nil else { return false }
        guard builder.request.hasBody, task.countOfBytesSent == 0 else { return false }
        return [.cannotFindHost, .dnsLookupFailed, .cannotConnectToHost].contains(error.code)
    }

    /// Returns a `URLError` for an error of URLSession, so that it is retried like other transport errors. When an
    /// app returns from the background, its connections are lost, and some calls fail with an error of the domain
    /// `NSPOSIXErrorDomain` or `kCFErrorDomainCFNetwork`.
    private static func transportError(_ error: any Error) -> any Error {
        guard !(error is URLError), !(error is CancellationError) else { return error }
        let cause = error as NSError
        // On Linux, a URLProtocol's `NSError` isn't cast to a `URLError`.
        let known = cause.domain == NSURLErrorDomain ? URLError.Code(rawValue: cause.code) : nil
        return URLError(known ?? .networkConnectionLost, userInfo: [NSUnderlyingErrorKey: cause])
    }
}

nonisolated extension ServiceResponse {
    /// Nil if the response isn't an HTTP response.
    fileprivate init?(_ response: URLResponse?, to request: ServiceRequest) {
        guard let http = response as? HTTPURLResponse else { return nil }
        let headers = http.allHeaderFields as? [String: String] ?? [:]
        self.init(request: request, statusCode: http.statusCode, headers: headers)
    }
}
