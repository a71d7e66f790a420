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
        // What cancels a task comes by another thread, and may be later than its begin.
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        var urlRequest = request.urlRequest
        let seconds = URLSessionRunner.whole(urlRequest.timeoutInterval)
        // Once set, it counts more than the session's own: so only when it was set before.
        if seconds != urlRequest.timeoutInterval { urlRequest.timeoutInterval = seconds }
        #if canImport(FoundationNetworking)
        // On Linux a stream would be sent in chunks beside its Content-Length. Where a header says
        // otherwise it is not, and libcurl leaves one of spaces alone off the wire.
        if urlRequest.value(forHTTPHeaderField: "Content-Length") != nil {
            urlRequest.setValue(" ", forHTTPHeaderField: "Transfer-Encoding")
        }
        #endif
        let task = session.dataTask(with: urlRequest)
        task.delegate = delegate
        defer { delegate.synchronize() }
        // Not URLSession.data(for:): cancelled near its end on Linux, it takes the Swift task's lock
        // and the session's queue in both orders, and freezes every session of the process.
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { delegate.run(task, request, $0) }
        } onCancel: {
            delegate.cancel(task)
        }
    }
}

/// The delegate of a transport's session, or of its tasks, and where its calls wait for their end.
private nonisolated final class URLSessionRunner: NSObject, URLSessionDataDelegate {
    /// All but `cancellable` belongs to the session's callbacks, which come one after the other.
    private final class Call {
        let reception: ServiceReception
        var continuation: CheckedContinuation<ServiceResponse, any Error>?
        var cancellable: URLSessionTask?
        var failure: (any Error)?

        init(_ reception: ServiceReception, _ task: URLSessionTask) {
            self.reception = reception
            cancellable = task
        }
    }

    private let lock = NSLock()
    /// Safe because it is touched under the lock alone.
    nonisolated(unsafe) private var calls: [URLSessionTask: Call] = [:]

    func session(_ configuration: URLSessionConfiguration) -> URLSession {
        let configuration = configuration.copy() as? URLSessionConfiguration ?? configuration
        configuration.timeoutIntervalForRequest = Self.whole(
            configuration.timeoutIntervalForRequest)
        #if canImport(FoundationNetworking)
        configuration.urlCache = nil
        return URLSession(
            configuration: configuration, delegate: self, delegateQueue: InlineQueue())
        #else
        return URLSession(configuration: configuration, delegate: self, delegateQueue: nil)
        #endif
    }

    /// Seconds as Linux can have them: it cuts fractions off, and traps at infinity and NaN.
    static func whole(_ seconds: TimeInterval) -> TimeInterval {
        seconds > 0 ? min(seconds.rounded(.up), ServiceRequest.aWeek) : 60
    }

    func run(
        _ task: URLSessionTask, _ request: ServiceRequest,
        _ continuation: CheckedContinuation<ServiceResponse, any Error>
    ) {
        let cancel = { @Sendable in self.cancel(task) }
        #if canImport(FoundationNetworking)
        // Not by suspending the task: on Linux that starts the request anew.
        let transfer = ServiceTransfer(cancel: cancel)
        #else
        let transfer = ServiceTransfer(cancel: cancel) { $0 ? task.suspend() : task.resume() }
        #endif
        let call = Call(ServiceReception(of: request, by: transfer), task)
        call.continuation = continuation
        lock.withLock { calls[task] = call }
        // Whoever cancelled before this did not find the task. Also then it has to be resumed: one that
        // never was would stay in the session's list for good.
        if Task.isCancelled { lock.withLock { call.cancellable.take() }?.cancel() }
        task.resume()
    }

    /// Passes the lock under which the continuation was taken, so that ThreadSanitizer sees that what the
    /// session's callbacks wrote comes before what the caller reads. It does in any case; but Swift 6.3
    /// does not tell it so of a continuation that is resumed before it is awaited.
    func synchronize() { lock.withLock {} }

    /// Once: two threads that cancel a running task end the process on Linux ("a behaviour for a task
    /// that in not in the registry"). And elsewhere: it waits for the session's queue, and this may be
    /// called there, or under the lock of a Swift task.
    func cancel(_ task: URLSessionTask) {
        DispatchQueue.global().async {
            self.lock.withLock { self.calls[task]?.cancellable.take() }?.cancel()
        }
    }

    /// Where an event is told to a call. The exchange is stopped when that fails.
    private func tell(_ task: URLSessionTask, _ event: (Call) throws -> Void) {
        guard let call = lock.withLock({ calls[task] }), call.failure == nil else { return }
        do {
            try event(call)
        } catch {
            call.failure = error
            cancel(task)
        }
    }

    func urlSession(
        _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
        completionHandler: @escaping (URLSession.ResponseDisposition) -> Void
    ) {
        tell(dataTask) { call in
            guard let http = response as? HTTPURLResponse else { return }
            guard let response = try call.reception.didReceive(http) else { return }
            lock.withLock { call.continuation.take() }?.resume(returning: response)
        }
        completionHandler(.allow)
    }

    func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
        tell(dataTask) { try $0.reception.didReceive(data) }
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask, didSendBodyData bytes: Int64,
        totalBytesSent total: Int64, totalBytesExpectedToSend _: Int64
    ) {
        tell(task) { $0.reception.didSend(total: total) }
    }

    /// A body is to be sent again, and has been read. On Linux that is when a connection that was used
    /// before has died without an answer: URLSession would go on with an empty body, or with the rest
    /// of it, until the time is out; and the server may have taken the first one.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        needNewBodyStream completionHandler: @escaping (InputStream?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        tell(task) { _ in throw URLError(.networkConnectionLost) }
        completionHandler(nil)
        #else
        let upload = lock.withLock { calls[task] }?.reception.request.upload
        completionHandler(try? upload?().stream)
        #endif
    }

    /// On Linux, a server that closes without an answer is told like one whose answer is not valid.
    private static func mended(_ error: (any Error)?) -> (any Error)? {
        #if canImport(FoundationNetworking)
        if let error = error as? URLError, error.code == .badServerResponse,
            error.localizedDescription == "Empty reply from server"
        {
            return URLError(.networkConnectionLost, userInfo: error.userInfo)
        }
        #endif
        return error
    }

    /// Whatever raced, the call ends once: for whoever takes it out of `calls`.
    func urlSession(
        _ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?
    ) {
        guard let call = lock.withLock({ calls.removeValue(forKey: task) }) else { return }
        let end = Swift.Result {
            // On Linux nobody is told of the head of a redirect that leads nowhere.
            if error == nil, call.reception.http == nil,
                let http = task.response as? HTTPURLResponse
            {
                _ = try call.reception.didReceive(http)
            }
            return try call.reception.end(call.failure ?? Self.mended(error))
        }
        lock.withLock { call.continuation.take() }?.resume(with: end)
    }

    /// Redirects are followed by the provider: URLSession on Linux drops the body and sends every
    /// header to any host.
    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
        completionHandler: @escaping (URLRequest?) -> Void
    ) {
        #if canImport(FoundationNetworking)
        // On Linux a task that is cancelled before it gets this answer ends the process ("we're not
        // waiting for it"). So it is told, or cancelled, and not both: either ends it.
        guard lock.withLock({ calls[task]?.cancellable.take() }) != nil else { return }
        #endif
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
        // Unless somebody cancels the task already, which is to happen once.
        let isMine = lock.withLock { calls[task]?.cancellable.take() } != nil
        urlSession(session, task: task, didCompleteWithError: nil)
        // Safe because nobody else calls it. Not here: it waits for the queue that this runs on.
        nonisolated(unsafe) let handler = completionHandler
        if isMine { DispatchQueue.global().async { handler(.cancelAuthenticationChallenge, nil) } }
    }
    #endif
}

#if canImport(FoundationNetworking)
/// Runs what it is given at once, on the session's own queue: on Linux the bytes that arrive would else
/// wait without limit for whoever handles them (100 MB and more of a 512 MB download).
private nonisolated final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}
#endif

nonisolated extension ServiceProvider {
    /// Makes a provider that runs on URLSession.
    ///
    /// - Parameters:
    ///   - interceptors: See and change requests and responses, the first one outermost. Default: none.
    ///   - decoder: Makes values of bodies. Default: `JSONDecoder()`.
    public convenience init(
        interceptors: [any ServiceInterceptor] = [], decoder: any ServiceDecoder = JSONDecoder()
    ) {
        let transport = URLSessionTransport.shared
        self.init(transport: transport, interceptors: interceptors, decoder: decoder)
    }

    /// Makes a provider that uses a session of yours: see ``URLSessionTransport/init(session:)``.
    public convenience init(
        urlSession: URLSession, interceptors: [any ServiceInterceptor] = [],
        decoder: any ServiceDecoder = JSONDecoder()
    ) {
        let transport = URLSessionTransport(session: urlSession)
        self.init(transport: transport, interceptors: interceptors, decoder: decoder)
    }
}
