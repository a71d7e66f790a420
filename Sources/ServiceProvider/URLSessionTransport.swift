// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends requests with URLSession: the default transport.
public nonisolated final class URLSessionTransport: ServiceTransport {
    /// The transport that providers use by default.
    public static let shared = URLSessionTransport()

    private let session: URLSession
    private let isOwner: Bool
    private let isBackground: Bool

    /// Creates a transport with its own session, which ends with the transport.
    ///
    /// - Parameter configuration: Default: `URLSessionConfiguration.default`. Don't put credentials into
    ///   `httpAdditionalHeaders`: they are sent to every host that a redirect names. Cookies are sent to
    ///   all ports of their host. On Linux, `urlCache` isn't used: URLSession's cache can return
    ///   the response of a URL with a different query, and can crash the process.
    public convenience init(configuration: URLSessionConfiguration = .default) {
        self.init(owned: URLSessionCall.makeSession(configuration))
    }

    init(owned session: URLSession) {
        self.session = session
        (isOwner, isBackground) = (true, session.configuration.identifier != nil)
    }

    /// Creates a transport with your session, which it never invalidates.
    ///
    /// On Linux, URLSession delivers data to the session's delegate, never to a task's delegate. So
    /// the transport creates a session with the same configuration, but without `urlCache`, and
    /// your session's delegate isn't called. On Apple platforms, the transport creates its own
    /// session only if your session's delegate queue is concurrent.
    public init(session: URLSession) {
        self.session = URLSessionCall.adopt(session)
        isOwner = self.session !== session
        isBackground = session.configuration.identifier != nil
    }

    deinit {
        if isOwner { session.finishTasksAndInvalidate() }
    }

    /// Sends a request. On Linux, timeouts are rounded up to whole seconds.
    ///
    /// - Throws: The sink's error, or a `URLError`: `.cancelled` for a cancelled task,
    ///   `.cannotLoadFromNetwork` for a background session.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        guard !isBackground else {
            let reason = "a background session doesn't call the delegates of its tasks"
            throw URLError(.cannotLoadFromNetwork, userInfo: [NSLocalizedDescriptionKey: reason])
        }
        var urlRequest = request.urlRequest
        URLSessionCall.prepare(&urlRequest)
        let (call, task) = (URLSessionCall(), session.dataTask(with: urlRequest))
        defer { call.synchronize() }
        // Not `URLSession.data(for:)`, which can freeze all sessions on Linux when it is cancelled.
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { call.start(task, request, $0) }
        } onCancel: {
            call.cancel()
        }
    }
}

nonisolated extension URLSessionTransport: CustomReflectable {
    /// Empty: on Linux, reading the parts of a session that runs a task can crash the process.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Runs one call, and is the delegate of its task.
///
/// On Linux, a session only calls its own delegate. That delegate is a `URLSessionCall` that never
/// starts, so each callback looks up the call of its task.
nonisolated final class URLSessionCall: NSObject, URLSessionDataDelegate {
    private struct State {
        var continuation: CheckedContinuation<ServiceResponse, any Error>?
        /// The task, until someone cancels it or it has ended.
        var cancellable: URLSessionTask?
        /// Nil before the call starts and after it has ended.
        var builder: ServiceResponseBuilder?
        /// The error that ended the transfer.
        var failure: (any Error)?
        /// The streams of the body after the request's own.
        var newBodies: [InputStream] = []
    }

    private let lock = NSLock()
    // Safe because it is only used under the lock.
    nonisolated(unsafe) private var state = State()

    func start(
        _ task: URLSessionTask, _ request: ServiceRequest,
        _ continuation: CheckedContinuation<ServiceResponse, any Error>
    ) {
        // First, because the task can be cancelled as soon as the state has it.
        task.delegate = self
        let control = ServiceTransferControl(cancel: cancel, pause: Self.pause(task))
        let builder = ServiceResponseBuilder(for: request, control: control)
        lock.withLock {
            state = State(continuation: continuation, cancellable: task, builder: builder)
        }
        // A cancellation before this didn't find the task.
        if Task.isCancelled { takeCancellable()?.cancel() }
        // Resume even a cancelled task: otherwise it stays in the session.
        task.resume()
    }

    /// Cancels the task once, on another thread: cancelling twice crashes the process on Linux, and the
    /// task's `cancel()` waits for the session's queue, which may wait for the caller.
    @Sendable func cancel() {
        DispatchQueue.global().async { self.takeCancellable()?.cancel() }
    }

    /// Returns the task to the first caller, which must then end it.
    func takeCancellable() -> URLSessionTask? { lock.withLock { state.cancellable.take() } }

    /// Takes the lock, so that ThreadSanitizer sees the order of the callbacks and the code after the
    /// call. (In Swift 6.3, ThreadSanitizer doesn't see a continuation that is resumed before it is
    /// awaited.)
    func synchronize() { lock.withLock {} }

    /// Ends the call with an error.
    func fail(_ error: any Error) {
        lock.withLock { state.failure = error }
        cancel()
    }

    /// The call of a task. On Apple platforms, a task that has ended may have lost its delegate, and this
    /// is the call. On Linux, this may be the session's delegate, which ignores callbacks.
    func call(of task: URLSessionTask) -> URLSessionCall {
        task.delegate as? URLSessionCall ?? self
    }

    /// Passes an event to the builder of a task, unless its call has failed. The session's callbacks for a
    /// task come one after another, so the builder needs no lock.
    func update(
        _ task: URLSessionTask, _ change: (URLSessionCall, ServiceResponseBuilder) throws -> Void
    ) {
        let call = call(of: task)
        let state = call.lock.withLock { call.state }
        guard let builder = state.builder, state.failure == nil else { return }
        do { try change(call, builder) } catch { call.fail(error) }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        update(dataTask) { call, builder in
            guard let http = response as? HTTPURLResponse else { return }
            let head = ServiceResponse(request: builder.request, http: http)
            guard let response = try builder.didReceive(head) else { return }
            call.lock.withLock { call.state.continuation.take() }?.resume(returning: response)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        update(dataTask) { try $1.didReceive(data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytes: Int64,
        totalBytesSent total: Int64, totalBytesExpectedToSend _: Int64
    ) {
        update(task) { $1.didSend(total) }
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
        var stream: InputStream?
        update(task) { call, builder in
            guard let body = try Self.newBody(builder.request) else { return }
            call.lock.withLock { call.state.newBodies.append(body) }
            stream = body
        }
        completionHandler(stream)
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        let call = call(of: task)
        let ended = call.lock.withLock {
            defer { call.state = State() }
            return call.state
        }
        for body in ended.newBodies { body.closeIfUnopened() }
        guard let builder = ended.builder else { return }
        let result = Swift.Result {
            // URLSession on Linux doesn't report the response of a redirect that it can't follow.
            if error == nil, builder.response == nil, let http = task.response as? HTTPURLResponse {
                _ = try builder.didReceive(ServiceResponse(request: builder.request, http: http))
            }
            return try builder.end(ended.failure ?? error.map(Self.transportError))
        }
        ended.continuation?.resume(with: result)
    }

    /// Returns a `URLError` for an error of URLSession, so that it is retried like other transport errors.
    ///
    /// When an app returns from the background, its connections are lost, and some calls fail with an error of
    /// the domain `NSPOSIXErrorDomain` or `kCFErrorDomainCFNetwork`.
    private static func transportError(_ error: any Error) -> any Error {
        if error is CancellationError { return error }
        if let known = error as? URLError { return corrected(known) }
        let cause = error as NSError
        // On Linux, a URLProtocol's `NSError` isn't cast to a `URLError`.
        let isKnown = cause.domain == NSURLErrorDomain
        let code: URLError.Code? = isKnown ? URLError.Code(rawValue: cause.code) : nil
        return URLError(code ?? .networkConnectionLost, userInfo: [NSUnderlyingErrorKey: cause])
    }
}
