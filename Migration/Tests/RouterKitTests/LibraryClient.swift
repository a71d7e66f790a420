// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The server of the tests.
nonisolated(unsafe) var libraryServer = "http://127.0.0.1:1"

enum LibraryApi {
    case books(shelf: Int)
    case find(text: String, isRead: Bool)
    case add(title: String)
    case tag(id: Int, name: String)
    case remove(id: Int, client: String)
}

extension LibraryApi: EndPointType {
    var baseURL: URL { URL(string: libraryServer + "/v1/") ?? URL(fileURLWithPath: "/") }

    var path: String {
        switch self {
        case .books(let shelf): return "shelves/\(shelf)/books"
        case .find: return "find"
        case .add: return "books"
        case .tag(let id, _), .remove(let id, _): return "books/\(id)"
        }
    }

    var httpMethod: HTTPMethod {
        switch self {
        case .books, .find: return .get
        case .add, .tag: return .post
        case .remove: return .delete
        }
    }

    var task: HTTPTask {
        switch self {
        case .books: return .request
        case .find(let text, let isRead):
            return .requestParameters(
                bodyParameters: nil, urlParameters: ["text": text, "read": isRead])
        case .add(let title):
            return .requestParameters(
                bodyParameters: ["title": title, "pages": [1, 2]],
                bodyEncoding: .urlAndJsonEncoding, urlParameters: ["notify": 1])
        case .tag(_, let name):
            return .requestParametersAndHeaders(
                bodyParameters: ["name": name], urlParameters: ["dry": "no"],
                additionHeaders: ["X-Client": "tags"])
        case .remove(_, let client):
            return .requestParametersAndHeaders(
                bodyParameters: nil, bodyEncoding: .urlEncoding, urlParameters: ["force": true],
                additionHeaders: ["X-Client": client])
        }
    }

    var headers: HTTPHeaders? { ["X-Client": "library"] }
}

struct Book: Decodable {
    let title: String
}

/// The app's own outcome, which hides Swift's `Result`, as in the article.
enum Result<String> {
    case success
    case failure(String)
}

struct NetworkManager {
    let router = Router<LibraryApi>()

    func getBooks(shelf: Int, completion: @escaping (_ books: [Book]?, _ error: String?) -> Void) {
        router.request(.books(shelf: shelf)) { data, response, error in
            guard let data = data, let response = response as? HTTPURLResponse else {
                return completion(nil, "Check your network.")
            }
            switch self.outcome(of: response, data) {
            case .success where data.isEmpty: completion(nil, "No data.")
            case .success:
                let books = try? JSONDecoder().decode([Book].self, from: data)
                completion(books, books == nil ? "We could not read the books." : nil)
            case .failure(let message): completion(nil, message)
            }
        }
    }

    private func outcome(of response: HTTPURLResponse, _ data: Data) -> Result<String> {
        switch response.statusCode {
        case 200...299: return .success
        case 401...499: return .failure("Please log in first.")
        default:
            let failure = try? JSONDecoder().decode([String: String].self, from: data)
            return .failure(failure?["message"] ?? "")
        }
    }
}
