// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// W3C Trace Context: requests as parts of their caller's trace.

import Foundation
import ServiceProvider

/// A trace. A server continues that of a request it handles:
///
/// ```swift
/// let trace = TraceContext(header) ?? TraceContext()
/// try await TraceContext.$current.withValue(trace) { try await handle(request) }
/// ```
nonisolated struct TraceContext: Sendable {
    @TaskLocal static var current: TraceContext?

    private(set) var traceID = TraceContext.id(bytes: 16)
    private(set) var isSampled = true

    /// Starts a trace.
    init() {}

    /// Reads a `traceparent` (https://www.w3.org/TR/trace-context/). Nil if it's invalid.
    init?(_ traceparent: String) {
        let form =
            #/(?!ff)([0-9a-f]{2})-(?!0+-)([0-9a-f]{32})-(?!0+-)[0-9a-f]{16}-([0-9a-f]{2})(-.*)?/#
        guard let parts = traceparent.wholeMatch(of: form) else { return nil }
        // Only later versions may have more parts.
        guard parts.1 != "00" || parts.4 == nil else { return nil }
        traceID = String(parts.2)
        isSampled = UInt8(parts.3, radix: 16).map { $0 & 1 == 1 } ?? false
    }

    static func id(bytes: Int) -> String {
        // No byte is zero, because an ID of zeros is invalid.
        let bytes = (0..<bytes).map { _ in UInt8.random(in: 1...255) }
        return bytes.map { String(format: "%02x", $0) }.joined()
    }
}

/// Sends the trace of the task. Put it inside ServiceRetry: each attempt is a span of its
/// own. Another origin doesn't get the header, not even after a redirect.
struct TracePropagation: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let trace = TraceContext.current else { return try await next(request) }
        var request = request
        let flags = trace.isSampled ? "01" : "00"
        let span = TraceContext.id(bytes: 8)
        try request.setHeader("traceparent", to: "00-\(trace.traceID)-\(span)-\(flags)")
        return try await next(request)
    }
}
