// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Asks whether what was loaded before is still good, and spares loading it again: conditional requests
/// (RFC 9110, section 13) by a cache that always asks (RFC 9111, section 4.3).
///
/// The answer to a GET is stored with its validator, `ETag` or `Last-Modified`. The next GET sends it
/// along, and where the server says 304, the caller gets the stored body, with status 200 and the header
/// fields of both. No answer is ever given without asking, whatever `max-age` says.
///
/// A request that names `Range` or a condition of its own, or whose answer goes to a file or a stream, is
/// sent as it is, and its 304 handed over. `no-store`, `private` and `Vary` are respected. A PUT, POST,
/// PATCH or DELETE that succeeds removes what is stored for its URL (section 4.4).
///
/// Place it further in than whatever adds credentials or changes the URL: an answer is stored only for
/// the very URL and credentials that it was asked for with, so that it never reaches others. Cookies that
/// a session adds by itself cannot be seen: call ``removeAll()`` when the user changes. (On Apple's
/// platforms a session with a `urlCache` does the same by itself, and may hide a 304. On Linux none does.)
public nonisolated final class ServiceConditionalRequests: ServiceInterceptor {
    private let store: (any ServiceResponseStore)?
    private let memory: ServiceMemoryStore
    private let isShared: Bool

    /// Makes one with nothing in memory.
    ///
    /// - Parameters:
    ///   - store: Where answers are stored. Default: nil, in memory. A store of yours gets no secrets:
    ///     what was asked for with a secret in a header field or in the URL (see
    ///     ``ServiceRequest/isSecret(_:)``) stays in memory.
    ///   - memoryLimit: How many bytes memory holds; what was not used for the longest time goes first,
    ///     and an answer of more than a tenth is not held. Default: 10 MB.
    ///   - isShared: Whether it serves several users, as on a server (RFC 9111, section 3): then it
    ///     stores neither what is `private`, nor, unless it is `public`, what was asked for with
    ///     `Authorization`. Default: false.
    public init(
        store: (any ServiceResponseStore)? = nil, memoryLimit: Int = 10 << 20,
        isShared: Bool = false
    ) {
        (self.store, self.isShared) = (store, isShared)
        memory = ServiceMemoryStore(limit: memoryLimit)
    }

    /// Forgets what is in memory.
    public func removeAll() {
        memory.removeAll()
    }

    /// Sends a request, with the validator of what is stored for it.
    ///
    /// - Throws: What those further in throw.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let url = request.url
        guard request.urlRequest.httpMethod ?? "GET" == "GET" else {
            let response = try await next(request)
            let isSafe = ["HEAD", "OPTIONS", "TRACE"].contains(request.urlRequest.httpMethod)
            if !isSafe, (200..<400).contains(response.statusCode) {
                await memory.removeResponse(for: url)
                if request.redacting(url) == url { await store?.removeResponse(for: url) }
            }
            return response
        }
        guard request.isUnconditional else { return try await next(request) }
        var stored = await place(of: request).response(for: url)
        if let found = stored, found.selectors != request.selectors(in: found.fields) {
            stored = nil
        }
        var response = try await next(request.asking(whether: stored))
        response.request = response.request.asking(whether: nil)
        if response.statusCode == 304, let stored {
            if let known = stored.confirmed(by: response, for: url) {
                response = known
            } else {
                // About something else than what is stored: it answers nothing.
                response = try await next(request)
            }
        }
        if response.statusCode == 200 { await keep(response) }
        return response
    }

    /// Where the answer to a request is stored. By what was sent, it may be another place than by what
    /// was asked.
    private func place(of request: ServiceRequest) -> any ServiceResponseStore {
        guard let store, request.redacting(request.url) == request.url,
            request.selectors(in: [:]).isEmpty
        else { return memory }
        return store
    }

    /// By the URL that it came from, which a redirect may have led to.
    private func keep(_ response: ServiceResponse) async {
        let request = response.request
        let fields = response.lowercasedFields
        let stored = ServiceStoredResponse(
            fields: fields.filter {
                !request.isSecret($0.key) && !Self.ofConnection.contains($0.key)
            },
            body: response.data, selectors: request.selectors(in: fields))
        if isStorable(fields, for: request) {
            await place(of: request).store(stored, for: request.url)
        } else {
            await place(of: request).removeResponse(for: request.url)
        }
    }

    /// Fields that are not stored (RFC 9111, section 3.1).
    private static let ofConnection: Set<String> = [
        "connection", "keep-alive", "proxy-connection", "te", "trailer", "transfer-encoding",
        "upgrade",
    ]

    /// The names of the directives in `Cache-Control` (RFC 9111, section 5.2). A value with an unclosed
    /// quote counts as `no-store`.
    fileprivate static func directives(_ text: String?) -> Set<String> {
        var (names, name) = (Set<String>(), [UInt8]())
        var (isQuoted, isEscaped, isValue) = (false, false, false)
        for byte in (text ?? "").utf8 {
            if isQuoted {
                isQuoted = isEscaped || byte != UInt8(ascii: "\"")
                isEscaped = !isEscaped && byte == UInt8(ascii: "\\")
                continue
            }
            switch UnicodeScalar(byte) {
            case "\"": isQuoted = true
            case "=": isValue = true
            case ",":
                names.insert(String(decoding: name, as: UTF8.self).lowercased())
                (name, isValue) = ([], false)
            case " ", "\t": break
            default: if !isValue { name.append(byte) }
            }
        }
        names.insert(String(decoding: name, as: UTF8.self).lowercased())
        return isQuoted ? ["no-store"] : names
    }

    /// RFC 9111, sections 3 and 3.5.
    private func isStorable(_ fields: [String: String], for request: ServiceRequest) -> Bool {
        let control = Self.directives(fields["cache-control"])
        let hasUser = request.urlRequest.value(forHTTPHeaderField: "Authorization") != nil
        let isForAll = !control.contains("private") && (!hasUser || control.contains("public"))
        let isValidatable = fields["etag"] != nil || fields["last-modified"] != nil
        return isValidatable && !control.contains("no-store") && (isForAll || !isShared)
            && fields["vary"]?.contains("*") != true
    }
}

nonisolated extension ServiceRequest {
    fileprivate var url: String { urlRequest.url?.absoluteString ?? "" }

    /// Whether it asks for the whole of an answer in memory, on no condition of the caller's.
    fileprivate var isUnconditional: Bool {
        let names = (urlRequest.allHTTPHeaderFields ?? [:]).keys.map { $0.lowercased() }
        let isWhole = !names.contains { $0 == "range" || $0.hasPrefix("if-") }
        let control = ServiceConditionalRequests.directives(
            urlRequest.value(forHTTPHeaderField: "Cache-Control"))
        return isWhole && delivery == nil && !control.contains("no-store")
    }

    /// The header fields of which the answer depends: those that `Vary` names (RFC 9111, section 4.1),
    /// and all that are secret, whatever it says.
    fileprivate func selectors(in fields: [String: String]) -> [String: String] {
        let vary = fields["vary"]?.lowercased().split(separator: ",").map {
            $0.trimmingCharacters(in: .whitespaces)
        }
        let own = (urlRequest.allHTTPHeaderFields ?? [:]).map { ($0.key.lowercased(), $0.value) }
        return Dictionary(own.filter { vary?.contains($0.0) == true || isSecret($0.0) }) { $1 }
    }

    /// The same on condition that what is stored is not good any more; on none where nothing is. (RFC
    /// 9111, section 4.3.1)
    fileprivate func asking(whether stored: ServiceStoredResponse?) -> ServiceRequest {
        var request = self
        for (name, field) in [("If-None-Match", "etag"), ("If-Modified-Since", "last-modified")] {
            request.urlRequest.setValue(nil, forHTTPHeaderField: name)
            // A validator that cannot be sent came from a broken store.
            if let validator = stored?.fields[field] { try? request.setHeader(name, validator) }
        }
        return request
    }
}

nonisolated extension ServiceResponse {
    /// Its header fields, their names in lower case.
    fileprivate var lowercasedFields: [String: String] {
        let fields = http.allHeaderFields.compactMap { name, value in
            (name as? String).flatMap { name in (value as? String).map { (name.lowercased(), $0) } }
        }
        return Dictionary(fields) { $1 }
    }
}

/// Where ``ServiceConditionalRequests`` stores answers, by the text of their URL.
///
/// It may forget what it likes, when it likes, and is asked from several tasks at a time.
public nonisolated protocol ServiceResponseStore: Sendable {
    /// What is stored for a URL; nil where nothing is.
    @concurrent func response(for url: String) async -> ServiceStoredResponse?
    /// Stores a response, in place of one for the same URL.
    @concurrent func store(_ response: ServiceStoredResponse, for url: String) async
    /// Forgets what is stored for a URL.
    @concurrent func removeResponse(for url: String) async
}

/// An answer with status 200, as ``ServiceResponseStore`` keeps it: encode it, or take its parts.
public nonisolated struct ServiceStoredResponse: Codable, Hashable, Sendable {
    /// The header fields, their names in lower case; but for cookies and other secrets.
    public var fields: [String: String]
    /// The body, after decompression.
    public var body: Data
    /// The header fields of the request that the answer depends on, their names in lower case.
    public var selectors: [String: String]

    /// Makes one of its parts.
    public init(fields: [String: String], body: Data, selectors: [String: String]) {
        (self.fields, self.body, self.selectors) = (fields, body, selectors)
    }

    /// The answer that a 304 stands for (RFC 9111, sections 3.2 and 4.3.4); nil where that is about
    /// another version, or came for another URL or credential.
    fileprivate func confirmed(
        by response: ServiceResponse, for url: String
    ) -> ServiceResponse? {
        let new = response.lowercasedFields
        // Compared weakly: some servers drop the mark of weakness where they send no body.
        let tags = [new["etag"] ?? fields["etag"], fields["etag"]].map {
            $0?.replacingOccurrences(of: "W/", with: "", options: .anchored)
        }
        guard tags.first == tags.last, response.request.url == url,
            response.request.selectors(in: fields) == selectors,
            let place = response.request.urlRequest.url
        else { return nil }
        // What says how the stored body was sent, stays.
        let ofBody = ["content-length", "content-encoding", "content-range"]
        let merged = fields.merging(new.filter { !ofBody.contains($0.key) }) { $1 }
        let head = HTTPURLResponse(
            url: place, statusCode: 200, httpVersion: "HTTP/1.1", headerFields: merged)
        return head.map { ServiceResponse(request: response.request, http: $0, data: body) }
    }
}

/// Answers in memory. What was not used for the longest time goes first: what is used is stored anew.
private nonisolated final class ServiceMemoryStore: ServiceResponseStore {
    private struct State {
        var entries: [String: (response: ServiceStoredResponse, size: Int, use: Int)] = [:]
        var size = 0
        var uses = 0

        mutating func remove(_ url: String) {
            size -= entries.removeValue(forKey: url)?.size ?? 0
        }

        mutating func add(_ response: ServiceStoredResponse, for url: String, limit: Int) {
            remove(url)
            let fields = [response.fields, response.selectors].joined()
            let texts = fields.reduce(url.utf8.count) {
                $0 + $1.key.utf8.count + $1.value.utf8.count
            }
            let own = response.body.count + texts
            guard own <= limit / 10 else { return }
            uses += 1
            size += own
            entries[url] = (response, own, uses)
            guard size > limit else { return }
            // Down to three quarters: looking for the oldest one for each response would take long where
            // there are many small ones.
            for (url, _) in entries.sorted(by: { $0.value.use < $1.value.use }) {
                remove(url)
                if size <= limit / 4 * 3 { return }
            }
        }
    }

    private let limit: Int
    private let lock = NSLock()
    /// Safe because it is touched under the lock alone.
    nonisolated(unsafe) private var state = State()

    init(limit: Int) {
        self.limit = limit
    }

    func removeAll() {
        lock.withLock { state = State() }
    }

    @concurrent func response(for url: String) async -> ServiceStoredResponse? {
        lock.withLock { state.entries[url]?.response }
    }

    @concurrent func store(_ response: ServiceStoredResponse, for url: String) async {
        lock.withLock { state.add(response, for: url, limit: limit) }
    }

    @concurrent func removeResponse(for url: String) async {
        lock.withLock { state.remove(url) }
    }
}
