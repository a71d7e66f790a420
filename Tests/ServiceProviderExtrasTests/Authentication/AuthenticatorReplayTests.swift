// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

/// Which requests are sent again with a new token, and how.
@Suite(.serialized, .opensFiles, .timeLimit) struct AuthenticatorReplayTests {
    let tokens: TokenServer

    init() throws { tokens = try TokenServer() }

    private func call(
        path: String = "/call", method: ServiceMethod = .post
    ) -> TestService {
        TestService(baseURL: tokens.server.baseURL, path: path, method: method)
    }

    @Test(.row("A7"), arguments: TransportUnderTest.allCases)
    func bodiesAreSentAgain(_ transport: TransportUnderTest) async throws {
        let folder = try TemporaryFolder()
        let body = noise(100_000)
        let file = try folder.write(body, to: "body")
        var inMemory = call()
        inMemory.body = .data(body)
        var inFile = call()
        inFile.body = .file(file)
        for service in [inMemory, inFile] {
            let authenticator = tokens.authenticator()
            let provider = tokens.provider(authenticator, transport: transport)
            #expect(await provider.end(of: service) == "200")
        }
        let bodies = tokens.server.requests.filter { $0.path == "/call" }.map(\.body)
        #expect(bodies == Array(repeating: body, count: 4))
    }

    /// It doesn't cause a refresh either: the next call does that.
    @Test(.row("A7")) func aStreamThatHasBeenReadIsNotSentAgain() async throws {
        let streaming = Intercept.changing { request in
            request.urlRequest.httpBodyStream = InputStream(data: Data("body".utf8))
        }
        let sent = Locked(0)
        let transport = StubTransport { request in
            sent { $0 += 1 }
            return try request.respond(401)
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [streaming, tokens.authenticator()])
        #expect(await provider.end(of: call()) == "401")
        #expect(tokens.refreshCount == 0)
        #expect(sent { $0 } == 1)
    }

    @Test func streamsAndDownloadsStartAfterTheRefresh() async throws {
        let folder = try TemporaryFolder()
        let stream = try await tokens.provider(tokens.authenticator())
            .stream(service: call(method: .get))
        #expect(await stream.collected().elements.reduce(Data(), +) == Data("good".utf8))
        try await tokens.provider(tokens.authenticator())
            .download(service: call(method: .get), to: folder.file("good"))
        #expect(folder.text(of: "good") == "good")
        #expect(folder.names == ["good"])
        #expect(tokens.tokens.count == 4)
    }

    /// After a redirect, another origin must not cause a refresh.
    @Test(.row("A6"), arguments: TransportUnderTest.allCases)
    func aRefusalByAnotherOriginCausesNoRefresh(_ transport: TransportUnderTest) async throws {
        let other = try LoopbackServer { _ in .statusCode(401) }
        let first = try LoopbackServer { [url = other.baseURL] _ in .redirect(to: url + "/b") }
        let provider = tokens.provider(tokens.authenticator(), transport: transport)
        #expect(await provider.end(of: TestService(baseURL: first.baseURL)) == "401")
        #expect(
            first.requests.map { $0.header("Authorization") } == [
                "Bearer \(TokenServer.old)"
            ])
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
        #expect(tokens.refreshCount == 0)
    }

    /// The redirect to another origin has dropped the token, so it wasn't refused.
    @Test(.row("A6")) func aRedirectThereAndBackCausesNoRefresh() async throws {
        let back = Locked("")
        let other = try LoopbackServer { _ in .redirect(to: back { $0 }) }
        let server = try LoopbackServer { request in
            request.path == "/end" ? .statusCode(401) : .redirect(to: "\(other.baseURL)/b")
        }
        back { $0 = "\(server.baseURL)/end" }
        let provider = tokens.provider(tokens.authenticator())
        #expect(await provider.end(of: server.service("/start")) == "401")
        #expect(server.requests.map { $0.header("Authorization") != nil } == [true, false])
        #expect(tokens.refreshCount == 0)
    }

    @Test func aRedirectOnTheSameOriginIsFollowedAgain() async throws {
        let server = try LoopbackServer { request in
            let isGood = request.header("Authorization") == "Bearer \(TokenServer.new)"
            return request.path == "/there"
                ? .statusCode(isGood ? 200 : 401) : .redirect(to: "/there")
        }
        let provider = tokens.provider(tokens.authenticator())
        #expect(await provider.end(of: server.service("/call")) == "200")
        #expect(server.requests.map(\.path) == ["/call", "/there", "/call", "/there"])
        #expect(tokens.refreshCount == 1)
    }

    @Test func aStatusThatCountsAsSuccessCausesNoRefresh() async throws {
        var login = call()
        login.validStatusCodes = [200, 401]
        #expect(await tokens.provider(tokens.authenticator()).end(of: login) == "401")
        #expect(tokens.refreshCount == 0)
    }

    @Test func theCallerCanDefineARefusal() async throws {
        let server = try LoopbackServer(responses: [
            .text("expired"), .text("good"), .statusCode(401),
        ])
        let authenticator = ServiceAuthenticator(
            token: TokenServer.old, authorization: { ServiceAuthorization.query("token", $0) },
            isRejected: { $0.data == Data("expired".utf8) }, refresh: { _ in TokenServer.new })
        let provider = tokens.provider(authenticator)
        let service = server.service("/call")
        #expect(try await provider.load(service: service) == Data("good".utf8))
        #expect(await provider.end(of: service) == "401")
        let queries = [TokenServer.old, TokenServer.new, TokenServer.new].map { "token=\($0)" }
        #expect(server.requests.map(\.query) == queries)
    }

    /// A stream can't be restarted once the caller has its headers.
    @Test func aStreamThatHasStartedIsNotSentAgain() async throws {
        let server = try LoopbackServer(responses: [.text("expired"), .text("good")])
        let authenticator = ServiceAuthenticator(
            token: TokenServer.old, authorization: { ServiceAuthorization.bearer($0) },
            isRejected: { _ in true },
            refresh: { _ in TokenServer.new })
        let stream = try await tokens.provider(authenticator)
            .stream(service: server.service("/call"))
        #expect(await stream.collected().elements.reduce(Data(), +) == Data("expired".utf8))
        #expect(server.requests.count == 1)
    }
}
