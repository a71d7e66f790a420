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

/// Keeps a token. Calls that need a new one at the same time share one refresh.
actor Session {
    private(set) var token: String
    private var refreshing: Task<String, any Error>?

    init(token: String) { self.token = token }

    /// Returns a new token, in place of the refused one.
    func refresh(_ refused: String, _ load: @escaping @Sendable () async throws -> String)
        async throws
        -> String
    {
        guard token == refused else { return token }
        let refresh = refreshing ?? Task { try await load() }
        refreshing = refresh
        defer { refreshing = nil }
        token = try await refresh.value
        return token
    }
}

/// Adds the token, and repeats a refused request once with a new one.
struct TokenInterceptor: ServiceInterceptor {
    let session: Session
    let refreshURL: URL

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        let token = await session.token
        let response = try await send(request, token, next)
        guard response.statusCode == 401 else { return response }
        let refreshURL = refreshURL
        let new = try await session.refresh(token) {
            let response = try await next(ServiceRequest(URLRequest(url: refreshURL)))
            return String(decoding: response.data, as: UTF8.self)
        }
        return try await send(request, new, next)
    }

    private func send(
        _ request: ServiceRequest, _ token: String, _ next: ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        request.urlRequest.setValue("Bearer \(token)", forHTTPHeaderField: "Authorization")
        return try await next(request)
    }
}

nonisolated struct AccountAPI: Service {
    let baseURL: String
    let path: String
}

@Suite(.serialized, .opensFiles, .timeLimit) struct TokenClientTests {
    @Test func twoRefusedCallsShareOneRefresh() async throws {
        let server = try LoopbackServer { request in
            if request.path == "/token" {
                return .text("new").delayed(by: 0.2)
            }
            return request.header("Authorization") == "Bearer new" ? .text("ok") : .statusCode(401)
        }
        let refreshURL = try #require(URL(string: server.baseURL + "/token"))
        let interceptor = TokenInterceptor(session: Session(token: "old"), refreshURL: refreshURL)
        let provider = ServiceProvider<AccountAPI>(interceptors: [interceptor])
        let account = AccountAPI(baseURL: server.baseURL, path: "/account")
        let orders = AccountAPI(baseURL: server.baseURL, path: "/orders")
        async let first = provider.load(service: account)
        async let second = provider.load(service: orders)
        #expect(try await [first, second] == [Data("ok".utf8), Data("ok".utf8)])
        #expect(server.requests.count { $0.path == "/token" } == 1)
        #expect(server.requests.count == 5)
    }
}
