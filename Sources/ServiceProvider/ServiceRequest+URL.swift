// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
    /// Resolves a URL from a server, such as the header `Location` or a page's `next` (RFC 3986, section 5).
    ///
    /// Its percent-encoding stays as it is. Other characters that a URL can't contain are percent-encoded. User
    /// info comes from this request, and only for the same origin: a server must not choose credentials.
    ///
    /// - Returns: Nil if the URL isn't http or https, has no host, or leads from https to http.
    public func resolve(_ location: String) -> URL? {
        guard let base = urlRequest.url, let url = Self.url(location, relativeTo: base),
            var parts = Self.httpComponents(of: url.absoluteString)
        else { return nil }
        parts.scheme = parts.scheme?.lowercased()
        // Only some versions of Foundation drop the colon of an empty port.
        let port = parts.port
        parts.port = port
        guard parts.scheme == "https" || !isSecure else { return nil }
        let isSameOrigin = Self.origin(of: url) == Self.origin(of: base)
        let own = isSameOrigin ? URLComponents(string: base.absoluteString) : nil
        parts.percentEncodedUser = own?.percentEncodedUser
        parts.percentEncodedPassword = own?.percentEncodedPassword
        // URLComponents drops a host that it can't decode, such as `xn--`.
        guard let resolved = parts.url, Self.isHTTP(resolved) else { return nil }
        return resolved
    }

    /// Reads a URL from outside the app, such as a link in a JSON body.
    ///
    /// Its percent-encoding stays as it is. Other characters that a URL can't contain are percent-encoded.
    /// (Foundation's `URL(string:)` also encodes each `%` again.) To request the URL, return its `absoluteString` as
    /// ``Service/baseURL`` with an empty path.
    ///
    /// - Returns: Nil if the text can't be a URL.
    public static func url(_ text: String, relativeTo base: URL? = nil) -> URL? {
        // Foundation encodes everything again if one character isn't legal.
        let legal = ServicePercentEncoding.encodeIllegal(text)
        // Brackets may have kept others between them, which only some versions of Foundation refuse.
        guard ServicePercentEncoding.isUnchanged(legal, keeping: "!$&'()*+,;=:@/?#[]%")
        else { return nil }
        guard let base else { return URL(string: legal) }
        guard let reference = ServiceURLReference(legal),
            let base = ServiceURLReference(base.absoluteString)
        else { return nil }
        return URL(string: reference.resolved(in: base))
    }

    /// The origin of a URL: scheme, host and port (RFC 6454, section 4), such as `https://example.com:443`.
    public static func origin(of url: URL) -> String {
        let parts = URLComponents(string: url.absoluteString)
        let scheme = parts?.scheme?.lowercased() ?? ""
        let port = parts?.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(parts?.encodedHost?.lowercased() ?? ""):\(port)"
    }

    var isSecure: Bool { urlRequest.url?.scheme?.lowercased() == "https" }

    /// Whether a URL has a host, and the scheme http or https.
    static func isHTTP(_ url: URL) -> Bool {
        url.host?.isEmpty == false && isHTTP(scheme: url.scheme)
    }

    /// The parts of a URL with the scheme http or https, a host, and either no port or a port from 1 to
    /// 65,535; nil for any other URL.
    static func httpComponents(of url: String) -> URLComponents? {
        guard let parts = URLComponents(string: url), parts.rangeOfHost?.isEmpty == false
        else { return nil }
        guard isHTTP(scheme: parts.scheme) else { return nil }
        // URLComponents returns nil for a very large port.
        let hasPort = parts.rangeOfPort?.isEmpty == false
        guard !hasPort || (1...65_535).contains(parts.port ?? 0) else { return nil }
        return parts
    }

    private static func isHTTP(scheme: String?) -> Bool {
        ["http", "https"].contains(scheme?.lowercased() ?? "")
    }
}
