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
    /// Everything in a request that can change its response.
    private struct Key: Hashable {
        let url: String?
        /// As bytes: texts with other bytes are equal if they look the same.
        let headers: [String: [UInt8]]
        let timeout: TimeInterval
        let cachePolicy: UInt
        let validStatusCodes: Set<Int>
        let secretNames: Set<String>
        let sampleData: Data
        /// A call that has a turn in a limit must not wait for one that waits for this turn.
        let turns: Set<UUID?>
    }

    private struct Answer {
        let sender: UUID
        let outcome: Swift.Result<ServiceResponse, any Error>

        /// Whether inner interceptors have added a credential to one of the requests.
        func hasCredentials(beyond key: Key) -> Bool {
            let response: ServiceResponse?
            switch outcome {
            case .success(let value): response = value
            case .failure(let error):
                let error = ServiceError(error)
                // It may have anything.
                if case .interceptor = error { return true }
                response = error.response
            }
            guard let response else { return false }
            return (response.earlierRequests + [response.request]).contains { sent in
                let url = sent.urlRequest.url?.absoluteString ?? ""
                let new = (sent.urlRequest.allHTTPHeaderFields ?? [:]).filter {
                    Array($0.value.utf8) != key.headers[$0.key]
                }
                return new.keys.contains(where: sent.isSecret)
                    || url != key.url && sent.redacting(url: url) != url
            }
        }
    }

    private let shared = ServiceSharedTasks<Key, Answer>(stopsWithoutCallers: true)

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
        let answer = try await shared.value(for: key) { [request] in
            do {
                return Answer(sender: caller, outcome: .success(try await next(request)))
            } catch {
                return Answer(sender: caller, outcome: .failure(error))
            }
        }
        if answer.sender != caller, answer.hasCredentials(beyond: key) {
            return try await next(request)
        }
        var response = try answer.outcome.get()
        let (sent, earlier) = (response.request, response.earlierRequests)
        response.request = request
        response.earlierRequests = earlier
        response.request.urlRequest = sent.urlRequest
        response.request.validStatusCodes = sent.validStatusCodes
        response.request.secretNames.formUnion(sent.secretNames)
        return response
    }

    /// The key of a request; nil if it isn't shared.
    private static func key(of request: ServiceRequest) -> Key? {
        let urlRequest = request.urlRequest
        let isOwn = request.bodySink != nil || request.hasRedirectHandler
        // NaN isn't equal to itself.
        guard urlRequest.httpMethod ?? "GET" == "GET", !request.hasBody, !isOwn,
            urlRequest.httpBodyStream == nil, !urlRequest.timeoutInterval.isNaN
        else { return nil }
        return Key(
            url: urlRequest.url?.absoluteString,
            headers: (urlRequest.allHTTPHeaderFields ?? [:]).mapValues { Array($0.utf8) },
            timeout: urlRequest.timeoutInterval, cachePolicy: urlRequest.cachePolicy.rawValue,
            validStatusCodes: request.validStatusCodes, secretNames: request.secretNames,
            sampleData: request.sampleData, turns: ServiceTurn.current)
    }
}
