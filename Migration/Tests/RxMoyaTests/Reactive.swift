// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ReactiveStandIn

#if !COCOAPODS
import Moya
#endif

// In the style of RxMoya. It uses each part of Moya's interface that RxMoya uses.

extension MoyaProvider: ReactiveCompatible {}

extension Reactive where Base: MoyaProviderType {
    func request(
        _ token: Base.Target, callbackQueue: DispatchQueue? = nil
    ) -> Single<Response> {
        Single.create { [weak base] observer in
            let call = base?.request(token, callbackQueue: callbackQueue, progress: nil) { result in
                observer(result.mapError { $0 })
            }
            return Disposables.create { call?.cancel() }
        }
    }

    func requestWithProgress(
        _ token: Base.Target, callbackQueue: DispatchQueue? = nil
    ) -> Observable<ProgressResponse> {
        let report = AnyObserver<ProgressResponse>.onNext
        let reports: Observable<ProgressResponse> = Observable.create { [weak base] observer in
            let call = base?.request(
                token, callbackQueue: callbackQueue, progress: report(observer)
            ) { result in
                switch result {
                case .success: observer.onCompleted()
                case let .failure(error): observer.onError(error)
                }
            }
            return Disposables.create { call?.cancel() }
        }
        return reports.scan(ProgressResponse()) { last, next in
            ProgressResponse(
                progress: next.progressObject ?? last.progressObject,
                response: next.response ?? last.response)
        }
    }
}

extension Single where Element == Response {
    func filter<R: RangeExpression>(statusCodes: R) -> Single<Response>
    where R.Bound == Int { map { try $0.filter(statusCodes: statusCodes) } }

    func filter(statusCode: Int) -> Single<Response> {
        map { try $0.filter(statusCode: statusCode) }
    }

    func filterSuccessfulStatusCodes() -> Single<Response> {
        map { try $0.filterSuccessfulStatusCodes() }
    }

    func filterSuccessfulStatusAndRedirectCodes() -> Single<Response> {
        map { try $0.filterSuccessfulStatusAndRedirectCodes() }
    }

    #if os(macOS) || canImport(UIKit)
    func mapImage() -> Single<Image> { map { try $0.mapImage() } }
    #endif

    func mapJSON(failsOnEmptyData: Bool = true) -> Single<Any> {
        map { try $0.mapJSON(failsOnEmptyData: failsOnEmptyData) }
    }

    func mapString(atKeyPath keyPath: String? = nil) -> Single<String> {
        map { try $0.mapString(atKeyPath: keyPath) }
    }

    func map<D: Decodable>(
        _ type: D.Type, atKeyPath keyPath: String? = nil,
        using decoder: JSONDecoder = JSONDecoder(),
        failsOnEmptyData: Bool = true
    ) -> Single<D> {
        map { response in
            try response.map(
                type, atKeyPath: keyPath, using: decoder, failsOnEmptyData: failsOnEmptyData)
        }
    }
}

extension ObservableType where Element == ProgressResponse {
    func filterProgress() -> Observable<Double> { map { $0.progress } }
}
