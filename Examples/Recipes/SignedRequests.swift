// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Interceptors that sign and trace requests.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// Adds W3C trace context: a new trace for each call, with the same ID in all of its
/// attempts.
struct TraceContext: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        func hex(_ count: Int) -> String {
            let bytes = (0..<count).map { _ in UInt8.random(in: 1...255) }
            return bytes.map { String(format: "%02x", $0) }.joined()
        }
        var request = request
        try request.setHeader("traceparent", to: "00-\(hex(16))-\(hex(8))-01")
        return try await next(request)
    }
}

/// Signs method, path, query, time and body. Put it inside ServiceRetry: each attempt
/// gets its own time.
///
/// - Parameter sign: Returns the signature of a text. With CryptoKit:
///   `HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)`, in
///   hexadecimal digits.
func signature(
    _ clock: ServiceClock, _ sign: @escaping @Sendable (String) -> String
) -> ServiceAuthorization {
    ServiceAuthorization { request in
        let url = request.urlRequest.url
        let time = "\(Int(clock.now().timeIntervalSince1970))"
        let body = (request.urlRequest.httpBody ?? Data()).base64EncodedString()
        let method = request.urlRequest.httpMethod ?? "GET"
        let text = [method, url?.path ?? "", url?.query ?? "", time, body]
            .joined(separator: "\n")
        try request.setHeader("X-Time", to: time)
        try request.setHeader("X-Signature", to: sign(text))
        request.secretNames.insert("X-Signature")
    }
}
