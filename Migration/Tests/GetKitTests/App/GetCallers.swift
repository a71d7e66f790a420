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

struct ServerError: Error, Equatable, Decodable {
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

struct Item: Codable {
    var id: String
    var premiereDate: Date?
}

/// The requests of the tests.
enum Paths {
    static var info: Request<Item> { Request(path: "/System/Info") }
    static var logs: Request<[Item]> { Request(path: "/System/Logs") }
    static var resume: Request<Item?> { Request(path: "/Items/Resume") }
    static var ping: Request<String> { Request(path: "/System/Ping") }
    static var configuration: Request<Data> { Request(path: "/System/Configuration") }
    static var restart: Request<Void> { Request(path: "/System/Restart", method: .post) }
    static func add(_ item: Item) -> Request<Item> {
        Request(path: "/Genres", method: .post, body: item, id: "createGenre")
    }
}
