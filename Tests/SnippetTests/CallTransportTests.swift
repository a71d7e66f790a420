// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestTraits
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Sessions and transports that an app passes to a provider.
@Suite(.serialized, .opensFiles, .timeLimit) struct CallTransportTests {
    private let server: LoopbackServer
    private let endpoint: Endpoint

    init() throws {
        server = try LoopbackServer()
        endpoint = Endpoint(baseURL: server.baseURL)
    }

    private func provider(
        _ change: (URLSessionConfiguration) -> Void
    ) -> ServiceProvider<Endpoint> {
        let configuration = URLSessionConfiguration.ephemeral
        change(configuration)
        return ServiceProvider(transport: URLSessionTransport(configuration: configuration))
    }

    @Test func aConfigurationHasHeaders() async throws {
        server.enqueue(.text("ok"))
        let provider = provider { $0.httpAdditionalHeaders = ["X-App": "1"] }
        try await provider.load(service: endpoint)
        #expect(server.requests.first?.header("X-App") == "1")
    }

    /// A request's default of a minute doesn't replace it.
    @Test func aConfigurationHasATimeout() async throws {
        server.enqueue(.never)
        let provider = provider { $0.timeoutIntervalForRequest = 1 }
        let start = ContinuousClock.now
        guard case .transport(let error) = await endpoint.failure(provider) else {
            Issue.record("It isn't a transport error.")
            return
        }
        #expect(error.code == .timedOut)
        #expect(ContinuousClock.now - start < .seconds(45))
    }

    /// URLSession on Linux traps at infinity.
    @Test func aConfigurationMayHaveNoTimeout() async throws {
        for seconds in [TimeInterval.infinity, .greatestFiniteMagnitude] {
            server.enqueue(.text("ok"))
            let provider = provider { $0.timeoutIntervalForRequest = seconds }
            #expect(try await provider.load(service: endpoint).count == 2)
        }
    }

    #if canImport(FoundationNetworking)
    /// URLSession on Linux would keep them in a file that everyone can read.
    @Test func noCookiesAreKeptByDefaultOnLinux() async throws {
        let name = "sid\(UInt64.random(in: 0 ... .max))"
        server.enqueue(.text("ok").header("Set-Cookie", "\(name)=1; Path=/; Max-Age=600"))
        server.enqueue(.text("ok"))
        let provider = ServiceProvider<Endpoint>()
        try await provider.load(service: endpoint)
        try await provider.load(service: endpoint)
        #expect(server.requests.last?.header("Cookie") == nil)
        let stored = HTTPCookieStorage.shared.cookies ?? []
        #expect(!stored.contains { $0.name == name })
    }
    #endif

    @Test func cookiesOfAConfigurationAreKept() async throws {
        server.enqueue(.text("ok").header("Set-Cookie", "sid=1; Path=/; Max-Age=600"))
        server.enqueue(.text("ok"))
        let provider = provider { _ in }
        try await provider.load(service: endpoint)
        try await provider.load(service: endpoint)
        #expect(server.requests.last?.header("Cookie") == "sid=1")
    }
}
