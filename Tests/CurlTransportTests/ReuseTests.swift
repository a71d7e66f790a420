// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Tests which connections are reused, and which requests are sent again.
@Suite(.serialized, .opensFiles, .timeLimit) struct ReuseTests {
    static let first = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfirst"

    /// Bytes that arrive on an idle connection aren't the response to the next request.
    @Test(
        .row("P2", "P3"),
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\nPOISON",
            "HTTP/1.1 408 Request Timeout\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "x",
        ], ["GET", "POST"])
    func aConnectionWithUnexpectedBytesIsNotReused(_ more: String, _ method: String) async throws {
        let late = LoopbackResponse.raw(Self.first + more).keepingAlive()
            .dripping(bytes: Self.first.utf8.count, every: 0.02)
        // Every HTTP/1.1 client reads bytes that arrive after the next request as its response.
        // That can happen on a busy machine, but not every time.
        for _ in 0..<20 {
            let server = try LoopbackServer(responses: [late, .text("second")])
            let provider = try provider()
            #expect(try await provider.text(of: server.endpoint()) == "first")
            // The rest arrives while the connection is idle.
            try await Task.sleep(nanoseconds: 45_000_000)
            let second = try? await provider.text(
                of: server.endpoint(ServiceMethod(rawValue: method)))
            if second == "second", server.requests.map(\.connection) == [0, 1] { return }
        }
        Issue.record("the connection was reused every time")
    }

    @Test func aGoodConnectionIsReused() async throws {
        let server = try LoopbackServer { request in
            request.method == "HEAD" || request.path == "/empty" ? .statusCode(204) : .text("hello")
        }
        let provider = try provider()
        for index in 0..<100 {
            var service = server.endpoint([.get, .post, .head, .put][index % 4])
            service.path = index % 5 == 0 ? "/empty" : "/x"
            _ = try await provider.response(service: service)
        }
        #expect(server.connectionCount == 1)
    }

    /// Each connection is closed before the next request. Otherwise the request could be lost with it.
    @Test(.row("P4")) func aClosedConnectionIsReplaced() async throws {
        let server = try RawServer { connection in
            connection.readHead()
            connection.write(Self.first)
            connection.endOutput()
        }
        defer { server.stop() }
        let provider = try provider()
        for (index, method) in [ServiceMethod.get, .post, .post].enumerated() {
            let service = TestService(
                baseURL: "http://127.0.0.1:\(server.port)", method: method)
            #expect(try await provider.text(of: service) == "first")
            #expect(await server.hasEnded(index + 1))
        }
        #expect(server.connectionCount == 3)
    }

    /// libcurl tries to connect again, but the error must not say that the request was never sent.
    @Test func aRequestLostWithItsServerIsReportedAsSent() async throws {
        final class Box: @unchecked Sendable {
            // Safe because it is set before the first request, and then only read by the handler.
            weak var server: LoopbackServer?
        }
        let box = Box()
        let server = try LoopbackServer { request in
            if request.method == "POST" { box.server?.stop() }
            return .text("warm")
        }
        box.server = server
        let provider = try provider()
        #expect(try await provider.text(of: server.endpoint()) == "warm")
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: server.endpoint(.post))
        }
        #expect(error?.description.contains("URLError -1005") == true)
        #expect(error?.description.contains("may have processed the request") == true)
    }

    /// The server reads the request and closes without a response, so it may have processed it.
    @Test(
        .row("T1", "T3", "U12"),
        arguments: [
            ("POST", nil, 1), ("POST", "body", 1), ("PATCH", "body", 1), ("PURGE", nil, 1),
            ("GET", nil, 2), ("HEAD", nil, 2), ("DELETE", nil, 2), ("PUT", nil, 2),
            ("PUT", "body", 2),
            ("OPTIONS", nil, 2),
        ] as [(String, String?, Int)])
    func onlyRepeatableRequestsAreSentTwice(
        _ method: String, _ body: String?, _ times: Int
    ) async throws {
        let server = try LoopbackServer(responses: [
            .text("warm"), .raw(""), .raw(""), .text("third"),
        ])
        let provider = try provider()
        _ = try await provider.load(service: server.endpoint())
        let code = await provider.code(of: server.endpoint(ServiceMethod(rawValue: method), body))
        #expect(code == .networkConnectionLost)
        let sent = server.requests.dropFirst()
        #expect(
            sent.map { String(decoding: $0.body, as: UTF8.self) }
                == Array(repeating: body ?? "", count: times))
        #expect(sent.first?.connection == 0)
    }

    @Test(
        arguments: [(nil, true, 1), (true, true, 2), (false, false, 1), (nil, false, 2)]
            as [(Bool?, Bool, Int)])
    func isRepeatableDecidesWhetherARequestIsSentTwice(
        _ isRepeatable: Bool?, _ isPost: Bool, _ times: Int
    ) async throws {
        let server = try LoopbackServer(responses: [.text("warm"), .raw(""), .text("again")])
        let provider = try provider()
        _ = try await provider.load(service: server.endpoint())
        var service = server.endpoint(isPost ? .post : .get)
        service.isRepeatable = isRepeatable
        #expect(await provider.code(of: service) == (times == 1 ? .networkConnectionLost : nil))
        #expect(server.requests.count == times + 1)
    }

    @Test(.row("T4")) func aRequestWithAnIdempotencyKeyIsSentTwice() async throws {
        let server = try LoopbackServer(responses: [.text("warm"), .raw(""), .text("again")])
        let sent = Locked<Int64>(0)
        let provider = try provider().wrapped(
            in: Intercept.changing { $0.reportProgress { state in sent { $0 = state.sent } } })
        _ = try await provider.load(service: server.endpoint())
        var service = server.endpoint(.post, "pay")
        service.headers = ["Idempotency-Key": "7"]
        #expect(try await provider.text(of: service) == "again")
        #expect(sent { $0 } == 3)
        #expect(server.requests.dropFirst().map { $0.header("Idempotency-Key") } == ["7", "7"])
        #expect(server.requests.dropFirst().map(\.body) == [Data("pay".utf8), Data("pay".utf8)])
    }

    /// The server closes the first connection after 1 s, and never responds on the other one.
    @Test(.slow) func theTimeoutStartsAgainWithTheSecondAttempt() async throws {
        let end = Locked<Date?>(nil)
        let server = try RawServer { connection in
            guard connection.readHead().hasPrefix("GET /warm") else {
                return connection.waitForStop()
            }
            connection.write(Self.first)
            connection.readHead()
            Thread.sleep(forTimeInterval: 1)
            end { $0 = Date() }
        }
        defer { server.stop() }
        let provider = try provider()
        var service = TestService(
            baseURL: "http://127.0.0.1:\(server.port)", path: "/warm", timeout: 10)
        #expect(try await provider.text(of: service) == "first")
        service.path = "/silent"
        #expect(await provider.code(of: service) == .timedOut)
        let firstEnd = try #require(end { $0 })
        #expect(Date().timeIntervalSince(firstEnd) >= 10)
        #expect(server.connectionCount == 2)
    }

    /// If one idle connection is dead, a second one may be dead too, and the transport doesn't try a third time.
    @Test func theSecondAttemptUsesANewConnection() async throws {
        let arrivals = [DispatchSemaphore(value: 0), DispatchSemaphore(value: 0)]
        let server = try RawServer { connection in
            let head = connection.readHead()
            guard let index = Int(head.dropFirst("GET /".utf8.count).prefix(1)), index < 2 else {
                connection.write("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nnew")
                return
            }
            // The first two requests run at the same time, so there are two connections.
            arrivals[1 - index].signal()
            arrivals[index].waitForAMinute()
            connection.write(Self.first)
            connection.readHead()
        }
        let provider = try provider()
        let endpoints = (0...2).map {
            TestService(baseURL: "http://127.0.0.1:\(server.port)", path: "/\($0)", timeout: 60)
        }
        async let one = provider.text(of: endpoints[0])
        async let two = provider.text(of: endpoints[1])
        #expect(try await [one, two] == ["first", "first"])
        #expect(try await provider.text(of: endpoints[2]) == "new")
        #expect(server.connectionCount == 3)
        server.stop()
    }

    @Test(.slow, .row("P7")) func headersAndBodiesDoNotLeakIntoOtherRequests() async throws {
        let server = try LoopbackServer { _ in .text("ok") }
        let provider = try provider()
        for index in 0..<200 {
            var service = server.endpoint(
                index % 2 == 0 ? .post : .get, index % 2 == 0 ? "body" : nil)
            service.headers = ["X-\(index)": "1"]
            _ = try await provider.load(service: service)
        }
        for (index, request) in server.requests.enumerated() {
            let own = request.headers.map(\.name).filter { $0.hasPrefix("X-") }
            #expect(own == ["X-\(index)"])
            #expect(request.bodySize == (index % 2 == 0 ? 4 : 0))
        }
    }
}
#endif
