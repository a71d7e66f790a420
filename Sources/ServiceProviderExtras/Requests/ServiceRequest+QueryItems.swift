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
        guard let url = urlRequest.url,
            var parts = URLComponents(url: url, resolvingAgainstBaseURL: true)
        else { return }
        var texts: [String] = []
        if let query = parts.percentEncodedQuery, !query.isEmpty {
            texts.append(query)
        }
        for (name, value) in items {
            let value = value.map { "=" + ServicePercentEncoding.encode($0) }
            texts.append(ServicePercentEncoding.encode(name) + (value ?? ""))
        }
        guard !items.isEmpty else { return }
        parts.percentEncodedQuery = texts.joined(separator: "&")
        urlRequest.url = parts.url
    }
}
