// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// A delegate with a token, as in Get's documentation.
final class TokenDelegate: APIClientDelegate {
    private(set) var token = "old"
    private(set) var attempts: [Int] = []

    func client(_ client: APIClient, willSendRequest request: inout URLRequest) async throws {
        request.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
    }

    func client(
        _ client: APIClient, shouldRetry task: URLSessionTask, error: Error, attempts: Int
    ) async throws -> Bool {
        self.attempts.append(attempts)
        if case .unacceptableStatusCode(let status) = error as? APIError, status == 401,
            attempts == 1, task.originalRequest?.url != nil
        {
            token = "new"
            return true
        }
        return false
    }
}

nonisolated struct ServerError: Error, Equatable, Decodable {
    let message: String
}

/// A delegate that reads the body of errors and changes URLs.
struct ErrorDelegate: APIClientDelegate {
    func client(
        _ client: APIClient, validateResponse response: HTTPURLResponse, data: Data,
        task: URLSessionTask
    ) throws {
        guard (200..<300).contains(response.statusCode) else {
            throw try JSONDecoder().decode(ServerError.self, from: data)
        }
    }

    func client<T>(_ client: APIClient, makeURLForRequest request: Request<T>) throws -> URL? {
        guard request.id == "createGenre", let url = request.url else { return nil }
        return URL(string: GetServer.baseURL + "/elsewhere" + url.path + "?from=delegate")
    }
}

/// An actor can be a delegate.
actor ActorDelegate: APIClientDelegate {
    private(set) var count = 0

    func client(_ client: APIClient, willSendRequest request: inout URLRequest) async throws {
        count += 1
    }
}

/// The server of a test.
nonisolated enum GetServer {
    @TaskLocal static var baseURL = "http://localhost"
}

/// A wrapper that most apps have.
final class Library {
    let client: APIClient

    init(baseURL: URL?, delegate: APIClientDelegate? = nil) {
        client = APIClient(baseURL: baseURL) {
            $0.delegate = delegate
            $0.decoder.keyDecodingStrategy = .convertFromSnakeCase
        }
    }

    func send<T: Decodable>(_ request: Request<T>) async throws -> T {
        try await client.send(request).value
    }

    func names(of user: String) async throws -> [String] {
        let page = try await client.send(Paths.getItems(userID: user, limit: 5)) {
            $0.timeoutInterval = 10
        }
        return page.value.items?.compactMap(\.name) ?? []
    }

    func rename(_ item: Item) async throws -> Int? {
        try await client.send(Paths.updateItem(id: item.id, item))
        return try await client.send(Request(path: "/Items/Refresh", method: .post)).statusCode
    }
}

/// A model whose conformance belongs to the main actor in main-actor apps.
struct Score: Decodable {
    var points: Int
}

final class ScoreModel {
    var points = 0
    private let client = APIClient(baseURL: URL(string: "https://example.com/v1"))

    func refresh() async throws {
        points = try await client.send(Request<Score>(path: "/score")).value.points
    }
}
