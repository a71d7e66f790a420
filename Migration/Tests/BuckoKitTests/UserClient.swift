// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProviderExtras

/// The server of the tests.
nonisolated(unsafe) var userServer = "http://127.0.0.1:1"

enum UserEndpoint {
    case user(id: String)
    case search(name: String, isActive: Bool)
    case create(name: String)
    case login(name: String, password: String)
}

extension UserEndpoint: Endpoint {
    var baseURL: String { return userServer }
    var headers: HTTPHeaders { return ["Authorization": "Bearer SOME_TOKEN"] }

    var path: String {
        switch self {
        case .user(let id): return "/users/\(id)"
        case .search, .create: return "/users/"
        case .login: return "/login"
        }
    }

    var method: HTTPMethod {
        switch self {
        case .user, .search: return .get
        case .create, .login: return .post
        }
    }

    var encoding: ParameterEncoding {
        if case .create = self { return JSONEncoding.default }
        return URLEncoding.default
    }

    var body: Parameters {
        switch self {
        case .user: return Parameters()
        case .search(let name, let isActive): return ["name": name, "active": isActive]
        case .create(let name): return ["name": name, "roles": ["reader"]]
        case .login(let name, let password): return ["name": name, "password": password]
        }
    }
}

/// An endpoint of the other kind, with the defaults of the protocol.
struct Health: Endpoint {
    var baseURL: String = userServer
    var path: String = "/health"
    var method: HTTPMethod = .get
    var headers: HTTPHeaders = [:]
}

struct UserStore {
    func name(of id: String, completion: @escaping (String?, Error?) -> Void) {
        Bucko.shared.request(UserEndpoint.user(id: id)) { response in
            let status = response.response.map { "\($0.statusCode) " } ?? "none, "
            guard response.result.isSuccess else {
                return completion("\(status)\(response.data?.count ?? 0)", response.result.error)
            }
            let json = response.result.value as? [String: Any]
            completion(status + (json?["name"] as? String ?? ""), nil)
        }
    }
}
