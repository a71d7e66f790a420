// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import MoyaKit

/// The server of a test.
nonisolated enum Server {
    @TaskLocal static var baseURL = "http://localhost"
    static var url: URL { URL(string: baseURL + "/api") ?? URL(fileURLWithPath: "/") }
}

/// A target as most apps write it: an enum, and an extension with switches.
enum Bookshop {
    case home
    case books(page: Int, inStock: Bool)
    case search(String, tags: [String])
    case book(id: Int)
    case availability(id: Int)
    case addBook(title: String, isUsed: Bool)
    case rate(id: Int, stars: Int)
    case star(id: Int)
    case removeBook(id: Int, reason: String)
    case tag(id: Int, tags: [String])
    case order(items: [[String: Any]], gift: Bool)
    case filter([String: Any])
    case sort(by: [String])
    case note(id: Int, text: String)
}

extension Bookshop: TargetType {
    var baseURL: URL { Server.url }

    var path: String {
        switch self {
        case .home: ""
        case .books, .addBook: "/books"
        case .search: "/search"
        case .book(let id), .removeBook(let id, _): "/books/\(id)"
        case .availability(let id): "/books/\(id)/availability"
        case .rate(let id, _): "/books/\(id)/rating"
        case .star(let id): "/user/starred/\(id)"
        case .tag(let id, _): "/books/\(id)/tags"
        case .order: "/orders"
        case .filter: "filter"
        case .sort: "/sort by"
        case .note(let id, _): "/books/\(id)/note"
        }
    }

    var method: Moya.Method {
        switch self {
        case .home, .books, .search, .book, .filter, .sort: .get
        case .availability: .head
        case .addBook, .order, .note: .post
        case .rate, .star: .put
        case .removeBook: .delete
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
        case .home, .book, .availability:
            return .requestPlain
        case .books(let page, let inStock):
            return .requestParameters(
                parameters: ["page": page, "in_stock": inStock], encoding: URLEncoding.default)
        case .search(let text, let tags):
            return .requestParameters(
                parameters: ["q": text, "tags": tags], encoding: URLEncoding.queryString)
        case .addBook(let title, let isUsed):
            return .requestParameters(
                parameters: ["title": title, "used": isUsed], encoding: URLEncoding.default)
        case .rate(_, let stars):
            return .requestParameters(
                parameters: ["stars": stars], encoding: JSONEncoding.default)
        case .star:
            return .requestParameters(parameters: [:], encoding: URLEncoding.default)
        case .removeBook(_, let reason):
            return .requestParameters(
                parameters: ["reason": reason], encoding: URLEncoding.default)
        case .tag(_, let tags):
            return .requestParameters(
                parameters: ["tags": tags],
                encoding: URLEncoding(arrayEncoding: .noBrackets, boolEncoding: .literal))
        case .order(let items, let gift):
            return .requestParameters(
                parameters: ["items": items, "gift": gift], encoding: JSONEncoding.default)
        case .filter(let fields):
            return .requestParameters(
                parameters: fields, encoding: URLEncoding(boolEncoding: .literal))
        case .sort(let keys):
            return .requestParameters(
                parameters: ["by": keys], encoding: URLEncoding(arrayEncoding: .indexInBrackets))
        case .note(_, let text):
            return .requestParameters(
                parameters: ["text": text], encoding: URLEncoding.httpBody)
        }
    }

    var headers: [String: String]? { ["X-Shop": "en"] }
}
