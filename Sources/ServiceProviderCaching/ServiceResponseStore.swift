// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Stores responses for ``ServiceCache``, by the text of their URL.
///
/// A store may forget any response at any time. Several tasks may call it at the same time.
public nonisolated protocol ServiceResponseStore: Sendable {
    /// Returns the response that is stored for a URL, or nil.
    @concurrent func response(for url: String) async -> ServiceStoredResponse?
    /// Stores a response, in place of an earlier one for the same URL.
    @concurrent func store(_ response: ServiceStoredResponse, for url: String) async
    /// Forgets the response for a URL.
    @concurrent func removeResponse(for url: String) async
    /// Forgets all responses.
    @concurrent func removeAll() async
}

/// A response with status 200, as a ``ServiceResponseStore`` keeps it. It can be encoded.
public nonisolated struct ServiceStoredResponse: Codable, Hashable, Sendable {
    /// The header fields, with names in lowercase, but without cookies and other secrets.
    public var headers: [String: String]
    /// The body, after decompression.
    public var data: Data
    /// The header fields of the request that the response depends on, with names in lowercase.
    public var varyHeaders: [String: String]
    /// When the server sent or last confirmed it, by the clock of this machine: the time at which
    /// its age was 0.
    public var created: Date

    /// Makes a stored response from its parts.
    public init(
        headers: [String: String], data: Data, varyHeaders: [String: String], created: Date
    ) {
        self.headers = headers
        self.data = data
        self.varyHeaders = varyHeaders
        self.created = created
    }
}

nonisolated extension ServiceStoredResponse: CustomReflectable {
    /// Empty, because `print` and `dump` would show headers and body.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

/// Stores responses in memory. Those that were stored first are removed first, many at a time.
///
/// ``ServiceCache`` stores a response again when it has been revalidated.
nonisolated final class ServiceMemoryStore: ServiceResponseStore {
    private struct State {
        var newer: [String: ServiceStoredResponse] = [:]
        var older: [String: ServiceStoredResponse] = [:]
        /// How many bytes `newer` has.
        var size = 0

        mutating func remove(_ url: String) {
            size -= newer.removeValue(forKey: url)?.size(for: url) ?? 0
            older[url] = nil
        }
    }

    private let maximumSize: Int
    private let state = ServiceLocked(State())

    /// - Parameter maximumSize: How many bytes are stored at most. A response larger than a tenth of that
    ///   isn't stored.
    init(maximumSize: Int) {
        self.maximumSize = maximumSize
    }

    @concurrent func response(for url: String) async -> ServiceStoredResponse? {
        state.withLock { $0.newer[url] ?? $0.older[url] }
    }

    @concurrent func store(_ response: ServiceStoredResponse, for url: String) async {
        let size = response.size(for: url)
        state.withLock { state in
            state.remove(url)
            guard size <= maximumSize / 10 else { return }
            if state.size + size > maximumSize / 2 {
                state = State(older: state.newer)
            }
            state.newer[url] = response
            state.size += size
        }
    }

    @concurrent func removeResponse(for url: String) async {
        state.withLock { state in
            state.remove(url)
        }
    }

    @concurrent func removeAll() async {
        state.withLock { state in
            state = State()
        }
    }
}

nonisolated extension ServiceStoredResponse {
    /// How many bytes the response takes in memory, about.
    fileprivate func size(for url: String) -> Int {
        var size = Self.overhead + url.utf8.count + data.count
        for (name, value) in [headers, varyHeaders].joined() {
            size += Self.overheadOfField + name.utf8.count + value.utf8.count
        }
        return size
    }

    /// Bytes for a place in a dictionary, and for two dictionaries and a body on the heap.
    private static let overhead = 500
    /// Bytes for two strings in a dictionary that is at least half full, and their memory on the heap.
    private static let overheadOfField = 130
}
