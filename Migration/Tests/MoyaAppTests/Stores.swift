// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya

// In the style of an app with a protocol of its own for all targets (as Hankki).

enum HeaderKind {
    case token, social(String), form([MultipartFormData])
}

nonisolated protocol BaseTarget: TargetType {
    var headerKind: HeaderKind { get }
    var query: [String: Any]? { get }
    var model: Codable? { get }
}

extension BaseTarget {
    var baseURL: URL { Backend.url.appendingPathComponent("api/v1") }
    var headers: [String: String]? {
        switch headerKind {
        case .token: return ["Content-Type": "application/json", "Authorization": "Bearer a1"]
        case .social(let token): return ["Authorization": token]
        case .form: return ["Content-Type": "multipart/form-data"]
        }
    }

    var task: Task {
        if case .form(let parts) = headerKind { return .uploadMultipart(parts) }
        if let query {
            return .requestParameters(parameters: query, encoding: URLEncoding.default)
        }
        return model.map { .requestJSONEncodable($0) } ?? .requestPlain
    }

    var validationType: ValidationType { .successCodes }
}

enum StoreTarget {
    case pins(university: Int?, price: String)
    case detail(id: Int)
    case heart(id: Int, isOn: Bool)
    case check([String: String])
    case login(token: String)
    case create([MultipartFormData])
}

extension StoreTarget: BaseTarget {
    var headerKind: HeaderKind {
        switch self {
        case .create(let parts): .form(parts)
        case .login(let token): .social(token)
        default: .token
        }
    }

    var query: [String: Any]? {
        guard case .pins(let university, let price) = self else { return nil }
        var query: [String: Any] = ["price": price, "open": true]
        query["universityId"] = university
        return query
    }

    var model: Codable? {
        guard case .check(let draft) = self else { return nil }
        return draft
    }

    var path: String {
        switch self {
        case .pins: "/stores/pins"
        case .detail(let id): "/stores/\(id)"
        case .heart(let id, _): "/stores/\(id)/hearts"
        case .check: "/stores/validate"
        case .login: "/auth/login"
        case .create: "/stores"
        }
    }

    var method: Moya.Method {
        switch self {
        case .pins, .detail: .get
        case .heart(_, false): .delete
        case .heart, .check, .login, .create: .post
        }
    }
}

final class LoggingPlugin: PluginType {
    private(set) var lines: [String] = []

    func willSend(_ request: RequestType, target: TargetType) {
        lines.append("--> \(request.request?.httpMethod ?? "") \(target.path)")
    }

    func didReceive(_ result: Result<Response, MoyaError>, target: TargetType) {
        switch result {
        case .success(let response): lines.append("<-- \(response.statusCode)")
        case .failure(let error):
            let text = error.failureReason ?? error.errorDescription ?? "unknown"
            lines.append("<-- \(error.errorCode) \(error.response?.statusCode ?? 0) \(text)")
        }
    }
}

final class StoreService {
    let plugin = LoggingPlugin()
    private lazy var provider = MoyaProvider<StoreTarget>(plugins: [plugin])

    func load(_ target: StoreTarget) async -> Int? {
        await withCheckedContinuation { next in
            provider.request(target) { result in
                switch result {
                case .success(let response): next.resume(returning: response.statusCode)
                case .failure(let error): next.resume(returning: error.response?.statusCode)
                }
            }
        }
    }

    func rows() -> [Row] {
        let json = ["Content-Type": "application/json", "Authorization": "Bearer a1"]
        func row(
            _ line: String, _ target: StoreTarget, _ fields: [String: String], body: String = ""
        ) -> Row {
            Row(line, fields, body) { _ = await self.load(target) }
        }
        let part = MultipartFormData(
            provider: .data(Data("x".utf8)), name: "image", fileName: "a.png", mimeType: "image/png"
        )
        return [
            row(
                "GET /api/v1/stores/pins?open=1&price=K6&universityId=2",
                .pins(university: 2, price: "K6"), json),
            row(
                "GET /api/v1/stores/pins?open=1&price=a%20b/%C3%A9",
                .pins(university: nil, price: "a b/é"), json),
            row("GET /api/v1/stores/7", .detail(id: 7), json),
            row("POST /api/v1/stores/7/hearts", .heart(id: 7, isOn: true), json),
            row("DELETE /api/v1/stores/7/hearts", .heart(id: 7, isOn: false), json),
            // JSONEncoder escapes slashes, here as in Moya.
            row(
                "POST /api/v1/stores/validate", .check(["link": "a/b"]), json,
                body: #"{"link":"a\/b"}"#),
            row("POST /api/v1/auth/login", .login(token: "s1"), ["Authorization": "s1"]),
            row(
                "POST /api/v1/stores", .create([part]),
                ["Content-Type": "multipart/form-data; boundary=B"],
                body: "--B\nContent-Disposition: form-data; name=\"image\"; filename=\"a.png\"\n"
                    + "Content-Type: image/png\n\nx\n--B--\n"),
        ]
    }
}
