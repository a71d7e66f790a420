// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// On Linux, URLSession waits forever if a Basic challenge isn't answered.
@Suite(.serialized, .opensFiles, .timeLimit) struct ChallengeTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            .text("denied", statusCode: 401)
                .header("WWW-Authenticate", request.query ?? #"Basic realm="test""#)
        }
    }

    private func failure(
        _ transport: TransportUnderTest, of service: TestService
    ) async throws -> ServiceError {
        let provider = transport.provider()
        return try await within(seconds: 300) { try await provider.failure(of: service) }
    }

    @Test(.row("A8", "U2"), arguments: TransportUnderTest.allCases)
    func aBasicChallengeIsA401WithItsBody(_ transport: TransportUnderTest) async throws {
        let error = try await failure(transport, of: server.service())
        #expect(error.unacceptableStatus == 401)
        #expect(error.response?.data == Data("denied".utf8))
        #expect(error.response?.header("WWW-Authenticate") == #"Basic realm="test""#)
        #expect(server.requests.count == 1)
    }

    @Test(.row("U2"), arguments: TransportUnderTest.allCases)
    func aChallengeAfterCredentialsIsA401(_ transport: TransportUnderTest) async throws {
        var service = server.service()
        service.headers = ["Authorization": "Basic d3Jvbmc6b25l"]
        let error = try await failure(transport, of: service)
        #expect(error.unacceptableStatus == 401)
        #expect(error.response?.data == Data("denied".utf8))
        #expect(server.requests.map { $0.header("Authorization") } == ["Basic d3Jvbmc6b25l"])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func aChallengeWithUserInfoInTheURLIsA401(_ transport: TransportUnderTest) async throws {
        let service = TestService(
            baseURL: "http://user:pass@127.0.0.1:\(server.port)", path: "/start")
        let error = try await failure(transport, of: service)
        #expect(error.unacceptableStatus == 401)
        #expect(error.response?.data == Data("denied".utf8))
        let sent = server.requests.compactMap { $0.header("Authorization") }
        #expect(Set(sent) == ["Basic dXNlcjpwYXNz"])
    }

    @Test(
        .row("A8"),
        arguments: TransportUnderTest.allCases,
        ["Digest realm=r, nonce=n", "Bearer", "Negotiate", "Basic realm=a, Bearer", "?"])
    func otherChallengesFailWith401(_ transport: TransportUnderTest, scheme: String) async throws {
        server.enqueue(.text("denied", statusCode: 401).header("WWW-Authenticate", scheme))
        let error = try await failure(transport, of: server.service())
        #expect(error.unacceptableStatus == 401)
        #expect(error.response?.data == Data("denied".utf8))
    }

    @Test(.opensFiles(120), .row("A8"), arguments: TransportUnderTest.allCases)
    func theSessionWorksAfterFiftyConcurrentChallenges(_ transport: TransportUnderTest) async throws
    {
        let provider = transport.provider()
        let service = server.service()
        let statuses = try await within(seconds: 300) {
            let tasks = (0..<50).map { _ in Task { await provider.outcome(of: service) } }
            var statuses: [Int?] = []
            for task in tasks {
                if case .failure(let error) = await task.value { statuses.append(error.statusCode) }
            }
            return statuses
        }
        #expect(statuses == Array(repeating: 401, count: 50))
        server.enqueue(.text("ok"))
        #expect(try await provider.load(service: service) == Data("ok".utf8))
    }

    #if os(Linux)
    @Test(arguments: TransportUnderTest.allCases)
    func aReleasedTransportClosesTheConnection(_ transport: TransportUnderTest) async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(
                "HTTP/1.1 401 Unauthorized\r\nWWW-Authenticate: Basic realm=test\r\n"
                    + "Content-Length: 6\r\n\r\ndenied")
            connection.readHead()
        }
        let service = TestService(baseURL: "http://127.0.0.1:\(server.port)")
        let error = try await failure(transport, of: service)
        #expect(error.unacceptableStatus == 401)
        #expect(await server.hasEnded())
    }
    #endif
}
