// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// Sends requests for any host to the test's server. Must be the innermost interceptor.
struct Elsewhere: ServiceInterceptor {
    let server: LoopbackServer

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        let url = try #require(request.urlRequest.url)
        var parts = try #require(URLComponents(url: url, resolvingAgainstBaseURL: false))
        let target = try #require(URLComponents(string: server.baseURL))
        (parts.scheme, parts.host, parts.port) = (target.scheme, target.host, target.port)
        try request.setHeader("X-Meant-For", to: url.host ?? "")
        request.urlRequest.url = parts.url
        return try await next(request)
    }
}

@MainActor @Suite(.serialized, .opensFiles, .timeLimit) struct HeroSearchTests {
    let server: LoopbackServer
    let search: HeroSearch

    init() throws {
        server = try LoopbackServer()
        search = HeroSearch(provider: ServiceProvider(interceptors: [Elsewhere(server: server)]))
    }

    private func find(_ text: String) async {
        await withCheckedContinuation { continuation in
            search.find(text) { continuation.resume() }
        }
    }

    @Test func resultsAreShown() async {
        server.enqueue(.json(#"{"data": {"results": [{"name": "Hulk"}, {"name": "Hulkling"}]}}"#))
        await find("Hulk")
        #expect(search.names == ["Hulk", "Hulkling"])
        #expect(search.message.isEmpty)
        #expect(
            server.requests.map(\.target) == [
                "/v1/public/characters?limit=20&nameStartsWith=Hulk"
            ])
    }

    @Test func anEmptyResponseClearsTheList() async {
        server.enqueue(.json(#"{"data": {"results": [{"name": "Hulk"}]}}"#))
        await find("Hul")
        #expect(search.names == ["Hulk"])
        server.enqueue(.statusCode(204))
        await find("Hulk")
        #expect(search.names.isEmpty)
        #expect(search.message.isEmpty)
    }

    @Test func failuresShowTheServersMessage() async {
        server.enqueue(.json(#"{"message": "You must provide a hash."}"#, statusCode: 409))
        await find("Hulk")
        #expect(search.message == "You must provide a hash.")
        server.enqueue(.json(#"{"data": {"results": [{"name": "Hulk"}]}}"#))
        await find("Hulk")
        #expect(search.message.isEmpty && search.names == ["Hulk"])
    }

    @Test func aNewSearchReplacesTheRunningOne() async {
        server.enqueue(.never)
        search.find("H") { Issue.record("The first search called its handler.") }
        await withCheckedContinuation { continuation in
            Thread.detachNewThread { [server] in
                _ = server.nextRequest(timeout: 300)
                continuation.resume()
            }
        }
        server.enqueue(.json(#"{"data": {"results": [{"name": "Hulk"}]}}"#))
        await find("Hu")
        #expect(search.names == ["Hulk"])
    }
}
