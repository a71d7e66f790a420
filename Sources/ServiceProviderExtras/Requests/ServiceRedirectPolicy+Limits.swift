// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

nonisolated extension ServiceRedirectPolicy {
    /// Follows no redirect. The call fails with `ServiceError.unacceptableStatus(_:)`, unless the service counts
    /// the status as success.
    public static let stop = ServiceRedirectPolicy { _, _, _ in nil }

    /// Follows at most this many redirects.
    public static func atMost(_ limit: Int) -> ServiceRedirectPolicy {
        ServiceRedirectPolicy { next, _, count in count <= limit ? next : nil }
    }
}
