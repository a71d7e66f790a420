// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Counters and a histogram of requests, with swift-metrics.

import Foundation
import ServiceProvider
import ServiceProviderExtras

// https://github.com/apple/swift-metrics
#if canImport(Metrics)
import Metrics
#endif

/// Counts requests, failures and retries, and measures the time until a response.
///
/// Put it inside ServiceRetry: then it counts each attempt. A metric always has the same
/// dimensions, as Prometheus wants it. A server chooses none of their values but the status,
/// so there are few of them.
struct RequestCounters: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let start = Date()
        let place = [
            ("http.request.method", request.urlRequest.httpMethod ?? "GET"),
            ("server.address", request.urlRequest.url?.host ?? ""),
        ]
        func count(_ name: String, _ dimensions: (String, String)...) {
            Counter(label: name, dimensions: place + dimensions).increment()
        }
        if request.attempt > 1 { count("http.client.retries") }
        defer {
            Recorder(label: "http.client.request.duration", dimensions: place)
                .record(max(-start.timeIntervalSinceNow, 0))
        }
        do {
            let response = try await next(request)
            count("http.client.requests", ("status", "\(response.statusCode / 100)xx"))
            return response
        } catch {
            count("http.client.requests", ("status", "none"))
            let code = (error as? URLError).map { "URLError \($0.code.rawValue)" }
            count("http.client.failures", ("error.type", code ?? "other"))
            throw error
        }
    }
}
