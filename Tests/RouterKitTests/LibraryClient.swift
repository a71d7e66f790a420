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
    case search(text: String, isRead: Bool)
    case add(title: String)
    case tag(id: Int, name: String)
    case remove(id: Int, token: String)
}

extension LibraryApi: EndPointType {
    var baseURL: URL {
        guard let url = URL(string: libraryServer + "/v1/") else { fatalError("no URL") }
        return url
    }

    var path: String {
        switch self {
        case .books(let shelf): return "shelves/\(shelf)/books"
        case .search: return "search"
        case .add: return "books"
        case .tag(let id, _): return "books/\(id)/tags"
        case .remove(let id, _): return "books/\(id)"
        }
    }

    var httpMethod: HTTPMethod {
        switch self {
        case .books, .search: return .get
        case .add, .tag: return .post
        case .remove: return .delete
        }
    }

    var task: HTTPTask {
        switch self {
        case .books:
            return .request
        case .search(let text, let isRead):
            return .requestParameters(
                bodyParameters: nil, urlParameters: ["text": text, "read": isRead])
        case .add(let title):
            return .requestParameters(
                bodyParameters: ["title": title, "pages": [1, 2]],
                bodyEncoding: .urlAndJsonEncoding,
                urlParameters: ["notify": 1])
        case .tag(_, let name):
            return .requestParametersAndHeaders(
                bodyParameters: ["name": name], urlParameters: ["dry": "no"],
                additionHeaders: ["X-Client": "tags", "X-Trace": "1"])
        case .remove(_, let token):
            return .requestParametersAndHeaders(
                bodyParameters: nil, bodyEncoding: .urlEncoding, urlParameters: ["force": true],
                additionHeaders: ["Authorization": "Bearer \(token)"])
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
            guard error == nil, let response = response as? HTTPURLResponse else {
                completion(nil, "Please check your network.")
                return
            }
            switch self.outcome(of: response) {
            case .success:
                guard let data = data, !data.isEmpty else { return completion(nil, "No data.") }
                let books = try? JSONDecoder().decode([Book].self, from: data)
                completion(books, books == nil ? "We could not decode the response." : nil)
            case .failure(let message):
                completion(nil, message)
            }
        }
    }

    private func outcome(of response: HTTPURLResponse) -> Result<String> {
        switch response.statusCode {
        case 200...299: return .success
        case 401...499: return .failure("Please log in first.")
        default: return .failure("The server failed.")
        }
    }
}
