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
        // Setting a timeout overrides the session's, so set it only if it changes.
        if seconds != request.timeoutInterval { request.timeoutInterval = seconds }
        // URLSession refuses a scheme in upper case.
        if let url = request.url, let scheme = url.scheme, scheme != scheme.lowercased() {
            let rest = url.absoluteString.dropFirst(scheme.count)
            request.url = URL(string: scheme.lowercased() + rest)
        }
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
    /// it"). Each of them ends the task, so do only one.
    func mayRefuseRedirect(of task: URLSessionTask) -> Bool {
        call(of: task).takeCancellable() != nil
    }

    /// URLSession reports the same error code for an invalid response and for a connection that
    /// closes without a response. This method tells them apart.
    static func corrected(_ error: URLError) -> URLError {
        guard error.code == .badServerResponse,
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
        let isFirst = mayRefuseRedirect(of: task)
        urlSession(session, task: task, didCompleteWithError: nil)
        // Safe because nothing else calls the handler. The handler waits for this method's queue,
        // so call it on another one.
        nonisolated(unsafe) let handler = completionHandler
        if isFirst { DispatchQueue.global().async { handler(.cancelAuthenticationChallenge, nil) } }
    }
}

nonisolated extension ServiceRequest {
    /// Replaces all header fields. In one go: `setValue` looks at all fields each time.
    mutating func replaceFields(with fields: [String: String]) {
        urlRequest.allHTTPHeaderFields = fields
    }
}

/// Runs operations immediately, on the session's own queue. Otherwise 100 MB and more of a large download
/// wait in memory for the delegate.
private nonisolated final class InlineQueue: OperationQueue, @unchecked Sendable {
    override func addOperation(_ block: @escaping @Sendable () -> Void) { block() }
}

#else

nonisolated extension URLSessionTransport {
    /// Responds to an authentication challenge: for a password, a client certificate, or trust in a
    /// server.
    ///
    /// It is called once for each protection space (host, port, method and realm) that a call
    /// meets. If the server refuses the credential, the response has status 401. After
    /// `.cancelAuthenticationChallenge`, the call throws `URLError.serverCertificateUntrusted` for
    /// trust in a server, and `URLError.userAuthenticationRequired` otherwise.
    public typealias ChallengeHandler =
        @concurrent @Sendable (URLAuthenticationChallenge) async -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        )

    /// Creates a transport with its own session, and a closure that responds to authentication
    /// challenges. Apple platforms only: on Linux, `CurlTransport` has settings for credentials.
    ///
    /// ```swift
    /// let transport = URLSessionTransport { challenge in
    ///     let space = challenge.protectionSpace
    ///     guard space.host == "example.com",
    ///         space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
    ///     else { return (.performDefaultHandling, nil) }
    ///     return (.useCredential, URLCredential(user: "me", password: "…", persistence: .forSession))
    /// }
    /// ```
    public convenience init(
        configuration: URLSessionConfiguration = .default,
        onChallenge: @escaping ChallengeHandler
    ) {
        let delegate = URLSessionChallenges(onChallenge)
        self.init(
            owned: URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil))
    }
}

/// The delegate of a session: responds to the challenges of its tasks. (A task's own delegate comes
/// first, but `URLSessionCall` doesn't handle challenges.)
private nonisolated final class URLSessionChallenges: NSObject, URLSessionTaskDelegate {
    private let respond: URLSessionTransport.ChallengeHandler

    init(_ respond: @escaping URLSessionTransport.ChallengeHandler) { self.respond = respond }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        // Otherwise a server that refuses each credential would never end the call.
        guard challenge.previousFailureCount == 0 else {
            return completionHandler(.rejectProtectionSpace, nil)
        }
        Task { [respond] in
            let (disposition, credential) = await respond(challenge)
            if disposition == .cancelAuthenticationChallenge {
                // URLSession would report `.cancelled`, as for a cancelled call.
                let method = challenge.protectionSpace.authenticationMethod
                let isTrust = method == NSURLAuthenticationMethodServerTrust
                let code =
                    isTrust
                    ? URLError.serverCertificateUntrusted : .userAuthenticationRequired
                (task.delegate as? URLSessionCall)?.fail(URLError(code))
            }
            completionHandler(disposition, credential)
        }
    }
}

nonisolated extension URLSessionCall {
    static func makeSession(_ configuration: URLSessionConfiguration) -> URLSession {
        URLSession(configuration: configuration)
    }

    /// A concurrent queue would call the delegate in parallel.
    static func adopt(_ session: URLSession) -> URLSession {
        let isSerial = session.delegateQueue.maxConcurrentOperationCount == 1
        return isSerial ? session : makeSession(session.configuration)
    }

    static func prepare(_ request: inout URLRequest) {}

    static func pause(_ task: URLSessionTask) -> (@Sendable (Bool) -> Void)? {
        { $0 ? task.suspend() : task.resume() }
    }

    static func newBody(_ request: ServiceRequest) throws -> InputStream? {
        try request.upload?().stream
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didFinishCollecting metrics: URLSessionTaskMetrics
    ) {
        // Earlier ones belong to attempts that URLSession has repeated.
        guard let last = metrics.transactionMetrics.last else { return }
        update(task) { _, builder in
            func seconds(_ start: Date?, _ end: Date?) -> TimeInterval? {
                start.flatMap { end?.timeIntervalSince($0) }
            }
            builder.metrics.nameLookup = seconds(
                last.domainLookupStartDate, last.domainLookupEndDate)
            let connected = last.secureConnectionStartDate ?? last.connectEndDate
            builder.metrics.connect = seconds(last.connectStartDate, connected)
            builder.metrics.secureConnect = seconds(
                last.secureConnectionStartDate, last.secureConnectionEndDate)
            builder.metrics.sentBytes =
                last.countOfRequestHeaderBytesSent + last.countOfRequestBodyBytesSent
            builder.metrics.receivedBytes =
                last.countOfResponseHeaderBytesReceived + last.countOfResponseBodyBytesReceived
            builder.metrics.protocolName = last.networkProtocolName
            builder.metrics.isReusedConnection = last.isReusedConnection
            builder.metrics.remoteAddress = last.remoteAddress
            builder.metrics.localPort = last.localPort
        }
    }

    func mayRefuseRedirect(of task: URLSessionTask) -> Bool { true }

    static func corrected(_ error: URLError) -> URLError { error }
}

nonisolated extension ServiceRequest {
    /// Replaces all header fields. The setter of `allHTTPHeaderFields` can't: it adds and changes
    /// fields, but never removes one.
    mutating func replaceFields(with fields: [String: String]) {
        for name in (urlRequest.allHTTPHeaderFields ?? [:]).keys where fields[name] == nil {
            urlRequest.setValue(nil, forHTTPHeaderField: name)
        }
        for (name, value) in fields { urlRequest.setValue(value, forHTTPHeaderField: name) }
    }
}
#endif
