// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

nonisolated extension ServiceRequest {
    /// The request that follows a redirect; nil if the response isn't a redirect, or must not be followed.
    ///
    /// - The new URL must be http or https. A redirect from https to http isn't followed.
    /// - A 303 becomes a GET (HEAD stays HEAD), and so does a POST after a 301 or 302. Other requests keep
    ///   their method and body (RFC 9110, section 15.4).
    /// - A redirect to another origin (scheme, host or port; RFC 6454, section 4) keeps only the
    ///   headers Accept, Accept-Language, Content-Type and User-Agent. If the new request still has
    ///   a body, or needed its `Idempotency-Key` to be repeatable, the redirect isn't followed. A session
    ///   still adds its own stored cookies (RFC 6265, section 8.5).
    public func redirected(by response: ServiceResponse) -> ServiceRequest? {
        let status = response.statusCode
        guard [301, 302, 303, 307, 308].contains(status), !validStatusCodes.contains(status),
            let location = response.header("Location"), let url = resolve(location)
        else { return nil }
        var (next, earlier) = (self, self)
        earlier[EarlierRequests.self] = []
        (earlier.upload, earlier.bodySink) = (nil, nil)
        // This removes the body, too.
        if urlRequest.httpBodyStream != nil { earlier.urlRequest.httpBodyStream = nil }
        // A caller may send the request of a response again and again.
        next[EarlierRequests.self] = (self[EarlierRequests.self] + [earlier]).suffix(20)
        next.urlRequest.url = url
        let method = urlRequest.httpMethod
        let becomesGet = status == 303 ? method != "HEAD" : status < 303 && method == "POST"
        if becomesGet {
            next.urlRequest.httpMethod = "GET"
            next.urlRequest.httpBody = nil
            next.upload = nil
        }
        let isSameOrigin = Self.origin(of: url) == urlRequest.url.map(Self.origin)
        let fields = urlRequest.allHTTPHeaderFields?.filter { name, _ in
            let isAboutBody = becomesGet && name.lowercased().hasPrefix("content-")
            return !isAboutBody && (isSameOrigin || Self.isHarmless(name))
        }
        if let fields { next.replaceFields(with: fields) }
        let canSend = isSameOrigin || !next.hasBody && (!isRepeatable() || next.isRepeatable())
        // A stream can't be sent again.
        return canSend && next.urlRequest.httpBodyStream == nil ? next : nil
    }

    /// Becomes the request that follows a redirect. Returns false if there is none, or the policy refuses it.
    /// Not inlined, because a waiting call would keep its variables in memory.
    @inline(never) mutating func follow(_ response: ServiceResponse, _ count: Int) throws -> Bool {
        guard let next = redirected(by: response) else { return false }
        var decided: ServiceRequest? = next
        if let redirectPolicy { decided = try redirectPolicy.decide(next, response, count) }
        let isSecure = urlRequest.url?.scheme?.lowercased() == "https"
        guard let decided, !isSecure || decided.urlRequest.url?.scheme?.lowercased() == "https"
        else { return false }
        self = decided
        // The policy may have created a new request.
        self[EarlierRequests.self] = next[EarlierRequests.self]
        return true
    }

    /// Whether a header field has no credentials. (An allowlist, because any other field may have
    /// them.)
    static func isHarmless(_ name: String) -> Bool {
        ["accept", "accept-language", "content-type", "user-agent"].contains(name.lowercased())
    }

    /// Resolves a URL from a header of the response, such as `Location` (RFC 3986, section 5).
    ///
    /// User info comes from this request, and only for the same origin: a server must not choose
    /// credentials.
    ///
    /// - Returns: Nil if the URL isn't http or https, has no host, or leads from https to http.
    public func resolve(_ location: String) -> URL? {
        guard let base = urlRequest.url, let own = URLComponents(string: base.absoluteString),
            let url = URL(string: location, relativeTo: base)?.absoluteURL, Self.isReachable(url),
            var parts = URLComponents(string: url.absoluteString),
            parts.scheme?.lowercased() == "https" || own.scheme?.lowercased() == "http"
        else { return nil }
        parts.scheme = parts.scheme?.lowercased()
        let isSameOrigin = Self.origin(of: url) == Self.origin(of: base)
        parts.percentEncodedUser = isSameOrigin ? own.percentEncodedUser : nil
        parts.percentEncodedPassword = isSameOrigin ? own.percentEncodedPassword : nil
        // URLComponents drops a host that it can't decode, such as `xn--`.
        return parts.url.flatMap { Self.isReachable($0) ? $0 : nil }
    }

    /// The origin of a URL: scheme, host and port (RFC 6454, section 4), such as `https://example.com:443`.
    public static func origin(of url: URL) -> String {
        let port = url.port ?? (url.scheme?.lowercased() == "https" ? 443 : 80)
        return "\(url.scheme ?? "")://\(url.host ?? ""):\(port)".lowercased()
    }
}

private nonisolated enum EarlierRequests: ServiceRequestOption {
    static var defaultValue: [ServiceRequest] { [] }
}

nonisolated extension ServiceResponse {
    /// The requests that were redirected to ``request``, in the order they were sent: at most 20. They
    /// have no ``ServiceRequest/upload``, no ``ServiceRequest/bodySink`` and no `httpBodyStream`.
    ///
    /// An interceptor that replaces ``request`` must set them again: error texts, logs and recordings
    /// hide the secrets of all these requests.
    public var earlierRequests: [ServiceRequest] {
        get { request[EarlierRequests.self] }
        set { request[EarlierRequests.self] = newValue }
    }
}

/// Decides which redirects of a request are followed.
///
/// Whatever it decides, a call follows at most 20 redirects, and never one from https to http or to
/// a URL that isn't http or https.
public nonisolated struct ServiceRedirectPolicy: Sendable {
    /// Returns the request to send for a redirect; nil to return the redirect itself.
    ///
    /// - Parameters:
    ///   - next: The request that follows the redirect. The closure may change it, for example its
    ///     headers.
    ///   - response: The redirect.
    ///   - count: Which redirect of the call this is: 1 for the first.
    public typealias Decision =
        @Sendable (_ next: ServiceRequest, _ response: ServiceResponse, _ count: Int) throws ->
        ServiceRequest?

    /// Decides about a redirect. A policy can call it to add to another policy.
    public let decide: Decision

    /// Creates a policy from a closure. If the closure throws, the call fails with that error,
    /// wrapped by ``ServiceError/init(_:of:)``.
    public init(_ decide: @escaping Decision) {
        self.decide = decide
    }
}
