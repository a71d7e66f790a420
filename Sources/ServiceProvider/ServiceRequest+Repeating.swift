// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
    /// Whether the request may be sent twice.
    ///
    /// Never with an `httpBodyStream`, which can be read only once. Otherwise ``isRepeatable`` decides. If that is nil,
    /// a request may be repeated if it has an `Idempotency-Key`, or one of these methods. For a payment, use POST, and
    /// set `request.isRepeatable = false` in ``Service/prepare(_:)``.
    ///
    /// Ask this before you send a request again, in an interceptor or a transport. Five parts of the library have another
    /// reason to send again: `ServiceRetry` if nothing was sent, `ServiceAuthenticator` after a 401, `ServiceCache` and
    /// downloads after a conditional request that didn't fit, and event streams that reconnect. URLSession doesn't ask
    /// either: it sends a GET, HEAD, PUT or DELETE again if the connection was lost.
    ///
    /// - Parameter methods: Default: the idempotent ones (RFC 9110, section 9.2.2).
    public func mayBeRepeated(
        ifMethodIn methods: Set<ServiceMethod> = ServiceMethod.idempotent
    ) -> Bool {
        guard urlRequest.httpBodyStream == nil else { return false }
        if let isRepeatable { return isRepeatable }
        let hasKey = urlRequest.value(forHTTPHeaderField: "Idempotency-Key") != nil
        return hasKey || methods.contains(method)
    }

    /// Whether the request may be sent again after all attempts so far. Whatever its method, it may if none of them has
    /// sent anything (RFC 9110, section 9.2.2), unless ``isRepeatable`` is false.
    package func mayBeRepeatedNow(ifMethodIn methods: Set<ServiceMethod>) -> Bool {
        guard sendingRecord?.hasSentNothing == true else {
            return mayBeRepeated(ifMethodIn: methods)
        }
        return urlRequest.httpBodyStream == nil && isRepeatable != false
    }

    private enum SendingRecord: ServiceRequestOption {
        static var defaultValue: ServiceSendingRecord? { nil }
    }

    /// Notes whether anything of the request was sent. Default: nil, nothing notes it.
    package var sendingRecord: ServiceSendingRecord? {
        get { self[SendingRecord.self] }
        set { self[SendingRecord.self] = newValue }
    }
}

/// Whether a request was sent, over all the times that it went to a transport. An error alone doesn't say it: it may
/// belong to another request, such as that of a redirect.
package nonisolated final class ServiceSendingRecord: @unchecked Sendable {
    private let lock = NSLock()
    // `@unchecked Sendable`, because these are used only under the lock.
    private var isSent = false
    private var isUnsent = false

    package init() {}

    /// False if no transport has had the request.
    var hasSentNothing: Bool { lock.withLock { isUnsent && !isSent } }

    /// A transport calls this, too: another one may send the request again before the pipeline sees an error.
    package func noteSent() { lock.withLock { isSent = true } }

    /// Notes how an attempt ended; nil is a response.
    func note(_ error: (any Error)?) {
        let isUnsent = (error as? URLError)?.userInfo[URLError.unsentKey] != nil
        lock.withLock {
            self.isUnsent = self.isUnsent || isUnsent
            isSent = isSent || !isUnsent
        }
    }
}

nonisolated extension URLError {
    fileprivate static let unsentKey = "ServiceProvider.unsent"

    /// The error of a transport that has sent nothing of a request with a body, or nothing at all.
    package var unsent: URLError {
        URLError(code, userInfo: userInfo.merging([Self.unsentKey: true]) { $1 })
    }
}
