// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Which requests a ``ServiceConcurrencyLimit`` starts first.
public nonisolated enum ServicePriority: Sendable {
    /// Low: starts after all others, for example for prefetching. High: starts before all others,
    /// for example for content that the user is waiting for.
    case low, normal, high
}

nonisolated extension ServiceRequest {
    private enum Priority: ServiceRequestOption {
        static var defaultValue: ServicePriority { .normal }
    }

    /// The priority of the request in a ``ServiceConcurrencyLimit``. Default: ``ServicePriority/normal``.
    public var priority: ServicePriority {
        get { self[Priority.self] }
        set { self[Priority.self] = newValue }
    }
}
