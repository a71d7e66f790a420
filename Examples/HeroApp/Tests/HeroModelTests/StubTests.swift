// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import HeroModel
import ServiceProvider
import ServiceProviderTesting
import Testing

/// The list of heroes, with stubs in place of a server.
@Suite(.timeLimit(.minutes(1))) struct StubTests {
    @Test func eachCallHasTheToken() async throws {
        let stubs = ServiceStubs(responses: [.json(#"[{"id": 5, "name": "Storm"}]"#)])
        let model = HeroList(provider: .heroes(token: { "a-token" }, interceptors: [stubs]))
        await model.load()
        #expect(model.heroes.map(\.name) == ["Storm"])
        let request = try #require(stubs.requests.first)
        #expect(request.urlRequest.value(forHTTPHeaderField: "Authorization") == "Bearer a-token")
    }

    @Test(arguments: [
        (ServiceStub.json(#"{"message": "Sign in again."}"#, statusCode: 401), "Sign in again."),
        (.statusCode(503), "The server has a problem."),
        (.error(URLError(.timedOut)), "The heroes can't be reached. Are you online?"),
    ])
    func errorsAreInTheWordsOfTheServerOrTheApp(stub: ServiceStub, text: String) async throws {
        let stubs = ServiceStubs(responses: [stub])
        let model = HeroList(provider: .heroes(token: { nil }, interceptors: [stubs]))
        await model.load()
        #expect(model.errorText == text)
    }
}
