// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import Moya

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

// In the style of an SDK with an interceptor of Alamofire (as Hyphen's).

enum WalletAPI {
    case signIn(token: String)
    case keys
    case recover(key: String)
    case delete(key: String)
    case account(id: Int)
    case sign(message: Data)
    case device(file: URL)
}

extension WalletAPI: TargetType {
    var headers: [String: String]? { ["Content-type": "application/json"] }
    var baseURL: URL { Backend.url }
    var path: String {
        switch self {
        case .signIn: "/auth/v1/signin"
        case .keys: "/key/v1/keys"
        case .recover: "/key/v1/recovery"
        case .delete(let key): "/key/v1/keys/\(key)"
        case .account(let id): "/account/v1/\(id)"
        case .sign: "/sign/v1"
        case .device: "/device/v1"
        }
    }
    var method: Moya.Method {
        switch self {
        case .signIn, .recover, .sign: .post
        case .keys, .account: .get
        case .delete: .delete
        case .device: .put
        }
    }
    var sampleData: Data { Data() }
    var task: Task {
        switch self {
        case .keys: fallthrough
        case .delete, .account: return .requestPlain
        case .signIn(let token): return .requestJSONEncodable(["method": "m", "token": token])
        case .recover(let key):
            let json = (try? JSONEncoder().encode(["key": key])) ?? Data()
            return .requestData(json)
        case .sign(let message): return .requestData(message)
        case .device(let file): return .uploadFile(file)
        }
    }
    var validationType: ValidationType { .successCodes }
}

final class HeaderInterceptor: RequestInterceptor {
    func adapt(
        _ urlRequest: URLRequest, for _: Session,
        completion: @escaping (Result<URLRequest, Error>) -> Void
    ) {
        var request = urlRequest
        request.setValue("ios", forHTTPHeaderField: "X-Platform")
        request.setValue("Bearer w1", forHTTPHeaderField: "Authorization")
        completion(.success(request))
    }

    func retry(
        _ request: Request, for session: Session, dueTo error: Error,
        completion: @escaping (RetryResult) -> Void
    ) {
        guard let response = request.task?.response as? HTTPURLResponse,
            response.statusCode == 401, request.retryCount < 2
        else { return completion(.doNotRetryWithError(error)) }
        completion(request.retryCount == 0 ? .retry : .retryWithDelay(0.001))
    }
}

extension MoyaProvider {
    class Concurrency {
        private let provider: MoyaProvider

        init(provider: MoyaProvider) { self.provider = provider }

        func request(_ target: Target) async throws -> Response {
            try await withCheckedThrowingContinuation { continuation in
                provider.request(target) { result in
                    switch result {
                    case let .success(response): continuation.resume(returning: response)
                    case let .failure(error): continuation.resume(throwing: error)
                    }
                }
            }
        }
    }

    var async: Concurrency { Concurrency(provider: self) }
}

final class Wallet {
    lazy var provider: MoyaProvider<WalletAPI> = {
        let session = Session(
            configuration: .ephemeral, startRequestsImmediately: false,
            interceptor: HeaderInterceptor())
        return MoyaProvider<WalletAPI>(session: session)
    }()

    func rows(file: URL) -> [Row] {
        func row(_ line: String, _ target: WalletAPI, body: String = "") -> Row {
            let fields = [
                "Content-Type": "application/json", "X-Platform": "ios",
                "Authorization": "Bearer w1",
            ]
            return Row(line, fields, body) {
                _ = try await self.provider.async.request(target)
            }
        }
        return [
            row(
                "POST /auth/v1/signin", .signIn(token: "t"), body: #"{"method":"m","token":"t"}"#),
            row("GET /key/v1/keys", .keys),
            row("POST /key/v1/recovery", .recover(key: "k"), body: #"{"key":"k"}"#),
            row("DELETE /key/v1/keys/a%252Fb%20c", .delete(key: "a%2Fb c")),
            row("GET /account/v1/5", .account(id: 5)),
            row("POST /sign/v1", .sign(message: Data("m".utf8)), body: "m"),
            row("PUT /device/v1", .device(file: file), body: "file"),
        ]
    }
}
