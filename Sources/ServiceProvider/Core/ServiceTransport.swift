// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Runs one exchange: a request out, a response back.
///
/// The provider does all the rest, the same for every transport: it follows redirects, checks the
/// status, decodes. So a transport
/// - sends the request as it is, once, and follows no redirect,
/// - hands over any HTTP answer, whatever its status, with its body,
/// - throws a `URLError` when there was no answer,
/// - stops when the task it runs in is cancelled, throwing `CancellationError` or
///   `URLError.cancelled`.
public nonisolated protocol ServiceTransport: Sendable {
    /// Sends a request and waits for its answer.
    ///
    /// - Throws: A `URLError` when no HTTP answer came.
    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse
}
