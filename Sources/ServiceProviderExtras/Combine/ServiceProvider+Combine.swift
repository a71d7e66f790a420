// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if canImport(Combine)
import Combine
nonisolated extension ServiceProvider {
    /// Returns a publisher that loads an endpoint for each subscriber.
    ///
    /// The service is read when someone subscribes, so `retry` sends it again. The response is delivered on the main
    /// queue. Cancelling the subscription cancels the call.
    public func publisher(service: T) -> AnyPublisher<ServiceResponse, ServiceError> {
        publisher { completion in
            self.task(service: service, completion: completion) { [pipeline = self.pipeline] in
                try await pipeline.send($0)
            }
        }
    }

    /// Returns a publisher that loads an endpoint for each subscriber, and decodes the body off the main actor.
    ///
    /// ```swift
    /// provider.publisher(service: .heroes, decodeType: [Hero].self)
    ///     .replaceError(with: [])
    ///     .assign(to: &$heroes)
    /// ```
    ///
    /// The service is read when someone subscribes, so `retry` sends it again. The value is delivered on the main queue.
    /// If the response has no body, the publisher finishes without a value. Cancelling the subscription cancels the
    /// call. A type whose conformance is isolated to an actor can't be decoded this way: use async calls.
    public func publisher<U: Decodable & SendableMetatype>(
        service: T, decodeType: U.Type
    ) -> AnyPublisher<U, ServiceError> {
        publisher { self.load(service: service, decodeType: decodeType, completion: $0) }
    }

    private func publisher<U>(
        _ start: @escaping (@escaping Completion<U>) -> Task<Void, Never>
    ) -> AnyPublisher<U, ServiceError> {
        Deferred {
            var task: Task<Void, Never>?
            let future = Future<U?, ServiceError> { promise in
                // Safe because only the handler uses it, once.
                nonisolated(unsafe) let promise = promise
                task = start { result in
                    switch result {
                    case .success(let value): promise(.success(value))
                    case .failure(let error): promise(.failure(error))
                    case .empty: promise(.success(nil))
                    }
                }
            }
            return future.compactMap { $0 }.handleEvents(receiveCancel: { [task] in task?.cancel() }
            )
        }.eraseToAnyPublisher()
    }
}
#endif
