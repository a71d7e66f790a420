// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

nonisolated extension ServiceRequest {
    /// How many redirects are followed each time a request is sent.
    package static let maximumRedirects = 20

    /// Becomes the request that follows a redirect, as ``onRedirect`` decides.
    ///
    /// `@inline(never)`, and in place, for the reason that `ServiceRequest+Sending.swift` gives.
    ///
    /// - Parameters:
    ///   - response: The response to this request.
    ///   - count: Which redirect of the call this would be: 1 for the first.
    /// - Returns: False if the call ends with this response: it isn't a redirect, or must not be followed.
    @inline(never)
    package mutating func redirect(by response: ServiceResponse, count: Int) throws -> Bool {
        // The body of this request has been opened, and that of the response's request hasn't.
        guard count <= Self.maximumRedirects, var next = response.request.target(of: response)
        else { return false }
        if let onRedirect {
            guard let decided = try onRedirect(next, response, count) else { return false }
            next = decided
        }
        // The handler may have changed the URL and the body.
        guard next.isSecure || !isSecure, next.mayFollow(response.request) else { return false }
        // The handler has allowed this for one redirect, and not for those that follow.
        next.sendsBodyToOtherOrigins = response.request.sendsBodyToOtherOrigins
        self = next
        return true
    }

    /// The request that follows a redirect; nil if the response isn't a redirect, or must not be followed.
    ///
    /// - The new URL must be http or https. A redirect from https to http isn't followed.
    /// - A 303 becomes a GET (HEAD stays HEAD), and so does a POST after a 301 or 302. Other requests keep
    ///   their method and body (RFC 9110, section 15.4).
    /// - A redirect to another origin (scheme, host or port; RFC 6454, section 4) keeps only the
    ///   headers Accept, Accept-Language, Content-Type and User-Agent. A session still adds its own stored cookies
    ///   (RFC 6265, section 8.5).
    /// - It isn't followed to another origin if the new request still has a body, unless ``sendsBodyToOtherOrigins`` is
    ///   true, which also keeps the headers about the body. A request with a condition, such as `If-Match`, isn't
    ///   followed there either, unless it is a GET or HEAD.
    public func redirected(by response: ServiceResponse) -> ServiceRequest? {
        guard let next = target(of: response), next.mayFollow(self) else { return nil }
        return next
    }

    /// The request that a redirect asks for.
    private func target(of response: ServiceResponse) -> ServiceRequest? {
        let code = response.statusCode
        guard Self.redirects.contains(code), !validStatusCodes.contains(code) else { return nil }
        guard let url = response.header("Location").flatMap(resolve) else { return nil }
        var next = self
        next.originalDescription = description
        next.urlRequest.url = url
        if Self.origin(of: url) != urlRequest.url.map(Self.origin) {
            let kept = Self.harmless + (next.hasBody ? Self.aboutContent : [])
            next.removeHeaders { !kept.contains($0) }
        }
        if Self.becomesGet(urlRequest.httpMethod, after: code) {
            next.urlRequest.httpMethod = "GET"
            next.urlRequest.httpBody = nil
            next.urlRequest.httpBodyStream = nil
            next.upload = nil
            next.removeHeaders { $0.hasPrefix("content-") }
        }
        return next
    }

    /// Whether this request may follow an earlier one.
    private func mayFollow(_ earlier: ServiceRequest) -> Bool {
        // A stream can't be sent again.
        guard urlRequest.httpBodyStream == nil else { return false }
        let isSameOrigin =
            urlRequest.url.map(Self.origin) == earlier.urlRequest.url.map(Self.origin)
        guard !isSameOrigin, !["GET", "HEAD"].contains(urlRequest.httpMethod) else { return true }
        // Without its conditions, such as `If-Match`, a request could change the wrong version of a resource.
        let fields = earlier.urlRequest.allHTTPHeaderFields ?? [:]
        let losesCondition = fields.keys.contains { name in
            name.lowercased().hasPrefix("if-") && urlRequest.value(forHTTPHeaderField: name) == nil
        }
        return !losesCondition && (sendsBodyToOtherOrigins || !hasBody)
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

    /// A body would mean something else without these.
    private static let aboutContent = [
        "content-encoding", "content-language", "content-range", "content-disposition",
        "content-location", "content-md5", "content-digest",
    ]

    /// Removes header fields by their names in lower case. Each on its own, because on Apple platforms
    /// the setter of `allHTTPHeaderFields` never removes a field.
    private mutating func removeHeaders(where matches: (String) -> Bool) {
        for name in (urlRequest.allHTTPHeaderFields ?? [:]).keys where matches(name.lowercased()) {
            urlRequest.setValue(nil, forHTTPHeaderField: name)
        }
    }
}
