// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

// `@inline(never)`: inlined, the variables of these functions would take memory in each call that waits. A task gets
// its memory in pieces of 1 KB; three of them are enough for a call. See "10,000 requests at once" in Benchmarks.
nonisolated extension ServiceRequest {
    /// Opens the body for a transport. After the checks, because callers can't set `Content-Length`.
    @inline(never) mutating func openBody() throws {
        if let length = bodySource?.length {
            urlRequest.setValue("\(length)", forHTTPHeaderField: "Content-Length")
        }
        guard let upload else { return }
        let body = try ServiceError.wrapping(.body) { try upload() }
        urlRequest.httpBodyStream = body.stream
        urlRequest.setValue("\(body.size)", forHTTPHeaderField: "Content-Length")
        #if !canImport(FoundationNetworking)
        if let own = body.stream as? any ServiceReplaceableStream {
            let system = try ServiceError.wrapping(.body) { try own.replaced() }
            urlRequest.httpBodyStream = system.stream
            bodySource = system.source
        }
        #endif
    }

    /// The error to report: that of the body's stream if it has failed; else the error. A `URLError` keeps only
    /// the scheme, host and port of its URL. (On Linux, it sometimes has no URL.)
    @inline(never) func reportable(_ error: any Error) -> any Error {
        // Foundation on Linux traps when `streamError` is read without one.
        let stream = urlRequest.httpBodyStream
        if stream?.streamStatus == .error, let cause = stream?.streamError {
            return ServiceError(cause, of: .body)
        }
        guard let error = error as? URLError else { return error }
        let url = error.failingURL ?? urlRequest.url
        var info: [String: Any] = [:]
        info[NSURLErrorFailingURLErrorKey] = url.flatMap { URL(string: Self.origin(of: $0)) }
        // None of these has a URL. The second one is the reason for a missing network.
        let kept = [
            NSLocalizedDescriptionKey, "NSURLErrorNetworkUnavailableReasonKey", URLError.metricsKey,
        ]
        for key in kept {
            info[key] = error.userInfo[key]
        }
        // Without the user info of the cause, which may have the URL.
        let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
        info[NSUnderlyingErrorKey] = cause.map { NSError(domain: $0.domain, code: $0.code) }
        return URLError(error.code, userInfo: info)
    }
}
