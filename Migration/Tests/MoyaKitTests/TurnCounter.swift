// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import TestSupport

// Without `import FoundationNetworking`, because Alamofire exports it.

/// Counts the calls that overlap. Many apps have an interceptor without a lock, because Alamofire calls it on one queue.
final class TurnCounter: RequestInterceptor, RedirectHandler, Sendable {
    private let isInside = NSLock()
    let overlaps = Locked(0)
    let calls = Locked<Set<String>>([])

    private func take(_ name: String, _ decide: () -> Void) {
        let isAlone = isInside.try()
        if !isAlone {
            overlaps { $0 += 1 }
        }
        // Takes long enough for another call to overlap.
        let length = (0..<20_000).reduce(0) { $0 + "\($1)".count }
        calls { _ = $0.insert("\(name) \(length)") }
        decide()
        if isAlone {
            isInside.unlock()
        }
    }

    func adapt(
        _ urlRequest: URLRequest, for session: Session,
        completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
    ) {
        take("adapt") { completion(.success(urlRequest)) }
    }

    func retry(
        _ request: Request, for session: Session, dueTo error: any Error,
        completion: @escaping @Sendable (RetryResult) -> Void
    ) {
        take("retry") { completion(request.retryCount < 2 ? .retry : .doNotRetry) }
    }

    func task(
        _ task: URLSessionTask, willBeRedirectedTo request: URLRequest,
        for response: HTTPURLResponse, completion: @escaping @Sendable (URLRequest?) -> Void
    ) {
        take("redirect") { completion(request) }
    }
}
