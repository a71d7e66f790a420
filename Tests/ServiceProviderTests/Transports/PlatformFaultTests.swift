// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// Reproduces the faults of URLSession on Linux that the documentation describes, without this
// library. Newer toolchains fix some of them: if a test fails here, update the documentation.
#if os(Linux) && compiler(<6.4)

import Foundation
import FoundationNetworking
import LoopbackServer
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct PlatformFaultTests {
    /// The values that a completion handler of URLSession receives.
    struct Outcome: Sendable {
        var data: Data?
        var status: Int?
        var error: URLError?
    }

    /// Creates a session without a cache. With one, a cancelled call can crash the process.
    static func session() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }

    /// Sends one request with plain URLSession.
    static func load(_ request: URLRequest, in session: URLSession = session()) async -> Outcome {
        await withCheckedContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                let status = (response as? HTTPURLResponse)?.statusCode
                let outcome = Outcome(data: data, status: status, error: error as? URLError)
                continuation.resume(returning: outcome)
            }.resume()
        }
    }

    /// The exit signal of a Swift trap.
    static var trap: ExitTest.Condition {
        #if arch(arm64)
        .signal(SIGTRAP)
        #else
        .signal(SIGILL)
        #endif
    }

    static func load(_ answer: LoopbackResponse) async throws -> Outcome {
        let server = try LoopbackServer { _ in answer }
        return await load(URLRequest(url: try #require(URL(string: server.baseURL))))
    }

    @Test func addressesOfIPv6AreRefused() async throws {
        let url = try #require(URL(string: "http://[::1]:1/"))
        #expect(await Self.load(URLRequest(url: url)).error?.code == .badURL)
    }

    @Test func aTrailerEndsTheProcess() async {
        await #expect(processExitsWith: Self.trap) {
            _ = try await Self.load(.text("x").chunked().trailers([("Expires", "0")]))
        }
    }

    @Test func truncatedHeadersEndTheProcess() async {
        await #expect(processExitsWith: Self.trap) {
            _ = try await Self.load(.raw("HTTP/1.1 200 OK\r\nServer: x"))
        }
    }

    @Test func anAbsurdLengthEndsTheProcess() async {
        await #expect(processExitsWith: Self.trap) {
            _ = try await Self.load(.text("x").declaringLength("9223372036854775807"))
        }
    }

    @Test func truncatedGzipLooksComplete() async throws {
        // Ten bytes of gzip header, and a stored block of 100 bytes that ends after two.
        let cut = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0, 100, 0, 155, 255, 0x61, 0x62])
        let outcome = try await Self.load(.data(cut).header("Content-Encoding", "gzip"))
        #expect(outcome.error == nil)
        #expect(outcome.data == Data("ab".utf8))
    }

    @Test func redirectsSendCredentialsToAnotherServer() async throws {
        let other = try LoopbackServer { _ in .text("other") }
        let server = try LoopbackServer { _ in .redirect(to: other.baseURL + "/x") }
        var request = URLRequest(url: try #require(URL(string: server.baseURL)))
        request.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
        #expect(await Self.load(request).status == 200)
        #expect(other.requests.first?.header("Authorization") == "Bearer 1")
    }

    @Test func redirectsLoseTheBody() async throws {
        let server = try LoopbackServer {
            $0.path == "/x" ? .text("taken") : .redirect(to: "/x", status: 307)
        }
        var request = URLRequest(url: try #require(URL(string: server.baseURL + "/")))
        request.httpMethod = "POST"
        request.httpBody = Data("order".utf8)
        #expect(await Self.load(request).status == 200)
        #expect(server.requests.map(\.bodySize) == [5, 0])
    }

    /// A watchdog ends the process when nothing has finished for two seconds.
    @Test func aCancelledCallBlocksAllSessions() async {
        await #expect(processExitsWith: .exitCode(9)) {
            let server = try LoopbackServer { _ in .text("x") }
            let url = try #require(URL(string: server.baseURL))
            let beat = DispatchSemaphore(value: 0)
            Thread.detachNewThread {
                while beat.wait(timeout: .now() + 2) == .success {}
                exit(9)
            }
            let session = Self.session()
            var random = SystemRandomNumberGenerator()
            for _ in 0..<10_000 {
                let call = Task { try await session.data(for: URLRequest(url: url)) }
                try await Task.sleep(nanoseconds: random.next(upperBound: UInt64(1_000_000)))
                call.cancel()
                _ = await call.result
                beat.signal()
            }
        }
    }

    /// URLSession resends the POST on a new connection, without its body if it had one.
    ///
    /// This happens only on a reused connection, which URLSession may also have closed in the
    /// meantime. The POST then fails and is sent once, so the test tries up to a hundred times.
    @Test func aPOSTIsSentTwice() async throws {
        for _ in 0..<100 {
            let server = try LoopbackServer()
            let session = Self.session()
            var request = URLRequest(url: try #require(URL(string: server.baseURL)))
            server.enqueue(
                .text("kept"), .text("x").cut(.close, afterHeaderBytes: 0), .text("again"))
            _ = await Self.load(request, in: session)
            request.httpMethod = "POST"
            let error = await Self.load(request, in: session).error
            let methods = server.requests.map(\.method)
            session.invalidateAndCancel()
            #expect(methods == ["GET", "POST"] + (error == nil ? ["POST"] : []))
            if error == nil { return }
        }
        Issue.record("URLSession never sent the POST again in 100 attempts")
    }

    /// A timeout of 0.9 seconds is cut to zero, so the call fails immediately.
    @Test func fractionsOfASecondAreCutOff() async throws {
        let server = try LoopbackServer { _ in .text("late").delayed(by: 0.1) }
        var request = URLRequest(url: try #require(URL(string: server.baseURL)))
        request.timeoutInterval = 0.9
        #expect(await Self.load(request).error?.code == .timedOut)
    }

    /// A call that waits for a response uses a second of processor time within a minute.
    @Test func aWaitingCallUsesProcessorTime() async {
        await #expect(processExitsWith: .exitCode(9)) {
            let server = try LoopbackServer { _ in .never }
            let url = try #require(URL(string: server.baseURL))
            let call = Task { await Self.load(URLRequest(url: url)) }
            let start = processTime()
            for _ in 0..<600 where processTime() - start < 1 {
                try await Task.sleep(nanoseconds: 100_000_000)
            }
            call.cancel()
            exit(processTime() - start < 1 ? 0 : 9)
        }
    }
}

#endif
