// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// When a token is refreshed, and how waiting calls end.
@Suite(.serialized, .opensFiles, .timeLimit) struct AuthenticatorTests {
    private let old = "Bearer \(TokenServer.old)"
    private let new = "Bearer \(TokenServer.new)"

    @Test(arguments: TransportUnderTest.allCases)
    func aRefusedTokenIsRefreshed(_ transport: TransportUnderTest) async throws {
        let tokens = try TokenServer()
        let authenticator = tokens.authenticator()
        let provider = tokens.provider(authenticator, transport: transport)
        #expect(await provider.end(of: tokens.service) == "200")
        #expect(authenticator.token == TokenServer.new)
        #expect(await provider.end(of: tokens.service) == "200")
        #expect(tokens.tokens == [old, new, new])
        #expect(tokens.refreshCount == 1)
    }

    @Test(.opensFiles(120), .row("A1", "C16")) func concurrentCallsCauseOneRefresh() async throws {
        let tokens = try TokenServer()
        let provider = tokens.provider(tokens.authenticator())
        let ends = await withTaskGroup(of: String.self) { group in
            for _ in 0..<50 { group.addTask { await provider.end(of: tokens.service) } }
            return await group.reduce(into: []) { $0.append($1) }
        }
        #expect(ends == Array(repeating: "200", count: 50))
        #expect(tokens.refreshCount == 1)
        // Each call succeeds once, and was refused at most once before.
        #expect(tokens.tokens.filter { $0 == new }.count == 50)
        #expect(tokens.tokens.count <= 100)
    }

    /// The new token replaces the old one in the header, and each call is sent at most twice.
    @Test(.row("A3")) func aSecondRefusalFailsTheCall() async throws {
        let server = try LoopbackServer { request in
            .text("not with \(request.header("Authorization") ?? "")", statusCode: 401)
                .header("WWW-Authenticate", "Basic realm=\"a\"")
        }
        let tokens = CountingTokens()
        let provider = ServiceProvider<TestService>(interceptors: [tokens.authenticator])
        for call in 1...20 {
            let error = await #expect(throws: ServiceError.self) {
                try await provider.load(service: server.service("/call"))
            }
            let text = transcribed(try #require(error).description, as: .error)
            #expect(text.contains("answered 401") && !text.contains("canary"))
            #expect(server.requests.count == call * 2)
            #expect(tokens.refreshes.count == call)
        }
        let sent = server.requests.compactMap { $0.header("Authorization")?.last }.prefix(6)
        #expect(sent == ["0", "1", "1", "2", "2", "3"])
    }

    /// A request sent with the old token is refused after another call has refreshed it.
    @Test(.row("A4")) func aLateRefusalOfTheOldTokenIsReplayed() async throws {
        let refusal = Gate()
        let sent = Locked<[String]>([])
        let refreshes = Locked<[Int?]>([])
        let (late, arrived) = AsyncStream<Void>.makeStream()
        let transport = StubTransport { request in
            let token = request.header("Authorization") ?? ""
            sent { $0.append(token) }
            guard token == "Bearer 0" else { return try request.respond(200) }
            if request.urlRequest.url?.path == "/late" {
                arrived.finish()
                await refusal.pass()
            }
            return try request.respond(401)
        }
        let authenticator = ServiceAuthenticator(token: 0) {
            ServiceAuthorization.bearer("\($0)")
        } refresh: { token in
            refreshes { $0.append(token) }
            return (token ?? 0) + 1
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [authenticator])
        async let end = provider.end(of: TestService(baseURL: "https://example.com", path: "/late"))
        for await _ in late {}
        #expect(await provider.end(of: TestService()) == "200")
        refusal.open()
        #expect(await end == "200")
        #expect(refreshes { $0 } == [0])
        #expect(sent { $0 } == ["Bearer 0", "Bearer 0", "Bearer 1", "Bearer 1"])
    }

    /// Runs all jobs on one thread: a job starts when all jobs before it have paused or ended.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    private final class OneThread: TaskExecutor {
        private let queue = DispatchQueue(label: "OneThread")

        func enqueue(_ job: consuming ExecutorJob) {
            let job = UnownedJob(job)
            queue.async { job.runSynchronously(on: self.asUnownedTaskExecutor()) }
        }
    }

    /// No waiting call is sent without a token or sent twice. The next call may refresh again.
    @available(macOS 15, iOS 18, tvOS 18, watchOS 11, visionOS 2, *)
    @Test(.row("A2")) func aFailedRefreshFailsAllWaitingCalls() async throws {
        let server = try LoopbackServer { request in
            request.path == "/token"
                ? .json(#"{"error_description": "The login is over."}"#, statusCode: 400)
                : .statusCode(request.header("Authorization") == "Bearer 1" ? 200 : 401)
        }
        let isOver = Locked(true)
        let logins = ServiceProvider<TestService>()
        let login = TestService(baseURL: server.baseURL, path: "/token")
        let (refusals, callers) = (Milestones(), OneThread())
        let authenticator = ServiceAuthenticator(
            token: 0, authorization: { ServiceAuthorization.bearer("\($0)") },
            isRejected: { response in
                if response.statusCode == 401 { refusals.pass() }
                return response.statusCode == 401
            },
            refresh: { _ in
                await refusals.reach(50)
                // The thread runs this job after the last of the 50 calls has started to wait.
                await Task(executorPreference: callers) {}.value
                if isOver({ $0 }) { _ = try await logins.load(service: login) }
                return 1
            })
        let provider = ServiceProvider<TestService>(interceptors: [authenticator])
        let service = server.service("/call")
        let errors = try await within(seconds: 300) {
            await withTaskGroup(of: String.self) { group in
                for _ in 0..<50 {
                    group.addTask(executorPreference: callers) {
                        do {
                            return "\(try await provider.load(service: service))"
                        } catch {
                            return transcribed("\(error)", as: .error)
                        }
                    }
                }
                return await group.reduce(into: Set()) { $0.insert($1) }
            }
        }
        #expect(errors == ["The server answered 400 for 'GET /token'."])
        #expect(server.requests.filter { $0.path == "/call" }.count == 50)
        #expect(server.requests.filter { $0.path == "/token" }.count == 1)
        #expect(authenticator.token == 0)
        isOver { $0 = false }
        #expect(await provider.end(of: service) == "200")
    }

    @Test(.row("A5")) func cancellingAWaitingCallDoesNotAffectTheOthers() async throws {
        let refresh = Gate()
        let (refreshing, began) = AsyncStream<Void>.makeStream()
        let sent = Locked<[String?]>([])
        let transport = StubTransport { request in
            sent { $0.append(request.urlRequest.url?.path) }
            return try request.respond(request.header("Authorization") == "Bearer 1" ? 200 : 401)
        }
        let authenticator = ServiceAuthenticator(token: 0) {
            ServiceAuthorization.bearer("\($0)")
        } refresh: { _ in
            began.finish()
            await refresh.pass()
            // The refresh isn't cancelled along with the call that started it.
            return Task.isCancelled ? 2 : 1
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [authenticator])
        let first = Task {
            await provider.end(of: TestService(baseURL: "https://example.com", path: "/first"))
        }
        for await _ in refreshing {}
        let second = Task { await provider.end(of: TestService()) }
        first.cancel()
        #expect(await first.value == "The request was cancelled.")
        #expect(sent { $0 }.filter { $0 == "/first" }.count == 1)
        refresh.open()
        #expect(await second.value == "200")
        #expect(authenticator.token == 1)
    }

    @Test(arguments: [
        (61.0, 60.0, false), (60, 60, true), (59, 60, true), (0, 60, true), (-9, 60, true),
        (1, 0, false), (0, 0, true), (9, .infinity, true),
    ])
    func aTokenAboutToExpireIsRefreshedFirst(
        _ rest: TimeInterval, _ leeway: TimeInterval, _ isRefreshed: Bool
    ) async throws {
        let server = try LoopbackServer { _ in .text("good") }
        let time = TestClock()
        let end = time.now + rest
        let authenticator = ServiceAuthenticator(
            token: TokenServer.old, authorization: { ServiceAuthorization.bearer($0) },
            expiry: { $0 == TokenServer.old ? end : nil }, leeway: leeway, clock: time.clock,
            refresh: { _ in TokenServer.new })
        let provider = ServiceProvider<TestService>(interceptors: [authenticator])
        #expect(await provider.end(of: server.service("/call")) == "200")
        #expect(server.requests.map { $0.header("Authorization") } == [isRefreshed ? new : old])
    }

    @Test func aTokenThatAlwaysLooksExpiredIsRefreshedOncePerCall() async throws {
        let refreshes = Locked(0)
        let authenticator = ServiceAuthenticator(
            token: 0, authorization: { ServiceAuthorization.bearer("\($0)") },
            expiry: { _ in .distantPast },
            refresh: { token in
                refreshes { $0 += 1 }
                return (token ?? 0) + 1
            })
        let provider = ServiceProvider<TestService>(
            transport: StubTransport { try $0.respond(200) }, interceptors: [authenticator])
        for call in 1...3 {
            #expect(await provider.end(of: TestService()) == "200")
            #expect(refreshes { $0 } == call)
        }
    }

    @Test(arguments: [0, 1])
    func requestsWithoutATokenHaveNoAuthorization(_ refusals: Int) async throws {
        let server = try LoopbackServer { request in
            .statusCode(refusals == 0 || request.header("Authorization") != nil ? 200 : 401)
        }
        let olds = Locked<[String?]>([])
        let authenticator = ServiceAuthenticator<String>(token: nil) {
            ServiceAuthorization.header("Authorization", $0)
        } refresh: { token in
            olds { $0.append(token) }
            return canary("login")
        }
        let provider = ServiceProvider<TestService>(interceptors: [authenticator])
        #expect(await provider.end(of: server.service("/call")) == "200")
        #expect(server.requests.first?.header("Authorization") == nil)
        #expect(server.requests.count == 1 + refusals)
        #expect(olds { $0 } == Array(repeating: nil, count: refusals))
    }

    /// Each call is refused after the refresh of the one before has failed.
    @Test func aFailedRefreshIsNotRepeatedByCallsThatStartedBefore() async throws {
        let refreshes = Locked(0)
        let authenticator = ServiceAuthenticator<Int>(
            token: 0, authorization: { ServiceAuthorization.bearer("\($0)") },
            refresh: { _ in
                refreshes { $0 += 1 }
                throw URLError(.userAuthenticationRequired)
            })
        let gates = (0..<200).map { _ in Gate() }
        let transport = StubTransport { request in
            let number = Int(request.urlRequest.url?.lastPathComponent ?? "") ?? 0
            await gates[number].pass()
            return try request.respond(401)
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [authenticator])
        let calls = gates.indices.map { number in
            Task { await provider.end(of: TestService(path: "/\(number)")) }
        }
        for gate in gates { await gate.arrivals(reach: 1) }
        var ends: Set<String> = []
        for (gate, call) in zip(gates, calls) {
            gate.open()
            ends.insert(await call.value)
        }
        #expect(refreshes { $0 } == 1)
        #expect(ends.count == 1)
        // A later call tries again.
        _ = await provider.end(of: TestService(path: "/0"))
        #expect(refreshes { $0 } == 2)
    }
}
