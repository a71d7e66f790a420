// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if !canImport(FoundationNetworking)
/// Sends requests with URLSession, and responds to authentication challenges: for a password, a client certificate,
/// or trust in a server. Apple platforms only: on Linux, `CurlTransport` has settings for credentials.
///
/// ```swift
/// let transport = ServiceChallengeTransport { challenge in
///     let space = challenge.protectionSpace
///     guard space.host == "example.com",
///         space.authenticationMethod == NSURLAuthenticationMethodHTTPDigest
///     else { return (.performDefaultHandling, nil) }
///     return (.useCredential, URLCredential(user: "me", password: "…", persistence: .forSession))
/// }
/// ```
public nonisolated final class ServiceChallengeTransport: ServiceTransport {
    /// Responds to a challenge.
    ///
    /// It is called once for each protection space (host, port, method and realm) that a call
    /// meets. If the server refuses the credential, the response has status 401. After
    /// `.cancelAuthenticationChallenge`, the call throws `URLError.userCancelledAuthentication`.
    public typealias Handler =
        @concurrent @Sendable (URLAuthenticationChallenge) async -> (
            URLSession.AuthChallengeDisposition, URLCredential?
        )

    private let session: URLSession
    private let transport: URLSessionTransport

    /// Creates a transport with its own session, which ends with the transport.
    ///
    /// - Parameters:
    ///   - configuration: Default: `URLSessionConfiguration.default`.
    ///   - respond: Responds to challenges.
    public init(configuration: URLSessionConfiguration = .default, respond: @escaping Handler) {
        let delegate = ServiceChallengeDelegate(respond)
        session = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
        transport = URLSessionTransport(session: session)
    }

    deinit { session.finishTasksAndInvalidate() }

    /// Sends a request.
    ///
    /// - Throws: The same errors as `URLSessionTransport.send(_:)`, and `URLError.userCancelledAuthentication`.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        try await transport.send(request)
    }
}

/// The delegate of a session. URLSession asks a task's own delegate first, but that doesn't handle challenges.
private nonisolated final class ServiceChallengeDelegate: NSObject, URLSessionTaskDelegate {
    private let respond: ServiceChallengeTransport.Handler

    init(_ respond: @escaping ServiceChallengeTransport.Handler) {
        self.respond = respond
    }

    func urlSession(
        _ session: URLSession, task: URLSessionTask,
        didReceive challenge: URLAuthenticationChallenge,
        completionHandler:
            @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
    ) {
        let call = task.delegate as? URLSessionCallDelegate
        // Otherwise a server that refuses each credential would never end the call.
        guard challenge.previousFailureCount == 0 else {
            return completionHandler(.rejectProtectionSpace, nil)
        }
        Task { [respond] in
            let response = await respond(challenge)
            let isRefused = [.cancelAuthenticationChallenge, .rejectProtectionSpace]
                .contains(response.0)
            if isRefused { call?.noteRefusedChallenge() }
            completionHandler(response.0, response.1)
        }
    }
}
#endif
