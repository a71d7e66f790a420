// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Hears of the failures of all calls.
final class Failures: BuckoErrorHandler {
    var paths: [String] = []
    func buckoRequest(request: URLRequest, error: Error) { paths.append(request.url?.path ?? "") }
}

@MainActor @Suite(.serialized, .opensFiles, .timeLimit) struct BuckoKitTests {
    let failures = Failures()

    init() { Bucko.shared.delegate = failures }

    @Test(
        arguments: [
            (UserEndpoint.user(id: "7"), "GET /users/7", "", nil),
            (.search(name: "a b", isActive: true), "GET /users/?active=1&name=a%20b", "", nil),
            (
                .create(name: "é"), "POST /users/", #"{"name":"é","roles":["reader"]}"#,
                "application/json"
            ),
            (
                .login(name: "a", password: "b+c"), "POST /login", "name=a&password=b%2Bc",
                "application/x-www-form-urlencoded"
            ),
        ] as [(UserEndpoint, String, String, String?)])
    func requestsArrive(endpoint: UserEndpoint, line: String, body: String, type: String?)
        async throws
    {
        let server = try LoopbackServer { _ in .json("{}") }
        userServer = server.baseURL
        Bucko.shared.request(endpoint) { _ in }
        let request = try await server.arrival()
        #expect("\(request.method) \(request.target)" == line)
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        #expect(request.header("Content-Type") == type)
        #expect(request.header("Authorization") == "Bearer SOME_TOKEN")
    }

    /// As in Alamofire without `validate()`, JSON is a success whatever its status. Nil is a server that refuses the
    /// connection.
    @Test(
        arguments: [
            (LoopbackResponse.json(#"{"name": "Ada"}"#), "Ada", false),
            (.json(#"{"message": "log in"}"#, status: 401), "log in", false),
            (.json(#"{"message": "sorry"}"#, status: 500), "sorry", false),
            (.status(204), nil, false), (.status(401), nil, true), (.json("{"), nil, true),
            (nil, nil, true),
        ] as [(LoopbackResponse?, String?, Bool)])
    func outcomesReachTheHandler(response: LoopbackResponse?, name: String?, fails: Bool)
        async throws
    {
        let server = try response.map { try LoopbackServer(responses: [$0]) }
        userServer = server?.baseURL ?? "http://127.0.0.1:1"
        let (value, error) = await user()
        #expect(value == name)
        #expect((error != nil) == fails)
        #expect(failures.paths == (fails ? ["/users/1"] : []))
        #expect(server != nil || (error as? URLError)?.code == .cannotConnectToHost)
    }

    @Test func theResponseHasItsStatusAndBody() async throws {
        let server = try LoopbackServer(responses: [.json("[1]", status: 418).header("X-A", "b")])
        userServer = server.baseURL
        let response = await withCheckedContinuation { continuation in
            Bucko.shared.request(endpoint: Health()) { continuation.resume(returning: $0) }
        }
        #expect(response.response?.statusCode == 418)
        #expect(response.response?.value(forHTTPHeaderField: "X-A") == "b")
        #expect(response.data == Data("[1]".utf8))
        #expect(response.request?.url?.path == "/health")
        #expect(response.result.value as? [Int] == [1])
    }

    @Test func aRequestCanBeCancelled() async throws {
        let server = try LoopbackServer { _ in .never }
        userServer = server.baseURL
        let (_, error) = await user { request in
            Task {
                _ = try? await server.arrival()
                request.cancel()
            }
        }
        #expect((error as? URLError)?.code == .cancelled)
        #expect(failures.paths == ["/users/1"])
    }

    private func user(_ started: (Request) -> Void = { _ in }) async -> (String?, Error?) {
        await withCheckedContinuation { continuation in
            started(UserStore().name(of: "1") { continuation.resume(returning: ($0, $1)) })
        }
    }
}
