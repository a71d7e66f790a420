// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// Sends identical, simultaneous GET requests only once, and gives the response to all callers.
///
/// To be identical, requests need the same URL, headers, timeout and valid status codes. Requests
/// with a body or an `onRedirect`, those with a response that goes to a file or a stream, and those
/// that report progress are always sent. Cancelling one caller doesn't affect the others; cancelling
/// the last one cancels the request.
///
/// Place it inside the interceptors that add credentials or change the URL: then requests with
/// different credentials are different requests. As a safeguard, if an inner interceptor adds a
/// credential to the headers or the URL, only the first caller gets the response, and the others
/// send requests of their own. Place it inside a cache too: otherwise, callers with different cache
/// policies get the same response. Share an instance only among providers with the same session,
/// because it can't see headers that a session adds, such as stored cookies.
public nonisolated final class ServiceDeduplication: ServiceInterceptor {
    private struct Reply {
        let sender: UUID
        let outcome: Swift.Result<ServiceResponse, any Error>

        /// Whether inner interceptors have added a credential to a request that was sent.
        func hasCredentials(beyond request: ServiceRequest) -> Bool {
            switch outcome {
            case .success(let response):
                return response.hasCredentials(beyond: request)
            case .failure(let error):
                let error = ServiceError(error)
                if case .interceptor = error {
                    // It may have anything.
                    return true
                }
                return error.response?.hasCredentials(beyond: request) ?? false
            }
        }
    }

    private let shared = ServiceSharedTasks<Data, Reply>(stopsWithoutCallers: true)

    /// Makes an instance without any requests.
    public init() {}

    /// Waits for an identical request that is running, or sends this one.
    ///
    /// - Throws: The errors of the transport, to all callers; the errors of the inner interceptors;
    ///   `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        // A request that is part of an identical one would wait for itself.
        guard let key = Self.key(of: request), !shared.isCurrentTaskPart(of: key) else {
            return try await next(request)
        }
        let caller = UUID()
        var request = request
        request.notesRedirects()
        let reply = try await shared.value(for: key) { [request] in
            do {
                return Reply(sender: caller, outcome: .success(try await next(request)))
            } catch {
                return Reply(sender: caller, outcome: .failure(error))
            }
        }
        if reply.sender != caller, reply.hasCredentials(beyond: request) {
            return try await next(request)
        }
        var response = try reply.outcome.get()
        let sent = response.request
        let earlier = response.earlierRequests
        response.request = request
        response.earlierRequests = earlier
        response.request.urlRequest = sent.urlRequest
        response.request.validStatusCodes = sent.validStatusCodes
        response.request.secretNames.formUnion(sent.secretNames)
        return response
    }

    /// Everything in a request that can change its response, as bytes. Nil if it isn't shared.
    ///
    /// (A struct with a dictionary and several sets as a key would make an app 25 KB larger.)
    private static func key(of request: ServiceRequest) -> Data? {
        let sent = request.urlRequest
        let isOwn = request.bodySink != nil || request.hasRedirectHandler
        let hasBody = request.hasBody || sent.httpBodyStream != nil
        guard sent.httpMethod ?? "GET" == "GET", !hasBody && !isOwn else { return nil }
        let fields = sent.allHTTPHeaderFields ?? [:]
        var names = Array(fields.keys)
        names.sort()
        var secretNames = Array(request.secretNames)
        secretNames.sort()
        // A call that has a turn in a limit must not wait for one that waits for this turn.
        var turns: [String] = []
        for turn in ServiceTurn.current {
            turns.append(turn?.uuidString ?? "")
        }
        turns.sort()
        var key = Data()
        for code in 0..<1_000 where request.validStatusCodes.contains(code) {
            append("\(code)", to: &key)
        }
        append("\(sent.timeoutInterval)", to: &key)
        append("\(sent.cachePolicy.rawValue)", to: &key)
        append(sent.url?.absoluteString ?? "", to: &key)
        append("\(names.count)", to: &key)
        for name in names {
            append(name, to: &key)
            append(fields[name] ?? "", to: &key)
        }
        for list in [secretNames, turns] {
            append("\(list.count)", to: &key)
            for text in list {
                append(text, to: &key)
            }
        }
        return key + request.sampleData
    }

    /// Appends a text with its size, so that different lists of texts have different bytes.
    private static func append(_ text: String, to key: inout Data) {
        key.append(contentsOf: "\(text.utf8.count) \(text)".utf8)
    }
}

nonisolated extension ServiceResponse {
    /// Whether the response's request or one that was redirected to it has a credential that another request doesn't have.
    fileprivate func hasCredentials(beyond request: ServiceRequest) -> Bool {
        let url = request.urlRequest.url?.absoluteString ?? ""
        for sent in earlierRequests + [self.request] {
            let sentURL = sent.urlRequest.url?.absoluteString ?? ""
            let isOther = !sentURL.isIdentical(to: url)
            if isOther, !sent.redacting(url: sentURL).isIdentical(to: sentURL) {
                return true
            }
            if sent.hasSecretHeader(notIn: request) {
                return true
            }
        }
        return false
    }
}

nonisolated extension ServiceRequest {
    fileprivate func hasSecretHeader(notIn other: ServiceRequest) -> Bool {
        let known = other.urlRequest.allHTTPHeaderFields ?? [:]
        for (name, value) in urlRequest.allHTTPHeaderFields ?? [:] where isSecret(name) {
            guard let other = known[name], other.isIdentical(to: value) else { return true }
        }
        return false
    }
}
