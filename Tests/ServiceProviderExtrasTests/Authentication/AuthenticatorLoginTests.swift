// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Logins and logouts during a refresh, and requests sent by the refresh itself.
@Suite(.serialized, .opensFiles, .timeLimit) struct AuthenticatorLoginTests {
    /// A provider with token 0, which is refused. The refresh waits for a gate.
    private struct Scene: Sendable {
        let authenticator: ServiceAuthenticator<Int>
        let provider: ServiceProvider<TestService>
        let sent = Locked<[String?]>([])
        let refresh = Gate()
        let refreshing: AsyncStream<Void>
        /// Whether the refresh was cancelled, when it ends.
        let ended: AsyncStream<Bool>

        init() {
            let (stream, began) = AsyncStream<Void>.makeStream()
            refreshing = stream
            let (ends, ended) = AsyncStream<Bool>.makeStream()
            self.ended = ends
            authenticator = ServiceAuthenticator(token: 0) {
                ServiceAuthorization.bearer("\($0)")
            } refresh: { [refresh] _ in
                began.finish()
                await refresh.pass()
                ended.yield(Task.isCancelled)
                ended.finish()
                return 1
            }
            let transport = StubTransport { [sent] request in
                let token = request.header("Authorization")
                sent { $0.append(token) }
                return try request.respond(["Bearer 1", "Bearer 7"].contains(token) ? 200 : 401)
            }
            provider = ServiceProvider(transport: transport, interceptors: [authenticator])
        }
    }

    @Test(
        .slow,
        arguments: [(7, "200", ["Bearer 7"]), (nil, "401", [])] as [(Int?, String, [String])])
    func aTokenSetDuringARefreshIsKept(
        _ token: Int?, _ end: String, _ last: [String]
    ) async throws {
        let scene = Scene()
        let call = Task { await scene.provider.end(of: TestService()) }
        for await _ in scene.refreshing {}
        scene.authenticator.token = token
        // The call doesn't wait for the refresh: its gate is closed.
        #expect(await call.value == end)
        #expect(scene.sent { $0 } == ["Bearer 0"] + last)
        scene.refresh.open()
        for await wasCancelled in scene.ended { #expect(wasCancelled) }
        for _ in 0..<100 { await Task.yield() }
        #expect(scene.authenticator.token == token)
    }

    @Test func requestsAfterALogoutHaveNoToken() async throws {
        let scene = Scene()
        scene.refresh.open()
        #expect(await scene.provider.end(of: TestService()) == "200")
        scene.authenticator.token = nil
        scene.sent { $0 = [] }
        #expect(await scene.provider.end(of: TestService()) == "200")
        #expect(scene.sent { $0 } == [nil, "Bearer 1"])
    }

    enum Way: CaseIterable, Sendable { case awaited, byHandler, refused }

    /// Requests that a refresh sends through the same provider don't wait for that refresh.
    @Test(arguments: Way.allCases)
    func aRefreshMayUseTheSameProvider(_ way: Way) async throws {
        let server = try LoopbackServer { request in
            if request.path == "/token" {
                return way == .refused ? .statusCode(401) : .text(TokenServer.new)
            }
            return .statusCode(
                request.header("Authorization") == "Bearer \(TokenServer.new)" ? 200 : 401)
        }
        let login = TestService(
            baseURL: server.baseURL, path: "/token", method: .post,
            headers: ["Authorization": "Basic \(canary("client"))"])
        let own = Locked<ServiceProvider<TestService>?>(nil)
        let authenticator = ServiceAuthenticator(token: TokenServer.old) {
            ServiceAuthorization.bearer($0)
        } refresh: { _ in
            let provider = try #require(own { $0 })
            guard way == .byHandler else {
                return String(decoding: try await provider.load(service: login), as: UTF8.self)
            }
            return await withCheckedContinuation { continuation in
                provider.load(service: login) { result in
                    let data = result.value ?? Data()
                    continuation.resume(returning: String(decoding: data, as: UTF8.self))
                }
            }
        }
        let provider = ServiceProvider<TestService>(interceptors: [authenticator])
        own { $0 = provider }
        let end = try await within(seconds: 300) {
            await provider.end(of: server.service("/call"))
        }
        #expect(end == (way == .refused ? "401" : "200"))
        let logins = server.requests.filter { $0.path == "/token" }
        #expect(
            logins.map { $0.header("Authorization") } == [
                "Basic \(canary("client"))"
            ])
        #expect(server.requests.count == (way == .refused ? 2 : 3))
        own { $0 = nil }
    }

    /// For example, a login may start a synchronization that runs for hours.
    @Test func aCallThatOutlivesARefreshCanRefreshAgain() async throws {
        let own = Locked<ServiceProvider<TestService>?>(nil)
        let isRefreshed = Gate()
        let later = Locked<Task<String, Never>?>(nil)
        let authenticator = ServiceAuthenticator(token: 0) {
            ServiceAuthorization.bearer("\($0)")
        } refresh: { token in
            let provider = try #require(own { $0 })
            later {
                $0 =
                    $0
                    ?? Task {
                        await isRefreshed.pass()
                        return await provider.end(of: TestService())
                    }
            }
            return (token ?? 0) + 1
        }
        let isOld = Locked(false)
        let transport = StubTransport { request in
            let good = isOld { $0 } ? "Bearer 2" : "Bearer 1"
            return try request.respond(request.header("Authorization") == good ? 200 : 401)
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [authenticator])
        own { $0 = provider }
        #expect(await provider.end(of: TestService()) == "200")
        isOld { $0 = true }
        isRefreshed.open()
        let task = try #require(later { $0 })
        #expect(await task.value == "200")
        #expect(authenticator.token == 2)
        own { $0 = nil }
    }

    /// Even though the token is still the one that the failed refresh should have replaced.
    @Test func aCallThatOutlivesAFailedRefreshCanRefreshAgain() async throws {
        let own = Locked<ServiceProvider<TestService>?>(nil)
        let hasFailed = Gate()
        let later = Locked<Task<String, Never>?>(nil)
        let authenticator = ServiceAuthenticator(token: 0) {
            ServiceAuthorization.bearer("\($0)")
        } refresh: { token -> Int in
            guard later({ $0 == nil }) else { return 1 }
            let provider = try #require(own { $0 })
            later {
                $0 = Task {
                    await hasFailed.pass()
                    return await provider.end(of: TestService())
                }
            }
            throw URLError(.cannotConnectToHost)
        }
        let transport = StubTransport { request in
            try request.respond(request.header("Authorization") == "Bearer 1" ? 200 : 401)
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [authenticator])
        own { $0 = provider }
        #expect(await provider.end(of: TestService()) != "200")
        hasFailed.open()
        let task = try #require(later { $0 })
        #expect(await task.value == "200")
        own { $0 = nil }
    }

    /// A refresh may wait for another authenticator's refresh.
    @Test func aRefreshMayUseAnotherAuthenticator() async throws {
        let server = try LoopbackServer { request in
            switch (request.path, request.header("Authorization")) {
            case ("/token", "Bearer device-1"): .text("user-1")
            case ("/call", "Bearer user-1"): .statusCode(200)
            default: .statusCode(401)
            }
        }
        let device = ServiceAuthenticator(token: "device-0") {
            ServiceAuthorization.bearer($0)
        } refresh: { _ in
            "device-1"
        }
        let logins = ServiceProvider<TestService>(interceptors: [device])
        let login = TestService(baseURL: server.baseURL, path: "/token")
        let user = ServiceAuthenticator(token: "user-0") {
            ServiceAuthorization.bearer($0)
        } refresh: { _ in
            String(decoding: try await logins.load(service: login), as: UTF8.self)
        }
        let provider = ServiceProvider<TestService>(interceptors: [user])
        #expect(await provider.end(of: server.service("/call")) == "200")
        #expect(server.requests.map(\.path) == ["/call", "/token", "/token", "/call"])
    }
}
