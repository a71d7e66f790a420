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
        publisher { subject in
            self.request(target, callbackQueue: callbackQueue) { result in
                if case .success(let response) = result {
                    subject.send(response)
                }
                subject.end(with: result)
            }
        }
    }

    /// Returns a publisher of the progress of a call. Its last value has the response, too.
    public func requestWithProgressPublisher(
        _ target: Target, callbackQueue: DispatchQueue? = nil
    ) -> AnyPublisher<ProgressResponse, MoyaError> {
        publisher { subject in
            self.request(
                target, callbackQueue: callbackQueue, progress: { subject.send($0) },
                completion: { subject.end(with: $0) })
        }
    }

    private func publisher<Value>(
        _ start: @escaping (PassthroughSubject<Value, MoyaError>) -> any Moya.Cancellable
    ) -> AnyPublisher<Value, MoyaError> {
        Deferred {
            let subject = PassthroughSubject<Value, MoyaError>()
            var call: (any Moya.Cancellable)?
            // Not before there is a subscriber, because a stub may end the call at once.
            return subject.handleEvents(
                receiveCancel: { call?.cancel() },
                receiveRequest: { _ in
                    guard call == nil else { return }
                    call = start(subject)
                })
        }.eraseToAnyPublisher()
    }
}

nonisolated extension PassthroughSubject where Failure == MoyaError {
    fileprivate func end(with result: Result<Response, MoyaError>) {
        switch result {
        case .success: send(completion: .finished)
        case .failure(let error): send(completion: .failure(error))
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
