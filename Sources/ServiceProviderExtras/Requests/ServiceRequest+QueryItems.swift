// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

nonisolated extension ServiceRequest {
    /// Appends items to the query, in this order. Names may be repeated, and an item without a value has no
    /// `=`.
    ///
    /// ```swift
    /// func prepare(_ request: inout ServiceRequest) {
    ///     request.addQueryItems([("tag", "a"), ("tag", "b"), ("draft", nil)])
    /// }
    /// ```
    public mutating func addQueryItems(_ items: [(name: String, value: String?)]) {
        guard !items.isEmpty else { return }
        guard let url = urlRequest.url,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return }
        let texts = items.map { name, value in
            let value = value.map { "=" + ServicePercentEncoding.encode($0) }
            return ServicePercentEncoding.encode(name) + (value ?? "")
        }
        let query = texts.joined(separator: "&")
        parts.percentEncodedQuery = Self.joined(query: parts.percentEncodedQuery, query)
        urlRequest.url = parts.url
    }
}
