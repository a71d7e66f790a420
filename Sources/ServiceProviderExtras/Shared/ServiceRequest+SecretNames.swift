// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Authentication needs this too.
nonisolated extension ServiceRequest {
    enum SecretNames: ServiceRequestOption {
        static var defaultValue: Set<String> { [] }
    }

    /// Names of header fields, parameters and JSON members that are secret, in addition to well-known
    /// ones. Default: none. See ``isSecret(_:)``.
    public var secretNames: Set<String> {
        get { self[SecretNames.self] }
        set { self[SecretNames.self] = newValue }
    }
}
