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

    @Test(arguments: [#""data": null, "#, "", #""data": {"hero": null}, "#])
    func aGraphQLErrorIsTheReason(data: String) async throws {
        let server = try LoopbackServer { _ in
            .json(#"{\#(data)"errors": [{"message": "No hero is called 'Bulk'."}]}"#)
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

    @Test func theSignatureCoversThePathAsItIsSent() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let signed = Locked<[String]>([])
        let signature = signature(ServiceClock()) { text in
            signed { $0.append(text) }
            return "signature"
        }
        let provider = ServiceProvider<TestService>(interceptors: [signature])
        for path in ["/a%2Fb/", "/a/b", "/a%0Ab"] {
            _ = try await provider.load(service: server.service(path))
        }
        let texts = signed { $0 }.map { $0.split(separator: "\n")[1] }
        #expect(texts == server.requests.map { Substring($0.target) })
        #expect(Set(texts).count == 3)
    }

    /// Its signature would be that of an empty body.
    @Test func aFileIsNotSigned() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let folder = try TemporaryFolder()
        var service = server.service("/a", method: .put)
        service.body = .file(try folder.write("abc", to: "a.txt"))
        let provider = ServiceProvider<TestService>(
            interceptors: [signature(ServiceClock()) { _ in "signature" }])
        let error = try await provider.failure(of: service)
        guard case .interceptor(SignatureError.bodyNotInMemory) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(server.isUntouched)
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

    /// A server that answers isn't a lost network, and neither is a screen that goes away.
    @Test func onlyALostNetworkIsOffline() async throws {
        let folder = try TemporaryFolder()
        let response = Locked(LoopbackResponse.statusCode(500))
        let server = try LoopbackServer { _ in response { $0 } }
        let list = await TodoList(baseURL: server.baseURL, folder: folder.url)
        await list.load()
        #expect(await !list.isOffline)
        response { $0 = .never }
        let call = Task { await list.load() }
        while server.requests.count < 2 { _ = try await server.arrival() }
        call.cancel()
        await call.value
        #expect(await !list.isOffline)
        response { $0 = .text("[]").cut(.close, afterHeaderBytes: 0) }
        await list.load()
        #expect(await list.isOffline)
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
