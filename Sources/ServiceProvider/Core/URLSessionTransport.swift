// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The default transport: URLSession.
public nonisolated final class URLSessionTransport: ServiceTransport {
    /// The transport that providers use unless given another.
    public static let shared = URLSessionTransport()

    private let session: URLSession
    private let delegate = URLSessionRunner()

    /// Makes a session of its own, which ends when the transport goes away.
    ///
    /// - Parameter configuration: Default: the system's. Do not put credentials into
    ///   `httpAdditionalHeaders`: they are sent to every host that a redirect names. Cookies are stored
    ///   as it says, and sent to all ports of their host. On Linux a `urlCache` is not used: it answers
    ///   for the wrong query there, and can end the process.
    public init(configuration: URLSessionConfiguration = .default) {
        session = delegate.session(configuration)
    }

    /// Uses a session of yours, which is never invalidated here.
    ///
    /// On Linux, where the data of a task reaches the session's delegate alone, it is one of the same
    /// configuration (but for `urlCache`), and your session's delegate is asked nothing.
    public init(session: URLSession) {
        #if canImport(FoundationNetworking)
        self.session = delegate.session(session.configuration)
        #else
        self.session = session
        #endif
    }

    deinit {
        if session.delegate === delegate { session.finishTasksAndInvalidate() }
    }

    /// Sends a request. Timeouts are rounded up to whole seconds: Linux would cut the fraction off.
    ///
    /// - Throws: A `URLError`; when cancelled, `URLError.cancelled`.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        var urlRequest = request.urlRequest
        let seconds = URLSessionRunner.whole(urlRequest.timeoutInterval)
        // Once set, it counts more than the session's own: so only when it was set before.
        if seconds != urlRequest.timeoutInterval { urlRequest.timeoutInterval = seconds }
        let task = session.dataTask(with: urlRequest)
        task.delegate = delegate
        // Not URLSession.data(for:): cancelled near its end on Linux, it takes the Swift task's lock
        // and the session's queue in both orders, and freezes every session of the process.
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation {
                delegate.run(task, .init(request: request, continuation: $0, cancellable: task))
            }
        } onCancel: {
            // Not here, under the Swift task's lock: cancelling waits for the session's queue.
            DispatchQueue.global().async { [delegate] in delegate.cancel(task) }
        }
    }
}

/// The delegate of a transport's session, or of its tasks, and where its calls wait for their end.
private nonisolated final class URLSessionRunner: NSObject, URLSessionDataDelegate {
    struct Call {
        let request: ServiceRequest
        let continuation: CheckedContinuation<ServiceResponse, any Error>
        var cancellable: URLSessionTask?
        var data = Data()
    }

    private let lock = NSLock()
    /// Safe because it is touched under the lock alone.
    nonisolated(unsafe) private var calls: [URLSessionTask: Call] = [:]

    func session(_ configuration: URLSessionConfiguration) -> URLSession {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        #if canImport(FoundationNetworking)
        configuration.urlCache = nil
        #endif
        configuration.timeoutIntervalForRequest = Self.whole(
            configuration.timeoutIntervalForRequest)
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
    }

    /// Seconds as Linux can have them: it cuts fractions off, and traps at infinity and NaN.
    static func whole(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds.rounded(.up), ServiceRequest.aWeek) : 60
    }

    func run(_ task: URLSessionTask, _ call: Call) {
        lock.withLock { calls[task] = call }
        // Whoever cancelled before this did not find the task. Also then it has to be resumed: one that
        // never was would stay in the session's list for good.
        if Task.isCancelled { cancel(task) }
        task.resume()
    }

    /// Once: two threads that cancel a running task end the process on Linux ("a behaviour for a task
    /// that in not in the registry").
    func cancel(_ task: URLSessionTask) {
        lock.withLock { calls[task]?.cancellable.take() }?.cancel()
    }

    /// Comes again when an informational response (103) was first: what was there is not the body.
    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        lock.withLock { calls[dataTask]?.data = Data() }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        lock.withLock { calls[dataTask]?.data.append(data) }
    }

    /// Whatever raced, the call ends once: for whoever takes it out of `calls`.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let call = lock.withLock({ calls.removeValue(forKey: task) }) else { return }
        if error == nil, let http = task.response as? HTTPURLResponse {
            call.continuation.resume(
                returning: ServiceResponse(request: call.request, http: http, data: call.data))
        } else {
            call.continuation.resume(throwing: error ?? URLError(.badServerResponse))
        }
    }

    /// Redirects are followed by the provider: URLSession on Linux drops the body and sends every
    /// header to any host.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        completionHandler(nil)
    }

    #if canImport(FoundationNetworking)
    /// On Linux a Basic challenge without a credential never ends, not even by its timeout. So the 401
    /// that came before it is the answer, and the challenge is cancelled.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler: @escaping (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        urlSession(session, task: task, didCompleteWithError: nil)
        completionHandler(.cancelAuthenticationChallenge, nil)
    }
    #endif
}

nonisolated extension ServiceProvider {
    /// Makes a provider that uses a session of yours: see ``URLSessionTransport/init(session:)``.
    public convenience init(
        urlSession: URLSession, interceptors: [any ServiceInterceptor] = [],
        decoder: any ServiceDecoder = JSONDecoder()
    ) {
        let transport = URLSessionTransport(session: urlSession)
        self.init(transport: transport, interceptors: interceptors, decoder: decoder)
    }
}
