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
    /// - Throws: What is missing.
    func make() throws -> any ServiceTransport {
        switch self {
        case .urlSession: return URLSessionTransport.shared
        case .curl:
            #if os(Linux)
            return try CurlTransport()
            #else
            throw UsageError(reason: "'--transport curl' is for Linux")
            #endif
        }
    }
}

extension Command {
    /// What is around each request, the outermost first: the log has one entry for a call, however often
    /// it is tried; a cURL line and a recording have one for each attempt.
    ///
    /// - Throws: What is wrong with a file.
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

    /// Whom a recording asked, if one is to be replayed: so that the same is asked again. Its keys are
    /// starred out there, where they match any.
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

    /// What of a HAR file is wanted here.
    private struct Recording: Decodable {
        struct Log: Decodable { let entries: [Entry] }
        struct Entry: Decodable { let request: Request }
        struct Request: Decodable { let url: String }
        let log: Log
    }
}

/// Tells of each request how cURL would send it.
private struct CURLLines: ServiceInterceptor {
    let tell: @Sendable (String) -> Void

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        tell(request.curl)
        return try await next(request)
    }
}
