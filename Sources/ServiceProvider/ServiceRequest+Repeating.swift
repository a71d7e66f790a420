// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
    /// Whether the request may be sent twice.
    ///
    /// Never with an `httpBodyStream`, which can be read only once. Otherwise ``isRepeatable`` decides. If that is nil,
    /// a request may be repeated if it has an `Idempotency-Key`, or one of these methods. For a payment that must not be
    /// repeated: `request.isRepeatable = false` in ``Service/prepare(_:)``.
    ///
    /// Ask this before you send a request again, in an interceptor or a transport. Four parts of the library have another
    /// reason to send again: `ServiceAuthenticator` after a 401, `ServiceCache` and downloads after a conditional request that
    /// didn't fit, and event streams that reconnect. URLSession doesn't ask
    /// either: it sends a GET, HEAD, PUT or DELETE again whose connection was lost.
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

    /// Whether the request may be sent again after an error. Whatever its method, it may if it has reached no server,
    /// because no connection was made each time it was sent (RFC 9110, section 9.2.2).
    ///
    /// That needs a ``sendingRecord``, and ``isRepeatable`` may forbid it.
    package func mayBeRepeated(
        after error: any Error, ifMethodIn methods: Set<ServiceMethod>
    ) -> Bool {
        let isBefore = ServiceError(error).isBeforeConnection
        let hasReachedNone = isBefore && sendingRecord?.hasReachedServer == false
        guard hasReachedNone else { return mayBeRepeated(ifMethodIn: methods) }
        return urlRequest.httpBodyStream == nil && isRepeatable != false
    }

    private enum SendingRecord: ServiceRequestOption {
        static var defaultValue: ServiceSendingRecord? { nil }
    }

    /// Notes whether the request has reached a server. Default: nil, nothing notes it.
    package var sendingRecord: ServiceSendingRecord? {
        get { self[SendingRecord.self] }
        set { self[SendingRecord.self] = newValue }
    }
}

/// Whether a request may have reached a server, over all the times that it was sent. An error alone doesn't say it:
/// another request of the call may have failed, such as that of a redirect.
package nonisolated final class ServiceSendingRecord: @unchecked Sendable {
    private let lock = NSLock()
    // `@unchecked Sendable`, because it is used only under the lock.
    private var isReached = false

    package init() {}

    package var hasReachedServer: Bool { lock.withLock { isReached } }

    /// The request was sent, with a response or an error.
    func note(_ error: (any Error)?) {
        let isBefore = error.map { ServiceError($0).isBeforeConnection } ?? false
        lock.withLock { isReached = isReached || !isBefore }
    }
}

nonisolated extension ServiceError {
    /// Whether no connection was made, so that nothing was sent.
    fileprivate var isBeforeConnection: Bool {
        guard case .transport(let error) = self else { return false }
        return [.cannotFindHost, .dnsLookupFailed, .cannotConnectToHost].contains(error.code)
    }
}
