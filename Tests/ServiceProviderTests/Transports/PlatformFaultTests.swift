// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

// What the documentation says of URLSession on Linux, without this library. Newer toolchains mend some of it: what
// fails here then is to be told otherwise there.
#if os(Linux) && compiler(<6.4)

import Foundation
import FoundationNetworking
import LoopbackServer
import Testing

@Suite struct PlatformFaultTests {
    /// What a completion handler of URLSession gets.
    struct Outcome: Sendable {
        var data: Data?
        var status: Int?
        var error: URLError?
    }

    /// Without a cache: with one, a cancelled call can end the process.
    static func session() -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.urlCache = nil
        return URLSession(configuration: configuration)
    }

    /// One exchange, as any program would make it.
    static func load(_ request: URLRequest, in session: URLSession = session()) async -> Outcome {
        await withCheckedContinuation { continuation in
            session.dataTask(with: request) { data, response, error in
                let status = (response as? HTTPURLResponse)?.statusCode
                let outcome = Outcome(data: data, status: status, error: error as? URLError)
                continuation.resume(returning: outcome)
            }.resume()
        }
    }

    /// What a trap of Swift's is to the system.
    static var trap: ExitTest.Condition {
        #if arch(arm64)
        .signal(SIGTRAP)
        #else
        .signal(SIGILL)
        #endif
    }

    static func load(_ answer: LoopbackAnswer) async throws -> Outcome {
        let server = try LoopbackServer { _ in answer }
        return await load(URLRequest(url: try #require(URL(string: server.baseURL))))
    }

    @Test func aTrailerEndsTheProcess() async {
        await #expect(processExitsWith: Self.trap) {
            _ = try await Self.load(.text("x").chunked().trailers([("Expires", "0")]))
        }
    }

    @Test func aHeadThatIsCutEndsTheProcess() async {
        await #expect(processExitsWith: Self.trap) {
            _ = try await Self.load(.raw("HTTP/1.1 200 OK\r\nServer: x"))
        }
    }

    @Test func anAbsurdLengthEndsTheProcess() async {
        await #expect(processExitsWith: Self.trap) {
            _ = try await Self.load(.text("x").declaringLength("9223372036854775807"))
        }
    }

    @Test func whatIsCutLooksWhole() async throws {
        // Ten bytes of gzip's head, and a stored block of which nothing follows.
        let cut = Data([0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3, 0, 100, 0, 155, 255, 0x61, 0x62])
        let outcome = try await Self.load(.data(cut).header("Content-Encoding", "gzip"))
        #expect(outcome.error == nil)
        #expect(outcome.data == Data("ab".utf8))
    }

    @Test func aRedirectTakesTheCredentialToAnotherServer() async throws {
        let other = try LoopbackServer { _ in .text("other") }
        let server = try LoopbackServer { _ in .redirect(to: other.baseURL + "/x") }
        var request = URLRequest(url: try #require(URL(string: server.baseURL)))
        request.setValue("Bearer 1", forHTTPHeaderField: "Authorization")
        #expect(await Self.load(request).status == 200)
        #expect(other.requests.first?.header("Authorization") == "Bearer 1")
    }

    @Test func aRedirectLosesTheBody() async throws {
        let server = try LoopbackServer {
            $0.path == "/x" ? .text("taken") : .redirect(to: "/x", status: 307)
        }
        var request = URLRequest(url: try #require(URL(string: server.baseURL + "/")))
        request.httpMethod = "POST"
        request.httpBody = Data("order".utf8)
        #expect(await Self.load(request).status == 200)
        #expect(server.requests.map(\.bodySize) == [5, 0])
    }

    /// The process ends by its watchman: nothing has gone on for two seconds.
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

    /// The second time without the body, if it has one.
    ///
    /// Only on a connection that is kept, which URLSession may also have closed by then: so it is tried up
    /// to a hundred times. Otherwise the POST fails, and is sent once.
    @Test func aPOSTIsSentTwice() async throws {
        for _ in 0..<100 {
            let server = try LoopbackServer()
            let session = Self.session()
            var request = URLRequest(url: try #require(URL(string: server.baseURL)))
            server.enqueue(.text("kept"), .text("x").cut(.close, afterHeadBytes: 0), .text("again"))
            _ = await Self.load(request, in: session)
            request.httpMethod = "POST"
            let error = await Self.load(request, in: session).error
            let methods = server.requests.map(\.method)
            session.invalidateAndCancel()
            #expect(methods == ["GET", "POST"] + (error == nil ? ["POST"] : []))
            if error == nil { return }
        }
    }

    /// Nine tenths of a second are none: the call fails at once.
    @Test func aFractionOfASecondIsNone() async throws {
        let server = try LoopbackServer { _ in .text("late").delayed(by: 0.1) }
        var request = URLRequest(url: try #require(URL(string: server.baseURL)))
        request.timeoutInterval = 0.9
        #expect(await Self.load(request).error?.code == .timedOut)
    }
}

#endif
