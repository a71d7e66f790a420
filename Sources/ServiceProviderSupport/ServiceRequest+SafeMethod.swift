// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Whether a request with this method changes nothing at the server (RFC 9110, section 9.2.1).
    package var hasSafeMethod: Bool {
        ["GET", "HEAD", "OPTIONS", "TRACE"].contains(urlRequest.httpMethod ?? "GET")
    }
}
