// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Alamofire
import Foundation
import LoopbackServer
import Moya
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The interceptor of a session, which changes requests and decides about retries.
@Suite(.serialized, .opensFiles, .timeLimit) struct MoyaInterceptorTests {
    /// Adds a header field, and decides alike about the first two responses with the status 500.
    struct Refresh: RequestInterceptor {
        let decision: RetryResult

        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {
            var request = urlRequest
            request.addValue("a", forHTTPHeaderField: "X-Added")
            completion(.success(request))
            // A second call has no effect.
            completion(.failure(URLError(.badURL)))
        }

        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            let isRefused = error.asAFError?.responseCode == 500
            let decides = isRefused && request.retryCount < 2
            completion(decides ? decision : .doNotRetry)
        }
    }

    /// Calls a server that always responds with the status 500. Returns the error, and the number of
    /// requests.
    private func call(_ decision: RetryResult) async throws -> (error: MoyaError?, requests: Int) {
        let server = try LoopbackServer { _ in .text("body", statusCode: 500) }
        var error: MoyaError?
        try await server.serve { () async throws in
            let session = Session(interceptor: Refresh(decision: decision))
            error = await #expect(throws: MoyaError.self) {
                try await MoyaProvider<Account>(session: session).request(.me)
            }
        }
        #expect(error?.response?.data == Data("body".utf8))
        #expect(server.requests.allSatisfy { $0.header("X-Added") == "a" })
        return (error, server.requests.count)
    }

    /// The decisions to send a request again.
    static let retries: [RetryResult] = [.retry, .retryWithDelay(0.001)]

    @Test(arguments: retries)
    func aRequestIsSentAgainUntilTheInterceptorStops(decision: RetryResult) async throws {
        let (error, requests) = try await call(decision)
        #expect(requests == 3)
        guard case .underlying(AFError.responseValidationFailed, _) = error else {
            Issue.record("\(String(describing: error))")
            return
        }
    }

    @Test func anInterceptorCanReplaceTheError() async throws {
        let (error, requests) = try await call(.doNotRetryWithError(URLError(.badURL)))
        #expect(requests == 1)
        guard case .underlying(AFError.requestRetryFailed(let cause, let original), _) = error
        else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(cause is URLError)
        #expect(original.asAFError?.isResponseValidationError == true)
    }

    /// Without validation, each status is a success, so the interceptor isn't asked.
    @Test(arguments: retries)
    func aTargetWithoutValidationIsSentOnce(decision: RetryResult) async throws {
        let server = try LoopbackServer { _ in .text("body", statusCode: 500) }
        try await server.serve { () async throws in
            let session = Session(interceptor: Refresh(decision: decision))
            let response = try await MoyaProvider<Bookshop>(session: session).request(.home)
            #expect(response.statusCode == 500)
        }
        #expect(server.requests.count == 1)
    }

    /// Sends each request that failed twice more.
    struct RetryTwice: RequestInterceptor {
        func retry(
            _ request: Request, for session: Session, dueTo error: any Error,
            completion: @escaping @Sendable (RetryResult) -> Void
        ) {
            completion(request.retryCount < 2 ? .retry : .doNotRetry)
        }
    }

    struct Download: TargetType {
        let file: URL
        var baseURL: URL { Server.url }
        var path: String { "/file" }
        var method: Moya.Method { .get }
        var task: Moya.Task { .downloadDestination { [file] _, _ in (file, []) } }
        var headers: [String: String]? { nil }
    }

    /// `DownloadRequest` without `validate` in Alamofire's Source/Core/DownloadRequest.swift: no status is an error.
    @Test(arguments: wires)
    func aDownloadWithoutValidationIsSentOnce(wire: TransportUnderTest) async throws {
        let file = FileManager.default.temporaryDirectory
            .appendingPathComponent("MoyaInterceptorTests-\(UUID().uuidString)")
        defer { try? FileManager.default.removeItem(at: file) }
        let server = try LoopbackServer { _ in .text("body", statusCode: 500) }
        try await server.serve { () async throws in
            let session = Session(transport: wire.make(), interceptor: RetryTwice())
            let response = try await MoyaProvider(session: session).request(Download(file: file))
            #expect(response.statusCode == 500)
        }
        #expect(server.requests.count == 1)
        #expect(try Data(contentsOf: file) == Data("body".utf8))
    }

    /// `DataRequest.validate(statusCode:)`: the status of a redirect may be one of the codes.
    @Test(arguments: wires)
    func aRedirectWhoseStatusIsValidIsSentOnce(wire: TransportUnderTest) async throws {
        for (codes, requests) in [([200, 302], 1), ([200], 3)] {
            let server = try LoopbackServer { _ in .redirect(to: "/there") }
            try await server.serve { () async throws in
                let session = Session(
                    transport: wire.make(), interceptor: RetryTwice(),
                    redirectHandler: Redirector.doNotFollow)
                let provider = MoyaProvider<Account>(session: session)
                let result = await provider.result(of: .list(codes: codes)).result
                #expect((try? result.get().statusCode) == (requests == 1 ? 302 : nil))
            }
            #expect(server.requests.count == requests)
        }
    }

    /// Never passes a request on.
    struct Silent: RequestInterceptor {
        func adapt(
            _ urlRequest: URLRequest, for session: Session,
            completion: @escaping @Sendable (Result<URLRequest, any Error>) -> Void
        ) {}
    }

    @Test func aCallThatWaitsForItsInterceptorCanBeCancelled() async {
        let provider = MoyaProvider<Bookshop>(session: Session(interceptor: Silent()))
        let result: MoyaResult = await withCheckedContinuation { continuation in
            let call = provider.request(.home) { continuation.resume(returning: $0) }
            call.cancel()
        }
        #expect(throws: MoyaError.self) { try result.get() }
    }

    @Test func aSessionCallsItsInterceptorOneAtATime() async throws {
        let server = try LoopbackServer { request in
            request.path == "/there" ? .text("", statusCode: 401) : .redirect(to: "/there")
        }
        let interceptor = TurnCounter()
        try await server.serve { () async throws in
            let session = Session(interceptor: interceptor, redirectHandler: interceptor)
            await withTaskGroup { group in
                for _ in 0..<10 {
                    group.addTask {
                        await #expect(throws: MoyaError.self) {
                            try await MoyaProvider<Account>(session: session).request(.me)
                        }
                    }
                }
            }
        }
        #expect(interceptor.overlaps { $0 } == 0)
        #expect(interceptor.calls { $0.count } == 3)
    }

    // MARK: - Redirects

    /// Traces redirects, as an app does. It decides later, on another thread.
    final class Trace: RedirectHandler, Sendable {
        let lines = Locked<[String]>([])
        let isFollowed: Bool
        init(isFollowed: Bool) { self.isFollowed = isFollowed }

        func task(
            _ task: URLSessionTask, willBeRedirectedTo request: URLRequest,
            for response: HTTPURLResponse, completion: @escaping @Sendable (URLRequest?) -> Void
        ) {
            let path = task.originalRequest?.url?.path ?? ""
            lines { $0.append("\(response.statusCode) of \(path) to \(request.url?.path ?? "")") }
            DispatchQueue.global().async { [isFollowed] in completion(isFollowed ? request : nil) }
        }
    }

    @Test(arguments: wires, [true, false])
    func aHandlerDecidesAboutRedirects(wire: TransportUnderTest, isFollowed: Bool) async throws {
        let server = try LoopbackServer { request in
            request.path == "/there" ? .text("there") : .redirect(to: "/there")
        }
        try await server.serve { () async throws in
            let handler = Trace(isFollowed: isFollowed)
            let plugin = HeaderPlugin()
            let provider = MoyaProvider<Bookshop>(
                session: Session(transport: wire.make(), redirectHandler: handler),
                plugins: [plugin])
            let response = try await provider.request(.home)
            #expect(response.statusCode == (isFollowed ? 200 : 302))
            #expect(handler.lines { $0 } == ["302 of /api to /there"])
            // A redirect isn't another attempt.
            #expect(plugin.sent.count == 1)
        }
        #expect(server.requests.count == (isFollowed ? 2 : 1))
    }

    @Test func aRedirectorFollowsChangesOrRefusesRedirects() async throws {
        let change: Redirector.Behavior = .modify { _, request, _ in
            var request = request
            request.headers.add(name: "X-Added", value: "a")
            return request
        }
        let cases: [(Redirector, [String?])] = [
            (.follow, [nil, nil]), (.doNotFollow, [nil]),
            (Redirector(behavior: change), [nil, "a"]),
        ]
        for (redirector, added) in cases {
            let server = try LoopbackServer(responses: [.redirect(to: "/there"), .text("there")])
            try await server.serve { () async throws in
                let session = Session(configuration: .ephemeral, redirectHandler: redirector)
                let response = try await MoyaProvider<Bookshop>(session: session).request(.home)
                #expect(response.statusCode == (added.count == 2 ? 200 : 302))
            }
            #expect(server.requests.map { $0.header("X-Added") } == added)
        }
    }
}
