// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Stores responses for ``ServiceConditionalRequests``, by the text of their URL.
///
/// A store may forget any response at any time. Several tasks may call it at the same time.
public nonisolated protocol ServiceResponseStore: Sendable {
    /// Returns the response that is stored for a URL, or nil.
    @concurrent func response(for url: String) async -> ServiceStoredResponse?
    /// Stores a response, in place of an earlier one for the same URL.
    @concurrent func store(_ response: ServiceStoredResponse, for url: String) async
    /// Forgets the response for a URL.
    @concurrent func removeResponse(for url: String) async
}

/// A response with status 200, as a ``ServiceResponseStore`` keeps it. It can be encoded.
public nonisolated struct ServiceStoredResponse: Codable, Hashable, Sendable {
    /// The header fields, with names in lowercase, but without cookies and other secrets.
    public var headers: [String: String]
    /// The body, after decompression.
    public var body: Data
    /// The header fields of the request that the response depends on, with names in lowercase.
    public var varyHeaders: [String: String]

    /// Makes a stored response from its parts.
    public init(headers: [String: String], body: Data, varyHeaders: [String: String]) {
        (self.headers, self.body, self.varyHeaders) = (headers, body, varyHeaders)
    }
}

/// Stores responses in memory. The least recently used ones are removed first.
///
/// Reading doesn't count as use: ``ServiceConditionalRequests`` stores a response again when it is
/// used.
nonisolated final class ServiceMemoryStore: ServiceResponseStore {
    private struct State {
        var entries: [String: (response: ServiceStoredResponse, size: Int, use: Int)] = [:]
        var size = 0
        var uses = 0

        mutating func remove(_ url: String) {
            size -= entries.removeValue(forKey: url)?.size ?? 0
        }
    }

    private let limit: Int
    private let state = ServiceLocked(State())

    /// - Parameter limit: How many bytes are stored at most. A response of more than a tenth isn't
    ///   stored.
    init(limit: Int) {
        self.limit = limit
    }

    func removeAll() {
        state.withLock { $0 = State() }
    }

    @concurrent func response(for url: String) async -> ServiceStoredResponse? {
        state.withLock { $0.entries[url]?.response }
    }

    @concurrent func store(_ response: ServiceStoredResponse, for url: String) async {
        var size = url.utf8.count + response.body.count
        for (name, value) in [response.headers, response.varyHeaders].joined() {
            size += name.utf8.count + value.utf8.count
        }
        state.withLock { state in
            state.remove(url)
            guard size <= limit / 10 else { return }
            state.uses += 1
            state.size += size
            state.entries[url] = (response, size, state.uses)
            guard state.size > limit else { return }
            // Down to three quarters: finding the oldest entry for each new one would take too
            // long.
            for (url, _) in state.entries.sorted(by: { $0.value.use < $1.value.use }) {
                state.remove(url)
                if state.size <= limit / 4 * 3 { return }
            }
        }
    }

    @concurrent func removeResponse(for url: String) async {
        state.withLock { $0.remove(url) }
    }
}
