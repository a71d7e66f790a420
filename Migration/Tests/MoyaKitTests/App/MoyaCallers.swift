// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Plugins and callers as apps write them.
final class HeaderPlugin: PluginType {
    private(set) var sent: [String] = []
    private(set) var received: [Int] = []

    func prepare(_ request: URLRequest, target: TargetType) -> URLRequest {
        var request = request
        request.setValue("7", forHTTPHeaderField: "X-App-Version")
        request.timeoutInterval = 30
        return request
    }

    func willSend(_ request: RequestType, target: TargetType) {
        sent.append(request.request?.value(forHTTPHeaderField: "X-App-Version") ?? "")
    }

    func didReceive(_ result: Result<Response, MoyaError>, target: TargetType) {
        switch result {
        case .success(let response): received.append(response.statusCode)
        case .failure(let error): received.append(error.response?.statusCode ?? 0)
        }
    }
}

struct MaintenancePlugin: PluginType {
    func process(_ result: Result<Response, MoyaError>, target: TargetType)
        -> Result<Response, MoyaError>
    {
        guard case .success(let response) = result, response.statusCode == 503 else {
            return result
        }
        return .success(Response(statusCode: 200, data: Data("soon".utf8)))
    }
}

/// A wrapper that most apps have.
final class Network<Target: TargetType> {
    private let provider: MoyaProvider<Target>

    init(plugins: [PluginType] = []) {
        let logger = NetworkLoggerPlugin(configuration: .init(logOptions: .verbose))
        let token = AccessTokenPlugin { _ in "t0k3n" }
        provider = MoyaProvider<Target>(
            stubClosure: MoyaProvider.neverStub, plugins: plugins + [logger, token])
    }

    @discardableResult
    func load<T: Decodable>(
        _ target: Target, as type: T.Type, completion: @escaping (Result<T, Error>) -> Void
    ) -> Cancellable {
        provider.request(target) { result in
            switch result {
            case .success(let response):
                do {
                    let value = try response.filterSuccessfulStatusCodes().map(
                        T.self, atKeyPath: "data", using: JSONDecoder())
                    completion(.success(value))
                } catch {
                    completion(.failure(error))
                }
            case .failure(let error):
                completion(.failure(error))
            }
        }
    }
}

/// A view model.
final class BookshopModel {
    var titles: [String] = []
    private let provider = MoyaProvider<Bookshop>(plugins: [HeaderPlugin()])
    private let multi = MoyaProvider<MultiTarget>(stubClosure: MoyaProvider.immediatelyStub)

    func refresh() {
        provider.request(.book(id: 1)) { [weak self] result in
            guard let self else { return }
            if case .success(let response) = result {
                self.titles = (try? response.mapJSON() as? [String]) ?? []
            }
        }
        multi.request(MultiTarget(Bookshop.home)) { _ in }
    }
}
