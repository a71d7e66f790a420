// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

#if os(Linux)
import CurlTransport
#endif

extension Command.Transport {
    /// Creates the transport.
    ///
    /// - Throws: An error if the transport isn't available here.
    func make() throws -> any ServiceTransport {
        switch self {
        case .urlSession: return URLSessionTransport.shared
        case .curl:
            #if os(Linux)
            return try CurlTransport()
            #else
            throw UsageError(reason: "'--transport curl' is available only on Linux")
            #endif
        }
    }
}

extension Command {
    /// The interceptors for each request, outermost first.
    ///
    /// The log is outside the retries, so it has one entry for each call. cURL commands and
    /// recordings are inside, so they have one entry for each attempt.
    ///
    /// - Throws: The error of a file that can't be used.
    func interceptors(
        tell: @escaping @Sendable (String) -> Void, clock: ServiceClock
    ) throws -> [any ServiceInterceptor] {
        var retry = ServiceRetry()
        retry.clock = clock
        var interceptors: [any ServiceInterceptor] = [retry]
        if isVerbose { interceptors.insert(ServiceLog(.headers, write: tell), at: 0) }
        if showsCURL { interceptors.append(CURLLines(tell: tell)) }
        switch traffic {
        case .record(let file):
            interceptors.append(try ServiceRecorder(file: URL(fileURLWithPath: file)))
        case .replay(let file):
            interceptors.append(try ServiceReplay(file: URL(fileURLWithPath: file)))
        case nil: break
        }
        return interceptors
    }

    /// The account for a replay: it has the base URL of the recorded requests.
    ///
    /// Its keys don't matter: recordings contain `***` instead of keys, which matches any value.
    func recordedAccount() throws -> MarvelAccount? {
        guard case .replay(let file) = traffic, baseURL == nil else { return nil }
        let data = try Data(contentsOf: URL(fileURLWithPath: file))
        let recording = try JSONDecoder().decode(Recording.self, from: data)
        let urls = recording.log.entries.compactMap { URLComponents(string: $0.request.url) }
        var base = urls.first { $0.path.hasPrefix("/v1/public/") } ?? URLComponents()
        (base.path, base.query) = ("", nil)
        return MarvelAccount(
            baseURL: base.string ?? "", publicKey: "recorded", privateKey: "recorded")
    }

    /// The parts of a HAR file that ``recordedAccount()`` needs.
    private struct Recording: Decodable {
        struct Log: Decodable { let entries: [Entry] }
        struct Entry: Decodable { let request: Request }
        struct Request: Decodable { let url: String }
        let log: Log
    }
}

/// Prints each request as a cURL command.
private struct CURLLines: ServiceInterceptor {
    let tell: @Sendable (String) -> Void

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        tell(request.curl)
        return try await next(request)
    }
}
