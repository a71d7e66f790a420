// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Whether the body of a successful response goes to a sink instead of `ServiceResponse.data`.
    package var deliversBody: Bool { bodySink.map { $0.destination != .memory } ?? false }
}
