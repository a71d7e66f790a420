// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// An interceptor that signs requests.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// Signs method, path, query, time and body. Put it inside ServiceRetry: each attempt
/// gets its own time. A body that isn't in memory, such as a file, is an error.
///
/// - Parameter sign: Returns the signature of a text. With CryptoKit:
///   `HMAC<SHA256>.authenticationCode(for: Data(text.utf8), using: key)`, in
///   hexadecimal digits.
func signature(
    _ clock: ServiceClock, _ sign: @escaping @Sendable (String) -> String
) -> ServiceAuthorization {
    ServiceAuthorization { request in
        guard request.upload == nil, request.urlRequest.httpBodyStream == nil else {
            throw SignatureError.bodyNotInMemory
        }
        // As they are sent: decoded, `/a%2Fb` would have the signature of `/a/b`.
        let url = request.urlRequest.url.flatMap {
            URLComponents(url: $0, resolvingAgainstBaseURL: true)
        }
        let time = "\(Int(clock.now().timeIntervalSince1970))"
        let body = (request.urlRequest.httpBody ?? Data()).base64EncodedString()
        let method = request.urlRequest.httpMethod ?? "GET"
        let path = url?.percentEncodedPath ?? ""
        let query = url?.percentEncodedQuery ?? ""
        let text = [method, path, query, time, body].joined(separator: "\n")
        try request.setHeader("X-Time", to: time)
        try request.setHeader("X-Signature", to: sign(text))
        request.secretNames.insert("X-Signature")
    }
}

nonisolated enum SignatureError: Error {
    case bodyNotInMemory
}
