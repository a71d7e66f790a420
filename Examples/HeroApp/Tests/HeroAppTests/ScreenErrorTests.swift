// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTesting
import Testing

@testable import HeroApp

@Suite(.timeLimit(.minutes(1))) @MainActor struct ScreenErrorTests {
    @Test(arguments: [
        (
            ServiceStub.json(#"{"message": "Sign in again."}"#, statusCode: 401),
            ScreenError.message("Sign in again.")
        ),
        (.statusCode(503), .serverProblem),
        (.statusCode(404), .other),
        (.json("{}"), .other),
        (.error(URLError(.timedOut)), .unreachable),
    ])
    func anErrorIsInTheWordsOfTheServerOrTheApp(stub: ServiceStub, error: ScreenError) async {
        let model = HeroList(provider: .preview(stub))
        await model.search()
        #expect(model.phase == .failed(error))
    }

    @Test func eachCallHasTheToken() async throws {
        let stubs = ServiceStubs(responses: [.heroes])
        let model = HeroList(provider: .heroes(token: { "a-token" }, interceptors: [stubs]))
        await model.search()
        #expect(model.phase.value?.heroes.map(\.name) == ["Hulk", "Storm"])
        let request = try #require(stubs.requests.first)
        #expect(request.urlRequest.value(forHTTPHeaderField: "Authorization") == "Bearer a-token")
    }
}
