// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

/// Swift Testing reflects values, such as a model that holds a provider.
@Suite struct ReflectionTests {
    @Test func interceptorsPrintNoSecrets() async throws {
        let secret = canary("secret")
        let transport = StubTransport {
            try $0.respond(200, headers: ["Cache-Control": "max-age=9"], data: Data(secret.utf8))
        }
        let provider = ServiceProvider<TestService>(
            transport: transport,
            interceptors: [
                ServiceAuthenticator(token: secret, authorization: ServiceAuthorization.bearer) {
                    _ in
                    secret
                },
                ServiceAuthorization.bearer(secret), ServiceCache(),
                ServiceStubs { _ in nil },
            ])
        let service = TestService(parameters: ["token": secret])
        let data = try await provider.load(service: service)
        #expect(String(decoding: data, as: UTF8.self) == secret)
        var text = "\(provider)"
        dump(provider, to: &text)
        #expect(!text.contains(secret))
    }

    @Test func recordingsAreNotPrinted() throws {
        let har = #"""
            {"log":{"entries":[{"request":{"method":"GET","url":"https://h/?token=canary"},
            "response":{"status":200,"headers":[{"name":"Set-Cookie","value":"sid=canary"}]}}]}}
            """#
        let replay = try ServiceReplay(data: Data(har.utf8))
        let provider = ServiceProvider<TestService>(interceptors: [replay])
        var text = "\(provider) \(replay)"
        dump([provider, replay] as [Any], to: &text)
        #expect(!text.contains("canary"))
        // A byte of "canary".
        #expect(!text.contains("- 97\n"))
    }
}
