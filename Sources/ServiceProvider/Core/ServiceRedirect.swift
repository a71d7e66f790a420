// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
    /// The request that a redirect asks for; nil when it asks for none, or for one that must not be
    /// sent. One rule for every transport and platform:
    ///
    /// - To `http` and `https` only, and never from `https` to `http`.
    /// - A 303 becomes a GET (a HEAD stays), so does a POST at 301 and 302; all else keeps its method
    ///   and body (RFC 9110, section 15.4).
    /// - To another origin (scheme, host or port; RFC 6454, section 4) goes no body, and no
    ///   header but a few: the list of names that carry secrets has no end. What was dropped stays
    ///   dropped, should the chain come back. (Stored cookies are the session's: RFC 6265, section 8.5,
    ///   gives them to all ports of their host, and to no other host.)
    func redirected(by response: ServiceResponse) -> ServiceRequest? {
        let status = response.statusCode
        guard [301, 302, 303, 307, 308].contains(status), !validStatusCodes.contains(status),
            let url = response.header("Location").flatMap(target)
        else { return nil }
        var next = self
        next.urlRequest.url = url
        let method = urlRequest.httpMethod
        let becomesGet = status == 303 ? method != "HEAD" : status < 303 && method == "POST"
        if becomesGet {
            next.urlRequest.httpMethod = "GET"
            next.urlRequest.httpBody = nil
            next.upload = nil
        }
        let isSameOrigin = Self.origin(url) == urlRequest.url.map(Self.origin)
        let forAnyone = ["accept", "accept-language", "content-type", "user-agent"]
        for name in (urlRequest.allHTTPHeaderFields ?? [:]).keys.map({ $0.lowercased() }) {
            let isKept = isSameOrigin || forAnyone.contains(name)
            if !isKept || becomesGet && name.hasPrefix("content-") {
                next.urlRequest.setValue(nil, forHTTPHeaderField: name)
            }
        }
        // A stream has been read by now: it cannot be sent again, to anyone.
        let canSend = isSameOrigin || !next.hasBody
        return canSend && next.urlRequest.httpBodyStream == nil ? next : nil
    }

    /// Resolves a Location (RFC 3986, section 5). User info comes from the URL that was asked, on the
    /// same origin only: a server must not choose credentials.
    func target(_ location: String) -> URL? {
        guard let asked = urlRequest.url, let own = URLComponents(string: asked.absoluteString),
            let url = URL(string: location, relativeTo: asked)?.absoluteURL, Self.isReachable(url),
            var parts = URLComponents(string: url.absoluteString),
            parts.scheme?.lowercased() == "https" || own.scheme?.lowercased() == "http"
        else { return nil }
        parts.scheme = parts.scheme?.lowercased()
        let isSameOrigin = Self.origin(url) == Self.origin(asked)
        parts.percentEncodedUser = isSameOrigin ? own.percentEncodedUser : nil
        parts.percentEncodedPassword = isSameOrigin ? own.percentEncodedPassword : nil
        // URLComponents drops a host that it can't decode, such as `xn--`.
        return parts.url.flatMap { Self.isReachable($0) ? $0 : nil }
    }

    static func origin(_ url: URL) -> String {
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        return "\(url.scheme ?? "")://\(url.host ?? ""):\(port)".lowercased()
    }
}
