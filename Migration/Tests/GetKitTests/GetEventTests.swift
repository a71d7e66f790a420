// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import Get
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The order in which a call asks its delegate, and the values that the delegate gets.
///
/// The source is Get at 31249885. In Sources/Get/APIClient.swift, `makeURLRequest` builds a request and configures it,
/// `data(for:)` sends it, and `performRequest` sends it again. `send` asks for a decoder at the end.
@Suite(.serialized, .opensFiles, .timeLimit) struct GetEventTests {
    /// Refreshes its token when the response of a task has the status 401, as many apps do.
    final class Delegate: APIClientDelegate, Sendable {
        let events = Locked<[String]>([])
        private let token = Locked("old")

        private func add(_ event: String) { events { $0.append(event) } }

        func client(_ client: APIClient, willSendRequest request: inout URLRequest) async throws {
            let token = token { $0 }
            request.setValue(token, forHTTPHeaderField: "X-Token")
            add("willSend \(token)")
        }

        func client(
            _ client: APIClient, validateResponse response: HTTPURLResponse, data: Data,
            task: URLSessionTask
        ) throws {
            let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
            let token = task.originalRequest?.value(forHTTPHeaderField: "X-Token") ?? "none"
            add("validate \(status) of \(token)")
            guard (200..<300).contains(status) else {
                throw APIError.unacceptableStatusCode(status)
            }
        }

        func client(
            _ client: APIClient, shouldRetry task: URLSessionTask, error: Error, attempts: Int
        ) async throws -> Bool {
            let status = (task.response as? HTTPURLResponse)?.statusCode
            add(
                "retry \(attempts), \(status ?? 0), \((task.error as? URLError)?.code.rawValue ?? 0)"
            )
            guard status == 401, attempts < 3 else { return false }
            token { $0 = "new" }
            return true
        }

        func client<T>(
            _ client: APIClient, makeURLForRequest request: Get.Request<T>
        ) throws -> URL? {
            add("url")
            return nil
        }

        func client<T>(
            _ client: APIClient, encoderForRequest request: Get.Request<T>
        ) -> JSONEncoder? {
            add("encoder")
            return nil
        }

        func client<T>(
            _ client: APIClient, decoderForRequest request: Get.Request<T>
        ) -> JSONDecoder? {
            add("decoder")
            return nil
        }
    }

    let delegate = Delegate()

    func client(
        _ url: String, _ wire: TransportUnderTest, session: (any URLSessionDelegate)? = nil
    ) -> APIClient {
        APIClient(baseURL: URL(string: url)) {
            $0.transport = wire.make()
            $0.delegate = delegate
            $0.sessionDelegate = session
        }
    }

    static let building = ["url", "encoder", "configure"]

    @Test(arguments: wires)
    func aRetryUsesTheResponseOfItsTask(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer {
            $0.header("X-Token") == "new" ? .json(#"{"id": "1"}"#) : .statusCode(401)
        }
        let response = try await client(server.baseURL, wire).send(
            Request<Item>(path: "/item", method: .post, body: ["a": 1])
        ) { [delegate] _ in delegate.events { $0.append("configure") } }
        #expect(
            delegate.events { $0 } == Self.building + [
                "willSend old", "validate 401 of old", "retry 1, 401, 0", "willSend new",
                "validate 200 of new", "decoder",
            ])
        #expect(response.originalRequest?.value(forHTTPHeaderField: "X-Token") == "new")
        #expect(response.task.state == .completed)
        #expect((response.task.response as? HTTPURLResponse)?.statusCode == 200)
    }

    @Test(arguments: wires)
    func anErrorOfTheNetworkIsThatOfItsTask(wire: TransportUnderTest) async throws {
        // Nothing listens on port 1.
        await #expect(throws: URLError.self) {
            try await client("http://127.0.0.1:1", wire).send(Paths.ping)
        }
        let code = URLError.Code.cannotConnectToHost.rawValue
        #expect(delegate.events { $0.dropFirst(2) } == ["willSend old", "retry 1, 0, \(code)"])
    }

    /// As in Get: a request that can't be built isn't tried again.
    @Test func aRequestThatCannotBeSentIsNotRetried() async throws {
        let request = Request<Item>(path: "/item", method: .get, body: ["a": 1])
        await #expect(throws: ServiceError.self) {
            try await client("http://127.0.0.1:1", .ownSession).send(request)
        }
        #expect(delegate.events { !$0.contains { $0.hasPrefix("retry") } })
    }

    @Test func testsCanCreateResponses() throws {
        let url = try #require(URL(string: "https://example.com"))
        let http = HTTPURLResponse(
            url: url, statusCode: 201, httpVersion: nil, headerFields: nil)
        let task = URLSession.shared.dataTask(with: url)
        task.cancel()
        let response = Response(
            value: 1, data: Data(), response: try #require(http), task: task, metrics: nil)
        #expect(response.map { $0 + 1 }.value == 2)
        #expect(response.statusCode == 201)
        #expect(response.originalRequest?.url == url)
        #expect(response.metrics == nil)
    }

    // MARK: - Redirects

    /// The delegate of a session, which decides about redirects.
    final class Guard: NSObject, URLSessionTaskDelegate, Sendable {
        let seen = Locked<[String]>([])
        let decide: @Sendable (URLRequest) -> URLRequest?
        let isLate: Bool

        init(isLate: Bool = false, decide: @escaping @Sendable (URLRequest) -> URLRequest?) {
            self.isLate = isLate
            self.decide = decide
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            willPerformHTTPRedirection response: HTTPURLResponse, newRequest request: URLRequest,
            completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            let path = task.originalRequest?.url?.path ?? ""
            seen { $0.append("\(response.statusCode) of \(path) to \(request.url?.path ?? "")") }
            guard isLate else { return completionHandler(decide(request)) }
            DispatchQueue.global().async { [decide] in completionHandler(decide(request)) }
        }
    }

    @Test(arguments: wires)
    func aSessionsDelegateRefusesRedirects(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/there") }
        for isLate in [false, true] {
            let guardian = Guard(isLate: isLate) { _ in nil }
            let client = client(server.baseURL, wire, session: guardian)
            let error = await #expect(throws: APIError.self) { try await client.send(Paths.ping) }
            guard case .unacceptableStatusCode(302) = error else {
                Issue.record("\(String(describing: error))")
                return
            }
            #expect(guardian.seen { $0 } == ["302 of /System/Ping to /there"])
            await #expect(throws: APIError.self) { try await client.download(for: Paths.ping) }
        }
        #expect(server.requests.map(\.path) == Array(repeating: "/System/Ping", count: 4))
    }

    @Test func aSessionsDelegateIsThatOfTheClientsOwnSession() async throws {
        let server = try LoopbackServer { request in
            request.path == "/there" ? .text("there") : .redirect(to: "/there")
        }
        for isRefused in [true, false] {
            let client = APIClient(baseURL: URL(string: server.baseURL)) {
                $0.sessionConfiguration = .ephemeral
                $0.sessionDelegate = Guard { isRefused ? nil : $0 }
            }
            let response = try? await client.send(Paths.ping)
            #expect(response?.value == (isRefused ? nil : "there"))
        }
        #expect(server.requests.count == 3)
    }

    @Test(arguments: wires)
    func aSessionsDelegateChangesRedirects(wire: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [
            .redirect(to: "/there", statusCode: 307), .text("there"),
        ])
        let guardian = Guard { request in
            var request = request
            request.setValue("a", forHTTPHeaderField: "X-Added")
            return request
        }
        let folder = try TemporaryFolder()
        let file = try folder.write("picture", to: "a.png")
        let request = Request<String>(path: "/here", method: .post)
        let response = try await client(server.baseURL, wire, session: guardian).upload(
            for: request, fromFile: file)
        #expect(response.value == "there")
        #expect(response.originalRequest?.url?.path == "/here")
        #expect(response.currentRequest?.url?.path == "/there")
        #expect(server.requests.map(\.text) == ["picture", "picture"])
        #expect(server.requests.map { $0.header("X-Added") } == [nil, "a"])
    }

    /// As without a delegate. An interceptor's credential is for the first server.
    @Test(arguments: wires)
    func interceptorsDoNotSeeTheRequestAfterARedirect(wire: TransportUnderTest) async throws {
        let other = try LoopbackServer { _ in .text("there") }
        let server = try LoopbackServer { _ in .redirect(to: "\(other.baseURL)/there") }
        let client = APIClient(baseURL: URL(string: server.baseURL)) {
            $0.transport = wire.make()
            $0.sessionDelegate = Guard { $0 }
            $0.interceptors = [ServiceAuthorization.bearer("canary")]
        }
        #expect(try await client.send(Paths.ping).value == "there")
        #expect(server.requests.map { $0.header("Authorization") } == ["Bearer canary"])
        #expect(other.requests.map { $0.header("Authorization") } == [nil])
    }

    /// Redirects each request to a path, without a network.
    struct Redirecting: ServiceTransport {
        let sent = Locked<[String]>([])

        func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            sent { $0.append(request.urlRequest.url?.absoluteString ?? "") }
            return ServiceResponse(
                request: request, statusCode: 302, headers: ["Location": "/there"])
        }
    }

    @Test func aDelegateCannotLeaveHTTPS() async throws {
        let transport = Redirecting()
        let client = APIClient(baseURL: URL(string: "https://example.com")) {
            $0.transport = transport
            $0.sessionDelegate = Guard { _ in
                URL(string: "http://example.com/there").map { URLRequest(url: $0) }
            }
        }
        await #expect(throws: APIError.self) { try await client.send(Paths.ping) }
        #expect(transport.sent { $0 } == ["https://example.com/System/Ping"])
    }

    @Test func redirectsThatADelegateAllowsEnd() async throws {
        let server = try LoopbackServer { _ in .redirect(to: "/again") }
        let guardian = Guard { $0 }
        await #expect(throws: APIError.self) {
            try await client(server.baseURL, .ownSession, session: guardian).send(Paths.ping)
        }
        #expect(server.requests.count == 21)
    }
}
