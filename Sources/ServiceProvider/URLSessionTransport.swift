// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Sends requests with URLSession: the default transport.
public nonisolated final class URLSessionTransport: ServiceTransport {
    /// The transport that providers use by default.
    public static let shared = URLSessionTransport()

    private let session: URLSession
    private let isOwner: Bool

    /// Creates a transport with its own session, which ends with the transport.
    ///
    /// - Parameter configuration: Default: `URLSessionConfiguration.default`. Don't put credentials into
    ///   `httpAdditionalHeaders`: they are sent to every host that a redirect names. Cookies are sent to
    ///   all ports of their host. On Linux, `HTTPCookieStorage.shared` isn't used, because it is a file that other programs
    ///   read: set the storage of an ephemeral configuration to keep cookies in memory. `urlCache` isn't used there either: URLSession's cache can return
    ///   the response of a URL with a different query, and can crash the process.
    public init(configuration: URLSessionConfiguration = .default) {
        session = URLSessionCallDelegate.makeSession(configuration)
        isOwner = true
    }

    /// Creates a transport with your session, which it never invalidates.
    ///
    /// On Apple platforms, your session's delegate handles authentication challenges and metrics. The
    /// transport creates its own session, without your delegate, only if the delegate queue is concurrent.
    /// On Linux, it always does: URLSession delivers data to the session's delegate, never to a task's
    /// delegate. That session doesn't use `HTTPCookieStorage.shared` either.
    public init(session: URLSession) {
        self.session = URLSessionCallDelegate.serialSession(like: session)
        isOwner = self.session !== session
    }

    deinit {
        if isOwner { session.finishTasksAndInvalidate() }
    }

    /// Sends a request. On Linux, timeouts are rounded up to whole seconds.
    ///
    /// - Throws: The sink's error, or a `URLError`: `.cancelled` for a cancelled task,
    ///   `.cannotLoadFromNetwork` for a background session, which doesn't call the delegates of tasks. On Linux,
    ///   ``ServiceError/invalidRequest(_:reason:)`` for a body from a sequence.
    @concurrent public func send(_ request: ServiceRequest) async throws -> ServiceResponse {
        guard !Task.isCancelled else { throw URLError(.cancelled) }
        let isBackground = session.configuration.identifier != nil
        guard !isBackground else { throw URLError(.cannotLoadFromNetwork) }
        try URLSessionCallDelegate.check(request)
        let call = URLSessionCallDelegate()
        let task = session.dataTask(with: URLSessionCallDelegate.prepared(request.urlRequest))
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
