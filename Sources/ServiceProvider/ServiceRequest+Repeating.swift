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

    /// Counts the attempts that sent nothing. Default: nil, nothing counts them.
    package var sendingRecord: ServiceSendingRecord? {
        get { self[SendingRecord.self] }
        set { self[SendingRecord.self] = newValue }
    }
}

/// Counts how often a request went to a transport, and how often the transport sent nothing. An error doesn't say that:
/// it may belong to another request, such as that of a redirect.
package nonisolated final class ServiceSendingRecord: @unchecked Sendable {
    private let lock = NSLock()
    // `@unchecked Sendable`, because these are used only under the lock.
    private var attempts = 0
    private var unsent = 0

    package init() {}

    /// False if no transport has had the request.
    var hasSentNothing: Bool { lock.withLock { attempts > 0 && unsent == attempts } }

    func begin() { lock.withLock { attempts += 1 } }

    /// A transport calls this when a request fails of which not a byte was sent.
    package func noteUnsent() { lock.withLock { unsent += 1 } }
}
