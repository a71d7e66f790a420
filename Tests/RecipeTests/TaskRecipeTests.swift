// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import ServiceProviderTransfers
import TestSupport
import Testing

/// The shorter recipes, each for one task.
@Suite(.serialized, .opensFiles, .timeLimit) struct TaskRecipeTests {
    @Test func aGraphQLQueryReturnsItsData() async throws {
        let server = try LoopbackServer { _ in
            .json(#"{"data": {"hero": {"name": "Hulk", "power": "strength"}}}"#)
        }
        let provider = ServiceProvider<GraphQLOperation>(interceptors: [Elsewhere(server: server)])
        #expect(try await loadHero("Hulk", from: provider).power == "strength")
        let body = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        #expect(
            body == #"{"query":"query Hero($name: String!) { hero(name: $name) { name power } }","#
                + #""variables":{"name":"Hulk"}}"#)
    }

    @Test func aGraphQLErrorIsTheReason() async throws {
        let server = try LoopbackServer { _ in
            .json(#"{"data": null, "errors": [{"message": "No hero is called 'Bulk'."}]}"#)
        }
        let provider = ServiceProvider<GraphQLOperation>(interceptors: [Elsewhere(server: server)])
        let error = await #expect(throws: GraphQLReply<HeroByName>.Failure.self) {
            try await loadHero("Bulk", from: provider)
        }
        #expect(error?.message == "No hero is called 'Bulk'.")
    }

    @Test func onlyGraphQLQueriesAreRetried() async throws {
        for (text, sent) in [("query { a }", 3), ("mutation { a }", 1)] {
            let server = try LoopbackServer { _ in .statusCode(503) }
            let retry = ServiceRetry(clock: ServiceTestClock().clock)
            let provider = ServiceProvider<GraphQLOperation>(
                interceptors: [retry, Elsewhere(server: server)])
            _ = try await failure {
                _ = try await provider.load(service: GraphQLOperation(text: text))
            }
            #expect(server.requests.count == sent)
        }
    }

    @Test func theSignatureCoversTheRequest() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        var clock = ServiceClock()
        clock.now = { Date(timeIntervalSince1970: 1_800_000_000) }
        let signed = Locked<[String]>([])
        let signature = signature(clock) { text in
            signed { $0.append(text) }
            return "signature-\(text.utf8.count)"
        }
        let provider = ServiceProvider<TestService>(interceptors: [signature])
        var service = server.service("/a", method: .post)
        service.parameters = ["b": 1]
        service.body = .data(Data("body".utf8))
        _ = try await provider.load(service: service)
        #expect(signed { $0 } == ["POST\n/a\nb=1\n1800000000\nYm9keQ=="])
        let request = try #require(server.requests.first)
        #expect(request.header("X-Time") == "1800000000")
        #expect(request.header("X-Signature") == "signature-31")
    }

    @Test func aPresignedUploadSendsNoToken() async throws {
        let storage = try LoopbackServer { _ in .statusCode(200) }
        let server = try LoopbackServer { request in
            request.path.hasSuffix("finish")
                ? .statusCode(204)
                : .json(
                    #"{"id": "p7", "url": "\#(storage.baseURL)/bucket/p7?sig=abc","#
                        + #" "headers": {"Content-Type": "image/png"}}"#)
        }
        let folder = try TemporaryFolder()
        let file = folder.file("hulk.png")
        try Data("picture".utf8).write(to: file)
        let uploader = PictureUploader(
            baseURL: server.baseURL,
            api: ServiceProvider(interceptors: [ServiceAuthorization.bearer("token")]))
        #expect(try await uploader.upload(file) == "p7")
        #expect(server.requests.map(\.path) == ["/pictures", "/pictures/p7/finish"])
        #expect(server.requests.allSatisfy { $0.header("Authorization") == "Bearer token" })
        let upload = try #require(storage.requests.first)
        #expect(upload.method == "PUT" && upload.target == "/bucket/p7?sig=abc")
        #expect(upload.body == Data("picture".utf8))
        #expect(upload.header("Content-Type") == "image/png")
        #expect(upload.header("Authorization") == nil)
    }

    @Test func aListIsThereWithoutANetwork() async throws {
        let folder = try TemporaryFolder()
        let isGone = Locked(false)
        let server = try LoopbackServer { _ in
            let list = LoopbackResponse.json(#"[{"title": "Write"}]"#)
            return isGone { $0 } ? list.cut(.close, afterHeaderBytes: 0) : list
        }
        let first = await TodoList(baseURL: server.baseURL, folder: folder.url)
        await first.load()
        #expect(await first.todos == [Todo(title: "Write")])
        #expect(await !first.isOffline)
        isGone { $0 = true }
        let second = await TodoList(baseURL: server.baseURL, folder: folder.url)
        await second.load()
        #expect(await second.todos == [Todo(title: "Write")])
        #expect(await second.isOffline)
    }

    @Test func aChatReplyArrivesInParts() async throws {
        let event = { (text: String) in
            #"data: {"choices": [{"delta": {"content": "\#(text)"}}]}"# + "\n\n"
        }
        let body = event("Hel") + event("lo") + "data: [DONE]\n\n" + event("never")
        let server = try LoopbackServer { _ in
            .data(Data(body.utf8), contentType: "text/event-stream")
        }
        let service = ChatService(question: "Hello?", baseURL: server.baseURL)
        var parts: [String] = []
        try await ask(service, ServiceProvider()) { parts.append($0) }
        #expect(parts == ["Hel", "lo"])
        let sent = String(decoding: try #require(server.requests.first).body, as: UTF8.self)
        let messages = #""messages":[{"content":"Hello?","role":"user"}]"#
        #expect(sent == #"{\#(messages),"model":"small","stream":true}"#)
    }
}
