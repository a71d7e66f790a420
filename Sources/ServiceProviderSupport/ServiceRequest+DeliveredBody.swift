// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Whether the body of a successful response goes to a sink instead of `ServiceResponse.data`.
    package var deliversBody: Bool { bodySink.map { $0.destination != .memory } ?? false }
}

nonisolated extension ServiceResponse {
    /// Whether the response has a body that went to a sink, so that `data` is empty.
    package var hasDeliveredBody: Bool {
        let isEmpty = statusCode == 204 || header("Content-Length") == "0"
        return request.deliversBody && hasValidStatus && data.isEmpty && !isEmpty
    }
}
