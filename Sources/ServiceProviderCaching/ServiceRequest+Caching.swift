// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// The properties of a request that `ServiceCache` needs.
nonisolated extension ServiceRequest {
    /// The key of the response in a store: the URL without its fragment (RFC 9110, section 7.1).
    var cacheKey: String { String((urlRequest.url?.absoluteString ?? "").prefix { $0 != "#" }) }

    /// Whether the URL has no secret.
    var hasPublicURL: Bool {
        let url = urlRequest.url?.absoluteString ?? ""
        return redacting(url: url).isIdentical(to: url)
    }

    /// Whether the URL and the headers have no secret.
    var isPublic: Bool { hasPublicURL && varyHeaders(in: [:]).isEmpty }

    /// The response to a request that mustn't be sent (RFC 9111, section 5.2.1.7).
    var unavailable: ServiceResponse {
        // A retry wouldn't help.
        ServiceResponse(request: self, statusCode: 504, headers: ["Retry-After": "2147483648"])
    }

    /// Whether this is a GET of the whole response into memory, without a condition of its own.
    var acceptsStoredResponses: Bool {
        let names = (urlRequest.allHTTPHeaderFields ?? [:]).keys.map { $0.lowercased() }
        let hasOwnCondition = names.contains { $0 == "range" || $0.hasPrefix("if-") }
        let isGet = urlRequest.httpMethod ?? "GET" == "GET"
        return isGet && !hasOwnCondition && !deliversBody && !cacheControl.contains("no-store")
    }

    /// The headers that the response depends on: those that `Vary` names (RFC 9111, section 4.1),
    /// and always `Host` and those that are secret.
    ///
    /// - Parameter fields: The headers of the response.
    func varyHeaders(in fields: [String: String]) -> [String: String] {
        let vary = ServiceCacheControl(fields["vary"])
        var varyHeaders: [String: String] = [:]
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
            let name = name.lowercased()
            if vary.contains(name) || isSecret(name) || name == "host" {
                varyHeaders[name] = value
            }
        }
        // URLSession sends the languages of the user.
        let language = "accept-language"
        if vary.contains(language), varyHeaders[language] == nil {
            varyHeaders[language] = Locale.preferredLanguages.joined(separator: ",")
        }
        return varyHeaders
    }

    /// The request with the validators of a stored response (RFC 9111, section 4.3.1), in place of
    /// any earlier ones.
    func withValidators(of stored: ServiceStoredResponse?) -> ServiceRequest {
        var request = self
        for (name, field) in [("If-None-Match", "etag"), ("If-Modified-Since", "last-modified")] {
            request.urlRequest.setValue(nil, forHTTPHeaderField: name)
            // Foundation takes long to send a field with many combining marks.
            guard let validator = stored?.headers[field], validator.utf8.count <= 8_192 else {
                continue
            }
            // Only a broken store has a validator that can't be sent.
            try? request.setHeader(name, to: validator)
        }
        return request
    }

    /// The request with a handler that reports each redirect before the request's own handler decides.
    func reportingRedirects(to list: ServiceLocked<[ServiceCacheChange?]>) -> ServiceRequest {
        var request = self
        request.onRedirect = { [onRedirect] next, redirect, count in
            let change = ServiceCacheChange(redirect.request)
            list.withLock { list in
                list.append(change)
            }
            var next = next
            next.onRedirect = onRedirect
            guard let onRedirect else { return next.reportingRedirects(to: list) }
            // The handler may return a new request.
            return try onRedirect(next, redirect, count)?.reportingRedirects(to: list)
        }
        return request
    }
}

/// A request that may have changed what its URL stands for (RFC 9111, section 4.4).
nonisolated struct ServiceCacheChange {
    let url: String
    let isPublic: Bool

    /// Nil for a safe method.
    init?(_ request: ServiceRequest) {
        guard !request.hasSafeMethod else { return nil }
        url = request.cacheKey
        isPublic = request.hasPublicURL
    }
}

nonisolated extension [String: String] {
    /// Whether two sets of headers have the same bytes. For `==`, texts with other bytes are equal if they look the
    /// same.
    func isIdentical(to other: Self) -> Bool {
        count == other.count && allSatisfy { other[$0.key]?.isIdentical(to: $0.value) == true }
    }
}
