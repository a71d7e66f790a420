// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// The recipes that change how a call runs or fails.
@Suite(.serialized, .opensFiles, .timeLimit) struct CallRecipeTests {
    // MARK: - Latest only

    private static let isSearch: @Sendable (inout ServiceRequest) throws -> Void = {
        $0.topic = "search"
    }

    private func search(_ server: LoopbackServer, _ path: String) -> TestService {
        var service = server.service(path).patient
        service.change = Self.isSearch
        return service
    }

    @Test func aNewCallCancelsTheOlderOne() async throws {
        let server = try LoopbackServer { $0.path == "/h" ? .never : .text("ok") }
        let sent = Milestones()
        let counting = Intercept { request, next in
            sent.pass()
            return try await next(request)
        }
        let provider = ServiceProvider<TestService>(interceptors: [LatestOnly(), counting])
        let older = search(server, "/h")
        let other = server.service("/h").patient
        let first = Task { await provider.end(of: older) }
        let unrelated = Task { await provider.end(of: other) }
        await sent.reach(2)
        #expect(await provider.end(of: search(server, "/hu")) == "200")
        #expect(await first.value == "The request was cancelled.")
        unrelated.cancel()
        #expect(await unrelated.value == "The request was cancelled.")
    }

    /// An older result never arrives after a newer one.
    @Test func anOlderResponseIsNotReturned() async throws {
        let gate = Gate()
        let transport = StubTransport { request in
            // It doesn't end when it is cancelled.
            if request.urlRequest.url?.lastPathComponent == "h" {
                await Task.detached { await gate.pass() }.value
            }
            return try request.respond(200)
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [LatestOnly()])
        let first = Task { await provider.end(of: TestService(path: "/h", change: Self.isSearch)) }
        await gate.arrivals(reach: 1)
        #expect(await provider.end(of: TestService(path: "/hu", change: Self.isSearch)) == "200")
        gate.open()
        #expect(await first.value == "The request was cancelled.")
    }

    /// Calls that wait, for example for a token, reach the interceptor in another order.
    @Test func anOlderCallThatComesLateIsCancelled() async throws {
        let gate = Gate()
        let waiting = Intercept { request, next in
            if request.urlRequest.url?.lastPathComponent == "h" { await gate.pass() }
            return try await next(request)
        }
        let asked = Locked<[String]>([])
        let transport = StubTransport { request in
            asked { $0.append(request.urlRequest.url?.lastPathComponent ?? "") }
            return try request.respond(200)
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [waiting, LatestOnly()])
        let first = Task { await provider.end(of: TestService(path: "/h", change: Self.isSearch)) }
        await gate.arrivals(reach: 1)
        // The newer one has even ended before.
        #expect(await provider.end(of: TestService(path: "/hu", change: Self.isSearch)) == "200")
        gate.open()
        #expect(await first.value == "The request was cancelled.")
        #expect(asked { $0 } == ["hu"])
    }

    @Test func manyCallsOfATopicEnd() async throws {
        let transport = StubTransport { try $0.respond(200) }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [LatestOnly()])
        let ends = await withTaskGroup(of: String.self) { group in
            for _ in 0..<2_000 {
                group.addTask { await provider.end(of: TestService(change: Self.isSearch)) }
            }
            return await group.reduce(into: [:]) { $0[$1, default: 0] += 1 }
        }
        #expect(ends.keys.allSatisfy { ["200", "The request was cancelled."].contains($0) })
        #expect(ends["200", default: 0] > 0)
    }

    // MARK: - Failover

    /// Answers for some hosts, and fails for the others. Notes the hosts that were asked.
    private func hosts(
        _ asked: Locked<[String]>, failing: [String: URLError.Code]
    ) -> ServiceProvider<TestService> {
        let transport = StubTransport { request in
            let url = try #require(request.urlRequest.url)
            let host = url.host ?? ""
            asked { $0.append(host) }
            if let code = failing[host] { throw URLError(code) }
            #expect(url.absoluteString == "https://\(host)/api/b%2Fc?d=e")
            return try request.respond(503)
        }
        return ServiceProvider(
            transport: transport, interceptors: [Failover("a.com", "b.com", "c.com")])
    }

    private func service(_ method: ServiceMethod) -> TestService {
        TestService(baseURL: "https://x.com/api/b%2Fc?d=e", method: method)
    }

    @Test func theHostThatAnsweredIsAskedFirst() async throws {
        let asked = Locked<[String]>([])
        let provider = hosts(asked, failing: ["a.com": .cannotFindHost, "b.com": .timedOut])
        for _ in 0..<2 { #expect(await provider.end(of: service(.get)) == "503") }
        #expect(asked { $0 } == ["a.com", "b.com", "c.com", "c.com"])
    }

    @Test func aTokenIsRefreshedAtAnotherHost() async throws {
        let transport = StubTransport { request in
            if request.urlRequest.url?.host == "a.com" { throw URLError(.cannotFindHost) }
            let token = request.urlRequest.value(forHTTPHeaderField: "Authorization")
            return try request.respond(token == "Bearer new" ? 200 : 401)
        }
        let authenticator = ServiceAuthenticator(
            token: "old", authorization: { ServiceAuthorization.bearer($0) },
            refresh: { _ in "new" })
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [Failover("a.com", "b.com"), authenticator])
        #expect(await provider.end(of: service(.get)) == "200")
    }

    @Test func ifNoHostAnswersTheLastErrorIsThrown() async throws {
        let asked = Locked<[String]>([])
        let codes = ["a.com", "b.com", "c.com"].map { ($0, URLError.Code.cannotConnectToHost) }
        let provider = hosts(asked, failing: Dictionary(uniqueKeysWithValues: codes))
        let error = try await provider.failure(of: service(.get))
        #expect(error.urlErrorCode == .cannotConnectToHost)
        #expect(asked { $0 } == ["a.com", "b.com", "c.com"])
    }

    @Test(arguments: [
        (ServiceMethod.post, URLError.Code.timedOut, 1), (.post, .cannotConnectToHost, 2),
        (.get, .networkConnectionLost, 2), (.get, .cancelled, 1),
        (.get, .secureConnectionFailed, 1),
    ])
    func aRequestIsNotSentTwiceUnlessItMay(
        method: ServiceMethod, code: URLError.Code, count: Int
    ) async throws {
        let asked = Locked<[String]>([])
        _ = await hosts(asked, failing: ["a.com": code]).end(of: service(method))
        #expect(asked { $0.count } == count)
    }

    // MARK: - Tolerant lists

    private struct Hero: Decodable, Equatable {
        let name: String
    }

    @Test func brokenElementsAreLeftOutAndCounted() async throws {
        let server = try LoopbackServer { _ in
            .json(#"[{"name": "Hulk"}, {"name": 7}, null, 5, [], {"name": "Thor"}]"#)
        }
        let heroes = try await ServiceProvider<TestService>().load(
            service: server.service(), decodeType: TolerantList<Hero>.self)
        #expect(heroes.elements == [Hero(name: "Hulk"), Hero(name: "Thor")])
        #expect(heroes.errors.count == 4)
        guard case DecodingError.typeMismatch(_, let context) = heroes.errors[0] else {
            Issue.record("\(heroes.errors[0])")
            return
        }
        #expect(
            context.codingPath.map { $0.intValue.map(String.init) ?? $0.stringValue } == [
                "1", "name",
            ])
    }

    @Test func whatIsNoListIsAnError() async throws {
        let server = try LoopbackServer { _ in .json(#"{"name": "Hulk"}"#) }
        let error = await #expect(throws: ServiceError.self) {
            _ = try await ServiceProvider<TestService>().load(
                service: server.service(), decodeType: TolerantList<Hero>.self)
        }
        #expect(error?.description.contains("expected an array but found an object") == true)
    }

    // MARK: - Typed failures

    private enum SignUpFailure: String, Error, Decodable { case nameTaken, tooYoung }

    @Test(arguments: [(409, #""nameTaken""#), (422, #""tooYoung""#)])
    func theServersErrorIsThrown(status: Int, body: String) async throws {
        let server = try LoopbackServer { _ in .json(body, statusCode: status) }
        let provider = ServiceProvider<TestService>(
            interceptors: [TypedFailures<SignUpFailure>(), ServiceRetry()])
        let error = try await provider.failure(of: server.service())
        guard case .interceptor(let failure as SignUpFailure) = error else {
            Issue.record("\(error)")
            return
        }
        #expect(body == "\"\(failure.rawValue)\"")
    }

    @Test func otherResponsesStayAsTheyAre() async throws {
        let server = try LoopbackServer(responses: [
            .json("{}", statusCode: 409), .statusCode(500), .json(#""nameTaken""#),
        ])
        let provider = ServiceProvider<TestService>(interceptors: [TypedFailures<SignUpFailure>()])
        #expect(try await provider.failure(of: server.service()).statusCode == 409)
        #expect(try await provider.failure(of: server.service()).statusCode == 500)
        #expect(try await provider.text(of: server.service()) == #""nameTaken""#)
    }
}
