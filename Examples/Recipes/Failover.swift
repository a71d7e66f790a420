// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Several hosts with the same API: if one doesn't answer, the next one is asked.

import Foundation
import ServiceProvider

/// Sends a request to another host if one doesn't answer, and remembers the host that did.
///
///     let hosts = Failover("eu.example.com", "us.example.com")
///     let provider = ServiceProvider<HeroService>(interceptors: [ServiceRetry(), hosts])
///
/// Put a `ServiceAuthenticator` behind it: in front, it takes a 401 for that of another server.
///
/// The hosts replace that of the service's base URL. They get the same headers, so all of them
/// must be yours. A response is an answer, whatever its status. A request that may not be sent
/// twice, such as a POST, only goes to another host if no connection was made.
actor Failover {
    private let hosts: [String]
    /// The place of the host that has answered last.
    private var good = 0

    init(_ first: String, _ others: String...) {
        hosts = [first] + others
    }
}

// In an extension, because the compiler refuses some actors that conform at once.
extension Failover: ServiceInterceptor {
    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        // Another call may change it meanwhile.
        let start = good
        var place = start
        while true {
            do {
                let response = try await next(request.sent(to: hosts[place]))
                good = place
                return response
            } catch {
                place = (place + 1) % hosts.count
                guard place != start, request.maySwitchHost(after: error) else { throw error }
            }
        }
    }
}

nonisolated extension ServiceRequest {
    fileprivate func sent(to host: String) throws -> ServiceRequest {
        var request = self
        var parts = URLComponents(string: urlRequest.url?.absoluteString ?? "")
        parts?.host = host
        request.urlRequest.url = parts?.url
        return request
    }

    fileprivate func maySwitchHost(after error: any Error) -> Bool {
        guard case .transport(let error) = ServiceError(error) else { return false }
        switch error.code {
        case .cannotFindHost, .cannotConnectToHost, .dnsLookupFailed: return true
        case .timedOut, .networkConnectionLost: return mayBeRepeated()
        default: return false
        }
    }
}
