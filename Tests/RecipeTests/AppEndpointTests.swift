// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@MainActor @Suite(.serialized, .opensFiles, .timeLimit) struct AppEndpointTests {
    let server: LoopbackServer
    let failures = Failures()
    let provider: ServiceProvider<AnyService>

    init() throws {
        server = try LoopbackServer()
        provider = .app(failures: failures, interceptors: [Elsewhere(server: server)])
    }

    struct User: Decodable {
        let id: Int
    }

    /// Waits until the tasks of the failure handler have run on the main actor. They started before
    /// this one.
    private func failure(_ call: () async throws -> Void) async -> any Error {
        do {
            try await call()
        } catch {
            await Task { @MainActor in }.value
            return error
        }
        Issue.record("The call succeeded.")
        return CancellationError()
    }

    @Test func parametersOfAGETAreInTheURL() async throws {
        server.enqueue(.json(#"[{"id": 1}]"#))
        let users = try await provider.load(UserEndpoint.find(name: "Dan Brown"), as: [User].self)
        #expect(users.map(\.id) == [1])
        let request = try #require(server.requests.first)
        #expect(request.target == "/v2/users?name=Dan%20Brown")
        #expect(request.header("X-Client") == "recipes/2.1")
        #expect(request.body.isEmpty)
    }

    @Test func otherMethodsSendJSON() async throws {
        server.enqueue(.json(#"{"id": 2}"#, statusCode: 201))
        _ = try await provider.load(UserEndpoint.create(name: "Dan", age: 55), as: User.self)
        let request = try #require(server.requests.first)
        #expect(request.method == "POST")
        #expect(request.target == "/v2/users")
        #expect(request.header("Content-Type") == "application/json")
        #expect(request.header("Accept-Language") == "en")
        #expect(request.body == Data(#"{"age":55,"name":"Dan"}"#.utf8))
    }

    @Test func anEndpointCanOverrideTheDefaults() async throws {
        server.enqueue(.text("…"))
        try await provider.load(service: AnyService(PictureEndpoint(id: 7)))
        let request = try #require(server.requests.first)
        #expect(request.target == "/7.png")
        #expect(request.header("X-Meant-For") == "images.example.com")
        #expect(request.header("X-Client") == nil)
    }

    @Test func everyFailureReachesTheHandler() async {
        server.enqueue(.statusCode(500))
        server.enqueue(.statusCode(401))
        _ = await failure {
            _ = try await provider.load(UserEndpoint.find(name: "x"), as: [User].self)
        }
        #expect(failures.alerts.count == 1)
        for alert in failures.alerts { transcribed(alert, as: .error) }
        #expect(failures.alerts.first == "GET /v2/users: The server has a problem.")
        #expect(!failures.isSignedOut)
        _ = await failure {
            try await provider.load(service: AnyService(UserEndpoint.remove(id: 1)))
        }
        #expect(failures.isSignedOut)
        #expect(failures.alerts.count == 1)
    }
}
