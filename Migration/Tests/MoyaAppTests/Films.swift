// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import Moya

// In the style of an app that wraps Moya (as KinoPub).

nonisolated protocol FilmRequest: AccessTokenAuthorizable {
    var path: String { get }
    var method: Moya.Method { get }
    var task: Moya.Task { get }
    var validationType: Moya.ValidationType { get }
    var headers: [String: String]? { get }
}

extension FilmRequest {
    var authorizationType: AuthorizationType? { .bearer }
    var method: Moya.Method { .get }
    var validationType: Moya.ValidationType { .successCodes }
    var headers: [String: String]? { [:] }
}

struct Items: FilmRequest {
    var path = "items"
    let fields: Parameters
    var task: Moya.Task {
        .requestParameters(
            parameters: fields,
            encoding: URLEncoding(arrayEncoding: .indexInBrackets, boolEncoding: .literal))
    }
}

struct DeviceToken: FilmRequest {
    let code: String
    var path: String { "device" }
    var method: Moya.Method { .post }
    var authorizationType: AuthorizationType? { .none }
    var encoding: any ParameterEncoding = URLEncoding.queryString
    var task: Moya.Task {
        .requestParameters(parameters: ["code": code, "grant": "token"], encoding: encoding)
    }
}

nonisolated struct AnyTarget: TargetType, AccessTokenAuthorizable {
    let request: FilmRequest
    var baseURL: URL { Backend.url }
    var authorizationType: AuthorizationType? { request.authorizationType }
    var path: String { request.path }
    var method: Moya.Method { request.method }
    var task: Task { request.task }
    var headers: [String: String]? { request.headers }
    var validationType: Moya.ValidationType { request.validationType }
}

struct TokenPlugin: PluginType {
    func prepare(_ request: URLRequest, target: TargetType) -> URLRequest {
        guard let type = (target as? AccessTokenAuthorizable)?.authorizationType else {
            return request
        }
        var request = request
        request.addValue(type.value + " f1", forHTTPHeaderField: "Authorization")
        return request
    }
}

final class EmptyCancellable: Moya.Cancellable {
    var isCancelled = false
    func cancel() { isCancelled = true }
}

final class FilmService {
    private let provider: MoyaProvider<AnyTarget>

    init(
        endpointClosure: @escaping MoyaProvider<AnyTarget>.EndpointClosure = MoyaProvider
            .defaultEndpointMapping,
        requestClosure: @escaping MoyaProvider<AnyTarget>.RequestClosure = MoyaProvider<AnyTarget>
            .defaultRequestMapping,
        stubClosure: @escaping MoyaProvider<AnyTarget>.StubClosure = MoyaProvider.neverStub,
        callbackQueue: DispatchQueue? = nil,
        session: Moya.Session = MoyaProvider<AnyTarget>.defaultAlamofireSession(),
        plugins: [PluginType] = [], trackInflights: Bool = false
    ) {
        provider = .init(
            endpointClosure: endpointClosure, requestClosure: requestClosure,
            stubClosure: stubClosure, callbackQueue: callbackQueue, session: session,
            plugins: plugins, trackInflights: trackInflights)
    }

    func execute(
        _ request: FilmRequest?, completion: @escaping (Result<Int, Error>) -> Void
    ) -> Moya.Cancellable {
        guard let request else { return EmptyCancellable() }
        return provider.request(AnyTarget(request: request), callbackQueue: nil, progress: nil) {
            completion($0.map(\.statusCode).mapError { $0 })
        }
    }

    /// The status that the service handles, or the code of a missing network.
    static func reason(of error: Error) -> Int? {
        switch error {
        case MoyaError.statusCode: return nil
        case MoyaError.underlying(let afError, _):
            switch afError {
            case AFError.responseValidationFailed(reason: let reason):
                switch reason {
                case .unacceptableStatusCode(code: let code): return code
                default: return nil
                }
            case URLError.notConnectedToInternet: return URLError.notConnectedToInternet.rawValue
            default: return afError.asAFError?.responseCode
            }
        default: return nil
        }
    }

    static func rows() -> [Row] {
        let service = FilmService(plugins: [TokenPlugin()])
        func row(_ line: String, _ request: FilmRequest, _ type: String? = nil, body: String = "")
            -> Row
        {
            var fields = [
                "Authorization": request.authorizationType.map { "\($0.value) f1" } ?? "-"
            ]
            fields["Content-Type"] = type
            return Row(line, fields, body) {
                _ = try await withCheckedThrowingContinuation { next in
                    _ = service.execute(request) { next.resume(with: $0) }
                }
            }
        }
        let form = "application/x-www-form-urlencoded; charset=utf-8"
        return [
            row("GET /items", Items(fields: [:])),
            row("GET /items/4", Items(path: "items/4", fields: [:])),
            row(
                "GET /items?genre%5B0%5D=a&genre%5B1%5D=b&hd=true",
                Items(fields: ["genre": ["a", "b"], "hd": true])),
            row(
                "GET /items?from%5By%5D=1.5&q=a%2Bb%26?",
                Items(fields: ["q": "a+b&?", "from": ["y": 1.5]])),
            row("POST /device?code=c&grant=token", DeviceToken(code: "c")),
            row(
                "POST /device", DeviceToken(code: "c/?", encoding: URLEncoding.default), form,
                body: "code=c/?&grant=token"),
            row(
                "POST /device", DeviceToken(code: "c", encoding: JSONEncoding.prettyPrinted),
                "application/json", body: #"{"code":"c","grant":"token"}"#),
        ]
    }
}
