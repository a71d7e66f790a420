// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Whether the request may be sent twice.
    ///
    /// Never with an `httpBodyStream`, which can be read only once. Otherwise ``isRepeatable`` decides. If that is nil,
    /// a request may be repeated if it has an `Idempotency-Key`, or one of these methods.
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
}
