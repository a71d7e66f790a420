// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Limits how many redirects are followed, in addition to a handler that is set already. With 0, the call
    /// fails with `ServiceError.unacceptableStatus(_:)`, unless the service counts the status as success.
    ///
    /// ```swift
    /// func prepare(_ request: inout ServiceRequest) {
    ///     request.limitRedirects(to: 3)
    /// }
    /// ```
    public mutating func limitRedirects(to maximum: Int) {
        addRedirectRule { next, _, count in count <= maximum ? next : nil }
    }
}
