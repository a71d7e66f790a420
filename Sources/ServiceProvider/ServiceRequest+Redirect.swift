// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
    /// The request that follows a redirect; nil if the response isn't a redirect, or must not be followed.
    ///
    /// - The new URL must be http or https. A redirect from https to http isn't followed.
    /// - A 303 becomes a GET (HEAD stays HEAD), and so does a POST after a 301 or 302. Other requests keep
    ///   their method and body (RFC 9110, section 15.4).
    /// - A redirect to another origin (scheme, host or port; RFC 6454, section 4) keeps only the
    ///   headers Accept, Accept-Language, Content-Type and User-Agent, and isn't followed if the new request
    ///   still has a body. A session still adds its own stored cookies (RFC 6265, section 8.5).
    public func redirected(by response: ServiceResponse) -> ServiceRequest? {
        let code = response.statusCode
        guard Self.redirects.contains(code), !validStatusCodes.contains(code) else { return nil }
        guard let url = response.header("Location").flatMap(resolve) else { return nil }
        var next = self
        next.originalDescription = description
        next.urlRequest.url = url
        let isSameOrigin = Self.origin(of: url) == urlRequest.url.map(Self.origin)
        if !isSameOrigin {
            next.removeHeaders { !Self.harmless.contains($0) }
        }
        if Self.becomesGet(urlRequest.httpMethod, after: code) {
            next.urlRequest.httpMethod = "GET"
            next.urlRequest.httpBody = nil
            next.upload = nil
            next.removeHeaders { $0.hasPrefix("content-") }
        }
        // A stream can't be sent again.
        guard next.urlRequest.httpBodyStream == nil, isSameOrigin || !next.hasBody
        else { return nil }
        return next
    }

    private static let redirects = [301, 302, 303, 307, 308]

    /// Whether the request that follows a redirect is a GET (RFC 9110, section 15.4).
    private static func becomesGet(_ method: String?, after status: Int) -> Bool {
        switch status {
        case 303: method != "HEAD"
        case 301, 302: method == "POST"
        default: false
        }
    }

    /// Header fields without credentials. (An allowlist, because any other field may have them.)
    private static let harmless = ["accept", "accept-language", "content-type", "user-agent"]

    /// Removes header fields by their names in lower case. Each on its own, because on Apple platforms
    /// the setter of `allHTTPHeaderFields` never removes a field.
    private mutating func removeHeaders(where matches: (String) -> Bool) {
        for name in (urlRequest.allHTTPHeaderFields ?? [:]).keys where matches(name.lowercased()) {
            urlRequest.setValue(nil, forHTTPHeaderField: name)
        }
    }

    /// Resolves a URL from a server, such as the header `Location` or a page's `next` (RFC 3986, section 5).
    ///
    /// Its percent-encoding stays as it is. Other characters that a URL can't contain are percent-encoded. User
    /// info comes from this request, and only for the same
    /// origin: a server must not choose credentials.
    ///
    /// - Returns: Nil if the URL isn't http or https, has no host, or leads from https to http.
    public func resolve(_ location: String) -> URL? {
        guard let base = urlRequest.url, let url = Self.url(location, relativeTo: base),
            var parts = Self.httpComponents(of: url.absoluteString)
        else { return nil }
        parts.scheme = parts.scheme?.lowercased()
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
    /// (Foundation's `URL(string:)` also encodes each `%` again.) To request
    /// the URL, return its `absoluteString` as ``Service/baseURL`` with an empty path.
    ///
    /// - Returns: Nil if the text can't be a URL.
    public static func url(_ text: String, relativeTo base: URL? = nil) -> URL? {
        // Foundation encodes everything again if one character isn't legal.
        URL(string: ServicePercentEncoding.encodeIllegal(text), relativeTo: base)?.absoluteURL
    }

    /// The origin of a URL: scheme, host and port (RFC 6454, section 4), such as `https://example.com:443`.
    public static func origin(of url: URL) -> String {
        let parts = URLComponents(string: url.absoluteString)
        let scheme = parts?.scheme?.lowercased() ?? ""
        let port = parts?.port ?? (scheme == "https" ? 443 : 80)
        return "\(scheme)://\(parts?.encodedHost?.lowercased() ?? ""):\(port)"
    }
}
