// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

/// Sends one request and returns its response.
///
/// A transport
/// - sends the request as it is, and follows no redirect;
/// - sends it again only if the connection was lost before a response, and the request is
///   repeatable (URLSession has a rule of its own);
/// - returns every HTTP response with its body, whatever its status;
/// - throws a `URLError` if no response arrives;
/// - stops when its task is cancelled, and throws `CancellationError` or `URLError.cancelled`.
///
/// The provider does the rest. To support ``ServiceRequest/bodySink``, build the response with a
/// ``ServiceResponseBuilder``.
public nonisolated protocol ServiceTransport: Sendable {
    /// Sends a request.
    ///
    /// - Throws: A `URLError` if no HTTP response arrives.
    @concurrent func send(_ request: ServiceRequest) async throws -> ServiceResponse
}
