// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Moya

/// The server of a test.
nonisolated enum Server {
    @TaskLocal static var baseURL = "http://localhost"
    static var url: URL { URL(string: baseURL + "/api") ?? URL(fileURLWithPath: "/") }
}

/// A target as most apps write it: an enum, and an extension with switches.
enum Bookshop {
    case home
    case search(String, tags: [String])
    case book(id: Int)
    case availability(id: Int)
    case star(id: Int)
    case tag(id: Int, tags: [String])
}

extension Bookshop: TargetType {
    var baseURL: URL { Server.url }

    var path: String {
        switch self {
        case .home: ""
        case .search: "/search"
        case .book(let id): "/books/\(id)"
        case .availability(let id): "/books/\(id)/availability"
        case .star(let id): "/user/starred/\(id)"
        case .tag(let id, _): "/books/\(id)/tags"
        }
    }

    var method: Moya.Method {
        switch self {
        case .home, .search, .book: .get
        case .availability: .head
        case .star: .put
        case .tag: .patch
        }
    }

    var sampleData: Data {
        switch self {
        case .book(let id): Data(#"{"id": \#(id), "title": "Dune"}"#.utf8)
        default: Data()
        }
    }

    var task: Task {
        switch self {
        case .home, .book, .availability: return .requestPlain
        case .search(let text, let tags):
            return .requestParameters(
                parameters: ["q": text, "tags": tags], encoding: URLEncoding.queryString)
        case .star:
            return .requestParameters(parameters: [:], encoding: URLEncoding.default)
        case .tag(_, let tags):
            return .requestParameters(
                parameters: ["tags": tags],
                encoding: URLEncoding(arrayEncoding: .noBrackets, boolEncoding: .literal))
        }
    }

    var headers: [String: String]? { ["X-Shop": "en"] }
}
