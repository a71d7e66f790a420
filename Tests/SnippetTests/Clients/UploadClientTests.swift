// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

struct Comment: Codable {
    let author: String
    let text: String
}

struct Receipt: Decodable {
    let id: Int
}

enum CommentAPI: Service {
    case post(Comment, server: String)
    case delete(Int, server: String)

    var baseURL: String {
        switch self {
        case .post(_, let server), .delete(_, let server): server
        }
    }
    var path: String {
        switch self {
        case .post: "/comments"
        case .delete(let id, _): "/comments/\(id)"
        }
    }
    var method: ServiceMethod {
        switch self {
        case .post: .post
        case .delete: .delete
        }
    }
    var body: ServiceBody? {
        switch self {
        case .post(let comment, _): .json(comment)
        case .delete: nil
        }
    }
    func prepare(_ request: inout ServiceRequest) throws {
        request.urlRequest.timeoutInterval = 30
    }
}

@Suite(.timeLimit(.minutes(3))) struct UploadClientTests {
    @Test func aCommentIsPostedAndDeleted() async throws {
        let server = try LoopbackServer { request in
            guard request.method == "POST" else { return .status(204) }
            return .json(#"{"id": 7}"#, status: 201)
        }
        let provider = ServiceProvider<CommentAPI>()
        let comment = Comment(author: "Zoë", text: "\"Hi\"")
        let post = CommentAPI.post(comment, server: server.baseURL)
        let receipt = try await provider.load(service: post, decodeType: Receipt.self)
        try await provider.load(service: .delete(receipt.id, server: server.baseURL))

        let request = try #require(server.requests.first)
        #expect(request.header("Content-Type") == "application/json")
        let sent = try JSONDecoder().decode(Comment.self, from: request.body)
        #expect([sent.author, sent.text] == ["Zoë", "\"Hi\""])
        #expect(server.requests.last?.path == "/comments/7")
        #expect(server.requests.last?.method == "DELETE")
    }
}
