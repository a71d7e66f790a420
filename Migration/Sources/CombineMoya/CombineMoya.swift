// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// The publishers of CombineMoya, on the kit for Moya. Depend on the product `CombineMoya` of the package in
// ServiceProvider's folder `Migration`. Your code stays as it is, with `import CombineMoya`.
//
// Declarations without documentation do the same as in CombineMoya.
// swift-format-ignore-file: AllPublicDeclarationsHaveDocumentation

#if canImport(Combine)
import Combine
import Foundation
import Moya

nonisolated extension MoyaProvider {
    /// Returns a publisher that loads a target for each subscriber. Cancelling the subscription cancels the call.
    public func requestPublisher(
        _ target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<Response, MoyaError> {
        CallPublisher { subscription in
            self.request(target, callbackQueue: callbackQueue) { result in
                if case .success(let response) = result {
                    subscription.send(response)
                }
                subscription.end(with: result)
            }
        }.eraseToAnyPublisher()
    }

    /// Returns a publisher of the progress of a call. Its last value has the response, too.
    public func requestWithProgressPublisher(
        _ target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<ProgressResponse, MoyaError> {
        CallPublisher { subscription in
            self.request(
                target, callbackQueue: callbackQueue, progress: { subscription.send($0) },
                completion: { subscription.end(with: $0) })
        }.eraseToAnyPublisher()
    }
}

/// Starts a call for each subscriber, when it asks for values.
///
/// Not a `PassthroughSubject`: it drops values that nothing has asked for yet, such as that of a stub that ends the
/// call immediately.
private nonisolated struct CallPublisher<Output>: Publisher {
    typealias Failure = MoyaError

    let start: (CallSubscription<Output>) -> any Moya.Cancellable

    func receive<S: Subscriber>(subscriber: S)
    where S.Input == Output, S.Failure == MoyaError {
        let subscription = CallSubscription(AnySubscriber(subscriber), start)
        subscriber.receive(subscription: subscription)
    }
}

/// The call of one subscriber. As in CombineMoya, it sends each value, however many were asked for.
private nonisolated final class CallSubscription<Output>: Subscription, @unchecked Sendable {
    // Unchecked, because the variables are only used under the lock.
    private let lock = NSLock()
    /// Nil after the end.
    private var subscriber: AnySubscriber<Output, MoyaError>?
    /// Nil after the start.
    private var start: ((CallSubscription) -> any Moya.Cancellable)?
    private var call: (any Moya.Cancellable)?

    init(
        _ subscriber: AnySubscriber<Output, MoyaError>,
        _ start: @escaping (CallSubscription) -> any Moya.Cancellable
    ) {
        self.subscriber = subscriber
        self.start = start
    }

    func request(_ demand: Subscribers.Demand) {
        guard demand > .none, let start = lock.withLock({ start.take() }) else { return }
        // A stub may end the call before this returns.
        let call = start(self)
        let isOver = lock.withLock {
            self.call = subscriber == nil ? nil : call
            return subscriber == nil
        }
        // It was cancelled meanwhile, or has ended.
        if isOver { call.cancel() }
    }

    func cancel() {
        let call = lock.withLock {
            subscriber = nil
            start = nil
            return self.call.take()
        }
        call?.cancel()
    }

    func send(_ value: Output) {
        _ = lock.withLock { subscriber }?.receive(value)
    }

    func end(with result: Result<Response, MoyaError>) {
        let subscriber = lock.withLock {
            call = nil
            return self.subscriber.take()
        }
        switch result {
        case .success: subscriber?.receive(completion: .finished)
        case .failure(let error): subscriber?.receive(completion: .failure(error))
        }
    }
}

nonisolated extension Publisher where Output == Response, Failure == MoyaError {
    public func filter(
        statusCodes: some RangeExpression<Int>
    ) -> AnyPublisher<Response, MoyaError> { trying { try $0.filter(statusCodes: statusCodes) } }

    public func filter(statusCode: Int) -> AnyPublisher<Response, MoyaError> {
        trying { try $0.filter(statusCode: statusCode) }
    }

    public func filterSuccessfulStatusCodes() -> AnyPublisher<Response, MoyaError> {
        trying { try $0.filterSuccessfulStatusCodes() }
    }

    public func filterSuccessfulStatusAndRedirectCodes() -> AnyPublisher<Response, MoyaError> {
        trying { try $0.filterSuccessfulStatusAndRedirectCodes() }
    }

    public func mapImage() -> AnyPublisher<Image, MoyaError> { trying { try $0.mapImage() } }

    public func mapJSON(failsOnEmptyData: Bool = true) -> AnyPublisher<Any, MoyaError> {
        trying { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    public func mapString(atKeyPath path: String? = nil) -> AnyPublisher<String, MoyaError> {
        trying { try $0.mapString(atKeyPath: path) }
    }

    public func map<D: Decodable>(
        _ type: D.Type, atKeyPath path: String? = nil, using decoder: JSONDecoder = JSONDecoder(),
        failsOnEmptyData: Bool = true
    ) -> AnyPublisher<D, MoyaError> {
        trying {
            try $0.map(
                type, atKeyPath: path, using: decoder, failsOnEmptyData: failsOnEmptyData)
        }
    }

    private func trying<Value>(
        _ transform: @escaping (Response) throws -> Value
    ) -> AnyPublisher<Value, MoyaError> {
        tryMap(transform).mapError { $0 as? MoyaError ?? .underlying($0, nil) }
            .eraseToAnyPublisher()
    }
}

nonisolated extension Publisher where Output == ProgressResponse, Failure == MoyaError {
    public func filterCompleted() -> AnyPublisher<Response, MoyaError> {
        compactMap(\.response).eraseToAnyPublisher()
    }

    public func filterProgress() -> AnyPublisher<Double, MoyaError> {
        filter { !$0.completed }.map(\.progress).eraseToAnyPublisher()
    }
}
#endif
