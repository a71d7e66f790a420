// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

@MainActor @Suite(.serialized, .opensFiles, .timeLimit) struct RouterKitTests {
    let manager = NetworkManager()

    @Test(arguments: [
        (LibraryApi.books(shelf: 3), "GET /v1/shelves/3/books", "", "library"),
        (.find(text: "&b c", isRead: true), "GET /v1/find?read=true&text=%26b%20c", "", "library"),
        (.add(title: "é"), "POST /v1/books?notify=1", #"{"pages":[1,2],"title":"é"}"#, "library"),
        (.tag(id: 7, name: "x"), "POST /v1/books/7?dry=no", #"{"name":"x"}"#, "tags"),
        (.remove(id: 7, client: "c"), "DELETE /v1/books/7?force=true", "", "c"),
    ])
    func requestsArrive(of route: LibraryApi, line: String, body: String, app: String) async throws
    {
        let server = try LoopbackServer { _ in .json("[]") }
        libraryServer = server.baseURL
        manager.router.request(route) { _, _, _ in }
        let request = try await server.arrival()
        #expect("\(request.method) \(request.target)" == line)
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        #expect(request.header("Content-Type") == (body.isEmpty ? nil : "application/json"))
        #expect(request.header("X-Client") == app)
    }

    /// Nil is a server that refuses the connection.
    @Test(
        arguments: [
            (.json(#"[{"title": "Emma"}]"#), "Emma"), (.statusCode(204), "No data."),
            (.statusCode(401), "Please log in first."),
            (.json("[{"), "We could not read the books."),
            (.json(#"{"message": "Sorry."}"#, statusCode: 500), "Sorry."),
            (nil, "Check your network."),
        ] as [(LoopbackResponse?, String)])
    func outcomesArrive(response: LoopbackResponse?, outcome: String) async throws {
        let server = try response.map { try LoopbackServer(responses: [$0]) }
        libraryServer = server?.baseURL ?? "http://127.0.0.1:1"
        let text = await withCheckedContinuation { continuation in
            manager.getBooks(shelf: 1) { books, error in
                continuation.resume(returning: books?.first?.title ?? error)
            }
        }
        #expect(text == outcome)
    }

    @Test func theLastRequestCanBeCancelled() async throws {
        let server = try LoopbackServer { _ in .never }
        libraryServer = server.baseURL
        let error = await withCheckedContinuation { continuation in
            manager.router.request(.books(shelf: 1)) { _, _, error in
                continuation.resume(returning: error as? URLError)
            }
            Task {
                _ = try? await server.arrival()
                manager.router.cancel()
            }
        }
        #expect(error?.code == .cancelled)
    }

    @Test func endpointsOfAnotherModuleArrive() async throws {
        let server = try LoopbackServer { _ in .text("[]") }
        libraryServer = server.baseURL
        let data = await withCheckedContinuation { continuation in
            ShelfManager().load(.next(after: "2026")) { data, _, _ in
                continuation.resume(returning: data)
            }
        }
        #expect(data == Data("[]".utf8))
        #expect(server.requests.map(\.target) == ["/shelves?after=2026"])
    }
}
