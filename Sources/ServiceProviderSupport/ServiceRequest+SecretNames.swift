// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    private enum SecretNames: ServiceRequestOption {
        static var defaultValue: Set<String> { [] }
    }

    /// Names of header fields, parameters and JSON members that are secret, in addition to well-known
    /// ones: see `isSecret(_:)`. Default: none.
    ///
    /// Logs and recordings hide their values. A cache stores no such header, but bodies as they are.
    public var secretNames: Set<String> {
        get { self[SecretNames.self] }
        set { self[SecretNames.self] = newValue }
    }
}
