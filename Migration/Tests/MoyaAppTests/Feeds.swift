// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya

// In the style of an SDK that changes the endpoints of all targets (as GetStream's).

typealias JSON = [String: Any]
typealias NetworkProvider = MoyaProvider<MultiTarget>

enum ClientError: Error { case network(String, Error?), server }

struct AuthorizationPlugin: PluginType {
    let token: String

    func prepare(_ request: URLRequest, target: TargetType) -> URLRequest {
        var request = request
        request.addValue("jwt", forHTTPHeaderField: "Auth-Type")
        request.addValue(token, forHTTPHeaderField: "Authorization")
        return request
    }
}

extension Task {
    static func json(_ value: Encodable, query: JSON) -> Task {
        guard let data = try? JSONEncoder().encode(value) else { return .requestPlain }
        return .requestCompositeData(bodyData: data, urlParameters: query)
    }
}

enum FeedEndpoint {
    case feed(String, limit: Int)
    case follow(target: String)
    case remove(url: URL)
    case upload(Data)
    case react([String: String])
    case open(page: String)
}

extension FeedEndpoint: TargetType {
    var baseURL: URL { Backend.url }
    var path: String {
        switch self {
        case .feed(let name, _): "feed/\(name)/"
        case .follow: "follows/"
        case .remove: "files/"
        case .upload: "images/"
        case .react: "reaction/"
        case .open(let page): "open/\(page)"
        }
    }
    var method: Moya.Method {
        switch self {
        case .feed, .open: .get
        case .follow, .upload, .react: .post
        case .remove: .delete
        }
    }
    var task: Task {
        switch self {
        case .feed(_, let limit):
            return .requestParameters(parameters: ["limit": limit], encoding: URLEncoding.default)
        case .follow(let target):
            return .requestParameters(
                parameters: ["target": target, "copy": 5], encoding: JSONEncoding.default)
        case .remove(let url):
            return .requestParameters(parameters: ["url": url], encoding: URLEncoding.default)
        case .upload(let data):
            return .uploadMultipart([MultipartFormData(provider: .data(data), name: "file")])
        case .react(let fields): return .json(fields, query: ["v": 2.0])
        case .open: return .requestPlain
        }
    }
    var headers: [String: String]? { ["X-Client": "feeds"] }
}

final class FeedClient {
    private let provider: NetworkProvider

    init(token: String) {
        let endpointClosure: NetworkProvider.EndpointClosure = {
            FeedClient.endpoint(for: $0, key: "k1")
        }
        provider = NetworkProvider(
            endpointClosure: endpointClosure, plugins: [AuthorizationPlugin(token: token)])
    }

    static func endpoint(for target: MultiTarget, key: String) -> Endpoint {
        let keys = ["api_key": key]
        var task: Task = target.task
        switch target.task {
        case .requestPlain:
            task = .requestParameters(parameters: keys, encoding: URLEncoding.default)
        case let .requestParameters(parameters, encoding):
            let all = parameters.merging(keys) { $1 }
            task =
                encoding is URLEncoding
                ? .requestParameters(parameters: all, encoding: encoding)
                : .requestCompositeParameters(
                    bodyParameters: parameters, bodyEncoding: encoding, urlParameters: keys)
        case let .requestCompositeData(bodyData, parameters):
            let all = parameters.merging(keys) { $1 }
            task = .requestCompositeData(bodyData: bodyData, urlParameters: all)
        case let .uploadMultipart(parts):
            task = .uploadCompositeMultipart(parts, urlParameters: keys)
        default: break
        }
        return Endpoint(
            url: "\(target.baseURL.absoluteString)/v1.0/\(target.path)",
            sampleResponseClosure: { .networkResponse(200, target.sampleData) },
            method: target.method, task: task, httpHeaderFields: target.headers)
    }

    func request(
        _ endpoint: TargetType, completion: @escaping (Result<Int, ClientError>) -> Void
    ) -> Cancellable {
        provider.request(MultiTarget(endpoint)) { result in
            do {
                let response: Moya.Response = try result.get()
                let json = try response.mapJSON() as? JSON
                let isValid = json?["exception"] == nil
                completion(isValid ? .success(response.statusCode) : .failure(.server))
            } catch let error as MoyaError {
                completion(.failure(.network(error.errorDescription ?? "", error)))
            } catch {
                completion(.failure(.network(error.localizedDescription, error)))
            }
        }
    }

    func rows() -> [Row] {
        func row(
            _ line: String, _ endpoint: FeedEndpoint, type: String? = nil, body: String = ""
        ) -> Row {
            var fields = ["X-Client": "feeds", "Auth-Type": "jwt", "Authorization": "t1"]
            fields["Content-Type"] = type
            return Row(line, fields, body) {
                _ = try await withCheckedThrowingContinuation { next in
                    _ = self.request(endpoint) { next.resume(with: $0) }
                }
            }
        }
        let json = "application/json"
        let file = URL(string: "https://cdn.example/a b?c=1") ?? Backend.url
        return [
            row("GET /v1.0/feed/me/?api_key=k1&limit=3", .feed("me", limit: 3)),
            row(
                "POST /v1.0/follows/?api_key=k1", .follow(target: "a/b"), type: json,
                body: #"{"copy":5,"target":"a/b"}"#),
            row(
                "DELETE /v1.0/files/?api_key=k1&url=https%3A//cdn.example/a%2520b?c%3D1",
                .remove(url: file)),
            row(
                "POST /v1.0/images/?api_key=k1", .upload(Data("x".utf8)),
                type: "multipart/form-data; boundary=B",
                body: "--B\nContent-Disposition: form-data; name=\"file\"\n\nx\n--B--\n"),
            row(
                "POST /v1.0/reaction/?api_key=k1&v=2", .react(["kind": "like"]),
                type: "application/octet-stream", body: #"{"kind":"like"}"#),
            row("GET /v1.0/open/a%20b?api_key=k1", .open(page: "a%20b")),
        ]
    }
}
