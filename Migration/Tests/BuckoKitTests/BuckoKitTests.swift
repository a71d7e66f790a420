// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProviderExtras
import TestSupport
import Testing

/// Hears of the failures of all calls.
final class Failures: BuckoErrorHandler {
    var paths: [String] = []
    func buckoRequest(request: URLRequest, error: Error) { paths.append(request.url?.path ?? "") }
}

@MainActor @Suite(.serialized, .opensFiles, .timeLimit) struct BuckoKitTests {
    let failures = Failures()

    init() { Bucko.shared.delegate = failures }

    @Test(arguments: [
        (UserEndpoint.user(id: "7"), "GET /users/7", ""),
        (.search(name: "a b", isActive: true), "GET /users/?active=1&name=a%20b", ""),
        (.create(name: "é"), "POST /users/", #"{"name":"é","roles":["reader"]}"#),
        (.login(name: "a", password: "b+c"), "POST /login", "name=a&password=b%2Bc"),
    ])
    func requestsArrive(endpoint: UserEndpoint, line: String, body: String) async throws {
        let server = try LoopbackServer { _ in .json("{}") }
        userServer = server.baseURL
        Bucko.shared.request(endpoint) { _ in }
        let request = try await server.arrival()
        #expect("\(request.method) \(request.target)" == line)
        #expect(String(decoding: request.body, as: UTF8.self) == body)
        let types = ["{": "application/json", "n": "application/x-www-form-urlencoded"]
        #expect(request.header("Content-Type") == types[String(body.prefix(1))])
        #expect(request.header("Authorization") == "Bearer SOME_TOKEN")
    }

    /// As in Alamofire without `validate()`, JSON is a success whatever its status. Nil is a server that refuses the
    /// connection.
    @Test(
        arguments: [
            (.json(#"{"name": "Ada"}"#), "200 Ada", false), (.statusCode(204), "204 ", false),
            (.json(#"{"name": "log in"}"#, statusCode: 401), "401 log in", false),
            (.json(#"{"name": "sorry"}"#, statusCode: 500), "500 sorry", false),
            (.statusCode(401), "401 0", true), (.json("{"), "200 1", true), (nil, "none, 0", true),
        ] as [(LoopbackResponse?, String?, Bool)])
    func outcomesArrive(response: LoopbackResponse?, name: String?, fails: Bool) async throws {
        let server = try response.map { try LoopbackServer(responses: [$0]) }
        userServer = server?.baseURL ?? "http://127.0.0.1:1"
        let (value, error) = await withCheckedContinuation { continuation in
            UserStore().name(of: "1") { continuation.resume(returning: ($0, $1)) }
        }
        #expect(value == name)
        #expect((error != nil) == fails)
        #expect(failures.paths == (fails ? ["/users/1"] : []))
        #expect(server != nil || (error as? URLError)?.code == .cannotConnectToHost)
    }

    @Test func aRequestCanBeCancelled() async throws {
        let server = try LoopbackServer { _ in .never }
        userServer = server.baseURL
        let error = await withCheckedContinuation { continuation in
            let request = Bucko.shared.request(endpoint: Health()) {
                continuation.resume(returning: $0.result.error as? URLError)
            }
            Task {
                _ = try? await server.arrival()
                request.cancel()
            }
        }
        #expect(error?.code == .cancelled)
        #expect(failures.paths == ["/health"])
    }

    /// As in Alamofire, an empty body is a success here, and a closed connection isn't.
    @Test(
        arguments: [(.text("jpeg"), "jpeg"), (.text(""), ""), (.statusCode(204), ""), (nil, nil)]
            as [(LoopbackResponse?, String?)])
    func bytesArrive(response: LoopbackResponse?, text: String?) async throws {
        let server = try response.map { try LoopbackServer(responses: [$0]) }
        userServer = server?.baseURL ?? "http://127.0.0.1:1"
        let (data, isSuccess) = await withCheckedContinuation { continuation in
            let call = PhotoStore().load(id: 1) {
                continuation.resume(returning: ($0.result.value, $0.result.isSuccess))
            }
            #expect(!call.isCancelled)
        }
        #expect(isSuccess == (response != nil))
        #expect(data == text.map { Data($0.utf8) })
    }
}
