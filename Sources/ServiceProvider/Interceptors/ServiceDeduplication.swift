// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sends identical GETs that are under way at the same time once, and answers all who asked.
///
/// Identical are those of one URL, all header fields, time-out and valid status codes. Others are sent
/// as ever: those with a body, those whose answer goes to a file or a stream, those that tell progress.
/// Who cancels leaves alone; when the last one does, the exchange is cancelled.
///
/// Place it further in than whatever adds credentials or changes the URL: then different credentials
/// are different requests. To be safe elsewhere too: where an interceptor further in has added a
/// credential as a header field or to the URL, the answer goes to the first who asked, and the others
/// ask anew. One instance belongs to providers of one session, since it cannot see what a session adds
/// by itself, such as stored cookies.
public nonisolated final class ServiceDeduplication: ServiceInterceptor {
    /// All of a request that the answer may depend on.
    private struct Key: Hashable {
        let url: String?
        let fields: [String: String]
        let timeout: TimeInterval
        let cachePolicy: URLRequest.CachePolicy
        let validStatusCodes: Set<Int>
        let secretNames: Set<String>
        let sampleData: Data
    }

    /// An exchange that is under way, and who waits for its end.
    private struct Flight {
        let first: UUID
        var exchange: Task<Void, Never>?
        var callers: [UUID: Waiting] = [:]
    }

    private typealias Waiting = CheckedContinuation<
        (first: UUID, response: ServiceResponse), any Error
    >

    private let lock = NSLock()
    /// Safe because it is touched under the lock alone.
    nonisolated(unsafe) private var flights: [Key: Flight] = [:]

    /// Nothing is under way yet.
    public init() {}

    /// How many wait for an answer now: for tests.
    var waiting: Int { lock.withLock { flights.values.reduce(0) { $0 + $1.callers.count } } }

    /// Joins an identical request that is under way, or sends this one.
    ///
    /// - Throws: What those further in throw, to all who asked; `CancellationError`.
    @concurrent public func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        guard let key = Self.key(of: request) else { return try await next(request) }
        let caller = UUID()
        var (first, response) = try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { waiting in
                join(key, caller, waiting) { try await next(request) }
            }
        } onCancel: {
            leave(key, caller)
        }
        let sent = response.request
        let hasMore = (sent.urlRequest.allHTTPHeaderFields ?? [:]).contains { name, value in
            key.fields[name] != value && sent.isSecret(name)
        }
        let url = sent.urlRequest.url?.absoluteString ?? ""
        let isSecret = url != key.url && sent.redacting(url) != url
        if hasMore || isSecret, first != caller { return try await next(request) }
        response.request = request
        response.request.urlRequest = sent.urlRequest
        response.request.validStatusCodes = sent.validStatusCodes
        response.request.secretNames.formUnion(sent.secretNames)
        return response
    }

    /// Nil for a request that is not to be merged.
    private static func key(of request: ServiceRequest) -> Key? {
        let urlRequest = request.urlRequest
        let isPlain = urlRequest.httpBodyStream == nil && !request.hasBody
        let isAlone = request.delivery != nil || request.onProgress != nil
        guard urlRequest.httpMethod ?? "GET" == "GET", isPlain, !isAlone else { return nil }
        return Key(
            url: urlRequest.url?.absoluteString, fields: urlRequest.allHTTPHeaderFields ?? [:],
            timeout: urlRequest.timeoutInterval, cachePolicy: urlRequest.cachePolicy,
            validStatusCodes: request.validStatusCodes, secretNames: request.secretNames,
            sampleData: request.sampleData)
    }

    private func join(
        _ key: Key, _ caller: UUID, _ waiting: Waiting,
        _ send: @escaping @concurrent @Sendable () async throws -> ServiceResponse
    ) {
        let isCancelled = lock.withLock {
            // Asked under the lock: whoever cancels after this finds the caller.
            guard !Task.isCancelled else { return true }
            flights[key, default: Flight(first: caller)].callers[caller] = waiting
            guard flights[key]?.exchange == nil else { return false }
            // Not a child of this task, which may be cancelled alone; but with its task-local values.
            flights[key]?.exchange = Task {
                do {
                    let response = try await send()
                    self.end(key, caller, .success((caller, response)))
                } catch {
                    self.end(key, caller, .failure(error))
                }
            }
            return false
        }
        if isCancelled { waiting.resume(throwing: CancellationError()) }
    }

    private func leave(_ key: Key, _ caller: UUID) {
        var exchange: Task<Void, Never>?
        let waiting = lock.withLock { () -> Waiting? in
            let waiting = flights[key]?.callers.removeValue(forKey: caller)
            let isLast = waiting != nil && flights[key]?.callers.isEmpty == true
            // Whoever asks from now on starts another exchange.
            if isLast { exchange = flights.removeValue(forKey: key)?.exchange }
            return waiting
        }
        exchange?.cancel()
        waiting?.resume(throwing: CancellationError())
    }

    private func end(
        _ key: Key, _ first: UUID,
        _ outcome: Swift.Result<(first: UUID, response: ServiceResponse), any Error>
    ) {
        let callers = lock.withLock { () -> [UUID: Waiting]? in
            // Where all have left, it is not there any more; another may be.
            guard flights[key]?.first == first else { return nil }
            return flights.removeValue(forKey: key)?.callers
        }
        for (_, waiting) in callers ?? [:] { waiting.resume(with: outcome) }
    }
}
