// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Sets a header field, unless the service has set it.
    package mutating func setDefaultHeader(_ name: String, _ value: String) throws {
        guard urlRequest.value(forHTTPHeaderField: name) == nil else { return }
        try setHeader(name, to: value)
    }
}
