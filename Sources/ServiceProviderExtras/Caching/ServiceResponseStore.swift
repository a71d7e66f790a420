// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Stores responses for ``ServiceConditionalRequests``, by the text of their URL.
///
/// A store may forget any response at any time. It is called from several tasks at once.
public nonisolated protocol ServiceResponseStore: Sendable {
    /// Returns the response that is stored for a URL; nil if there is none.
    @concurrent func response(for url: String) async -> ServiceStoredResponse?
    /// Stores a response, in place of an earlier one for the same URL.
    @concurrent func store(_ response: ServiceStoredResponse, for url: String) async
    /// Forgets the response for a URL.
    @concurrent func removeResponse(for url: String) async
}
