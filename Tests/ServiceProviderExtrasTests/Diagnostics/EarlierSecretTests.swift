// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderBodies
import ServiceProviderDiagnostics
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

/// A server repeats a secret that neither the first nor the last request has: an inner interceptor or a
/// redirect added it, and the next redirect dropped it.
@Suite(.serialized, .opensFiles, .timeLimit) struct EarlierSecretTests {
    enum Place: CaseIterable { case query, header, redirect }

    private let key = canary("key")

    private func load(_ place: Place, _ interceptor: any ServiceInterceptor) async throws {
        let other = try LoopbackServer { [key] _ in .text("'\(key)' is wrong") }
        let server = try LoopbackServer { [key] request in
            switch request.path {
            case "/0" where place == .redirect: .redirect(to: "/1?token=\(key)")
            case "/0": .redirect(to: "/1")
            default: .redirect(to: "\(other.baseURL)/2?ref=\(key)")
            }
        }
        let inner: [any ServiceInterceptor] =
            switch place {
            case .query: [ServiceAuthorization.query("apikey", key)]
            case .header: [ServiceAuthorization.bearer(key)]
            case .redirect: []
            }
        let provider = ServiceProvider<TestService>(interceptors: [interceptor] + inner)
        _ = try await provider.load(service: server.service("/0"))
    }

    @Test(arguments: Place.allCases) func logsHideIt(_ place: Place) async throws {
        let text = Locked("")
        try await load(place, ServiceLog(.bodies) { entry in text { $0 += entry } })
        let log = transcribed(text { $0 }, as: .log)
        #expect(log.contains("/2?ref=*** → 200") && !log.contains(key), "\(log)")
        #expect(log.contains("'***' is wrong"))
    }

    @Test(arguments: Place.allCases) func recordingsHideIt(_ place: Place) async throws {
        let folder = try TemporaryFolder()
        try await load(place, ServiceRecorder(file: folder.file("a.har")))
        let text = try #require(folder.text(of: "a.har"))
        #expect(text.contains("'***' is wrong") && !text.contains(key), "\(text)")
    }
}
