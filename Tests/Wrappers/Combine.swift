// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
#if canImport(ServiceProvider)
import ServiceProvider
#endif

#if canImport(Combine)
import Combine

/// Publishers of apps, which must work with both.
private final class Publishers: @unchecked Sendable {
    let provider = ServiceProvider<API>()

    func items() -> AnyPublisher<[Item], ServiceError> {
        Future { [provider] promise in
            nonisolated(unsafe) let promise = promise
            provider.load(service: .items, decodeType: [Item].self) { result in
                switch result {
                case .success(let items): promise(.success(items))
                case .failure(let error): promise(.failure(error))
                case .empty: promise(.success([]))
                }
            }
        }
        .eraseToAnyPublisher()
    }
}
#endif
