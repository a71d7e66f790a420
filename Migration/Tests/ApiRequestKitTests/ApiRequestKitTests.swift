// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

@MainActor @Suite(.serialized, .opensFiles, .timeLimit) struct ApiRequestKitTests {
    @Test func parametersGoToTheQueryOrTheBody() async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        storyServer = server.baseURL
        let stories = StoriesByUserRequest()
        stories.username = "ada l"
        NetworkApiClient().callApi(request: stories) { _ in }
        let get = try await server.arrival()
        #expect("\(get.method) \(get.target)" == "GET /api/v1.0/stories/ada%20l?limit=10")
        #expect(get.header("Content-Type") == nil && get.body.isEmpty)
        NetworkApiClient().callApi(request: AddStoryRequest()) { _ in }
        let post = try await server.arrival()
        #expect("\(post.method) \(post.target)" == "POST /api/v2/stories")
        #expect(post.header("Content-Type") == "application/vnd.story+json")
        #expect(String(decoding: post.body, as: UTF8.self) == #"{"tags":["a","b"],"title":"é"}"#)
    }

    /// Nil is a server that refuses the connection.
    @Test(
        arguments: [
            (.json(#"{"isSuccess": true, "data": [{"title": "One"}]}"#), true, "One"),
            (.json(#"{"data": [{"title": "Two"}], "message": "x"}"#), true, "Two"),
            (.json(#"{"isSuccess": false, "message": "Nothing found."}"#), false, "Nothing found."),
            (.statusCode(204), true, nil),
            (.statusCode(401), false, "The server refused the request."),
            (
                .json(#"{"message": "Come back.", "data": {}}"#, statusCode: 500), false,
                "Come back."
            ),
            (.json("{"), false, "The response can't be read."),
            (nil, false, "The server can't be reached."),
        ] as [(LoopbackResponse?, Bool, String?)])
    func outcomesArrive(response: LoopbackResponse?, success: Bool, text: String?) async throws {
        let server = try response.map { try LoopbackServer(responses: [$0]) }
        storyServer = server?.baseURL ?? "http://127.0.0.1:1"
        let outcome = await withCheckedContinuation { continuation in
            StoryService().stories(by: "ada") { success, value in
                let title = (value as? [Story])?.first?.title
                continuation.resume(returning: (success, title ?? value as? String))
            }
        }
        #expect(outcome == (success, text))
    }

    @Test func aCallCanBeCancelled() async throws {
        let server = try LoopbackServer { _ in .never }
        storyServer = server.baseURL
        let response = await withCheckedContinuation { continuation in
            let call = NetworkApiClient().callApi(request: AddStoryRequest()) { response in
                continuation.resume(returning: (response.success, response.message))
            }
            Task {
                _ = try? await server.arrival()
                call.cancel()
            }
        }
        #expect(!response.0 && response.1 == "The request was cancelled.")
    }

    @Test func requestsOfAnotherModuleArrive() async throws {
        let server = try LoopbackServer { _ in .json(#"{"data": {"title": "One"}}"#) }
        storyServer = server.baseURL
        let title = await withCheckedContinuation { continuation in
            ChapterRequest().load { continuation.resume(returning: ($0.data as? Chapter)?.title) }
        }
        #expect(title == "One")
        #expect(server.requests.map(\.target) == ["/api/v1.0/chapter"])
    }
}
