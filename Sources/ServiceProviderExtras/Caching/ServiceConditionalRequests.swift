// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(ServiceProvider)
import ServiceProvider
#endif

/// Asks the server whether a stored response is still current, instead of loading it again:
/// conditional requests (RFC 9110, section 13) with a cache that always revalidates (RFC 9111,
/// section 4.3).
///
/// The response to a GET is stored if it has an `ETag` or a `Last-Modified`. The next GET sends
/// that validator. If the server responds with 304, the caller gets the stored body, with status 200 and
/// the headers of both responses. No response is returned without asking the server, whatever
/// `max-age` says.
///
/// Some requests are sent unchanged, and their 304 is returned: those with a `Range` or a condition
/// of their own, and those with a response that goes to a file or a stream. `no-store`, `private` and
/// `Vary` are respected. A successful PUT, POST, PATCH or DELETE removes the response that is
/// stored for its URL (section 4.4).
///
/// Place it inside the interceptors that add credentials or change the URL: a response is reused
/// only for the same URL and the same credentials, so no one gets a response that is meant for
/// others. It can't see the cookies that a session adds: call ``removeAll()`` when the
/// user changes. (On Apple platforms, a session with a `urlCache` does all this too, and may
/// hide a 304. On Linux, no session does.)
public nonisolated final class ServiceConditionalRequests: ServiceInterceptor {
    private let store: (any ServiceResponseStore)?
    private let memory: ServiceMemoryStore
    private let isShared: Bool

    /// Makes an instance with an empty memory.
    ///
    /// - Parameters:
    ///   - store: Where to store responses. Default: nil, which means in memory. Your own store
    ///     gets no secrets: the response to a request with a secret header or URL (see
    ///     `ServiceRequest.isSecret(_:)`) stays in memory.
    ///   - memoryLimit: How many bytes memory may hold. The least recently used responses are
    ///     removed first, and a response of more than a tenth isn't stored. Default: 10 MB.
    ///   - isShared: Whether it serves several users, as on a server (RFC 9111, section 3). Then
    ///     `private` responses aren't stored, and responses to requests with `Authorization` only
    ///     if they are `public`. Default: false.
    public init(
        store: (any ServiceResponseStore)? = nil, memoryLimit: Int = 10 << 20,
        isShared: Bool = false
    ) {
        (self.store, self.isShared) = (store, isShared)
        memory = ServiceMemoryStore(limit: memoryLimit)
    }

    /// Forgets the responses in memory.
    public func removeAll() {
        memory.removeAll()
    }

    /// Sends a request, with the validator of the response that is stored for it.
    ///
    /// - Throws: The errors of the inner interceptors and the transport.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard request.urlRequest.httpMethod ?? "GET" == "GET" else {
            let response = try await next(request)
            let isSafe = ["HEAD", "OPTIONS", "TRACE"].contains(request.urlRequest.httpMethod)
            if !isSafe, (200..<400).contains(response.statusCode) {
                await memory.removeResponse(for: request.url)
                if request.hasPublicURL { await store?.removeResponse(for: request.url) }
            }
            return response
        }
        guard request.acceptsStoredResponses else { return try await next(request) }
        var request = request
        // On Apple platforms, URLSession's own cache would respond without asking the server.
        request.urlRequest.cachePolicy = .reloadIgnoringLocalCacheData
        let found = await store(for: request).response(for: request.url)
        let stored =
            found?.varyHeaders == request.varyHeaders(in: found?.headers ?? [:]) ? found : nil
        var response = try await next(request.withValidators(of: stored))
        response.request = response.request.withValidators(of: nil)
        if response.statusCode == 304, let stored {
            // The 304 may be about another version, URL or credential.
            let current = Self.response(stored, confirmedBy: response, for: request.url)
            response = if let current { current } else { try await next(request) }
        }
        if response.statusCode == 200 { await keep(response) }
        return response
    }

    /// The store for the response to a request. If inner interceptors add secrets, the request that
    /// was sent may have another store.
    private func store(for request: ServiceRequest) -> any ServiceResponseStore {
        guard let store, request.hasPublicURL, request.varyHeaders(in: [:]).isEmpty
        else { return memory }
        return store
    }

    /// Stores a response for the URL that it came from, which may be the target of a redirect.
    private func keep(_ response: ServiceResponse) async {
        let (request, fields) = (response.request, Self.lowercased(response.headers))
        guard isStorable(fields, for: request) else {
            return await store(for: request).removeResponse(for: request.url)
        }
        let kept = fields.filter { !request.isSecret($0.key) && !Self.hopByHop.contains($0.key) }
        let stored = ServiceStoredResponse(
            headers: kept, body: response.data, varyHeaders: request.varyHeaders(in: fields))
        await store(for: request).store(stored, for: request.url)
    }

    /// Headers that aren't stored (RFC 9111, section 3.1).
    private static let hopByHop: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]

    /// RFC 9111, sections 3 and 3.5.
    private func isStorable(_ fields: [String: String], for request: ServiceRequest) -> Bool {
        let control = ServiceRequest.directives(in: fields["cache-control"])
        let hasUser = request.urlRequest.value(forHTTPHeaderField: "Authorization") != nil
        let isPublic = !control.contains("private") && (!hasUser || control.contains("public"))
        let hasValidator = fields["etag"] != nil || fields["last-modified"] != nil
        return hasValidator && !control.contains("no-store") && (isPublic || !isShared)
            && fields["vary"]?.contains("*") != true
    }

    /// The stored response that a 304 confirms (RFC 9111, sections 3.2 and 4.3.4); nil if the 304
    /// is about another version, or came for another URL or credential.
    private static func response(
        _ stored: ServiceStoredResponse, confirmedBy response: ServiceResponse, for url: String
    ) -> ServiceResponse? {
        let (fields, new) = (stored.headers, lowercased(response.headers))
        // Compared without `W/`: some servers drop it from a 304.
        let tags = [new["etag"] ?? fields["etag"], fields["etag"]].map {
            $0?.replacingOccurrences(of: "W/", with: "", options: .anchored)
        }
        let request = response.request
        guard tags[0] == tags[1], request.url == url,
            request.varyHeaders(in: fields) == stored.varyHeaders
        else { return nil }
        // These describe how the stored body was sent.
        let ofBody = ["content-length", "content-encoding", "content-range"]
        let headers = fields.merging(new.filter { !ofBody.contains($0.key) }) { $1 }
        return ServiceResponse(
            request: request, statusCode: 200, headers: headers, data: stored.body)
    }

    private static func lowercased(_ headers: [String: String]) -> [String: String] {
        var lowercased: [String: String] = [:]
        for (name, value) in headers { lowercased[name.lowercased()] = value }
        return lowercased
    }
}

nonisolated extension ServiceRequest {
    fileprivate var url: String { urlRequest.url?.absoluteString ?? "" }

    fileprivate var hasPublicURL: Bool { redacting(url) == url }

    /// Whether the request wants the whole response in memory and has no condition of its own.
    fileprivate var acceptsStoredResponses: Bool {
        for name in (urlRequest.allHTTPHeaderFields ?? [:]).keys {
            let name = name.lowercased()
            if name == "range" || name.hasPrefix("if-") { return false }
        }
        let control = urlRequest.value(forHTTPHeaderField: "Cache-Control")
        return !deliversBody && !Self.directives(in: control).contains("no-store")
    }

    /// The headers that the response depends on: those that `Vary` names (RFC 9111, section 4.1),
    /// and always those that are secret.
    ///
    /// - Parameter fields: The headers of the response.
    fileprivate func varyHeaders(in fields: [String: String]) -> [String: String] {
        let vary = Self.directives(in: fields["vary"])
        var varyHeaders: [String: String] = [:]
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] {
            let name = name.lowercased()
            if vary.contains(name) || isSecret(name) { varyHeaders[name] = value }
        }
        return varyHeaders
    }

    /// The request with the validators of a stored response (RFC 9111, section 4.3.1), in place of
    /// any earlier ones.
    fileprivate func withValidators(of stored: ServiceStoredResponse?) -> ServiceRequest {
        var request = self
        for (name, field) in [("If-None-Match", "etag"), ("If-Modified-Since", "last-modified")] {
            request.urlRequest.setValue(nil, forHTTPHeaderField: name)
            // Only a broken store has a validator that can't be sent.
            if let validator = stored?.headers[field] { try? request.setHeader(name, validator) }
        }
        return request
    }

    /// The names of the directives in a `Cache-Control` (RFC 9111, section 5.2), or of the headers in
    /// a `Vary`. A value with an unclosed quote counts as `no-store`.
    fileprivate static func directives(in control: String?) -> Set<String> {
        var (unquoted, isQuoted) = ([UInt8](), false)
        var rest = (control ?? "").utf8[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "\"") { isQuoted.toggle() }
            if isQuoted, byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
            if !isQuoted, byte > 0x20 { unquoted.append(byte) }
        }
        var names: Set<String> = isQuoted ? ["no-store"] : []
        for directive in unquoted.split(separator: UInt8(ascii: ",")) {
            let name = directive.prefix { $0 != UInt8(ascii: "=") }
            names.insert(String(decoding: name, as: UTF8.self).lowercased())
        }
        return names
    }
}
