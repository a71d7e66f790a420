// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport

/// An authenticator with numbers as tokens: each refresh adds one.
struct CountingTokens: Sendable {
    let refreshes: Milestones
    let authenticator: ServiceAuthenticator<Int>

    init() {
        let refreshes = Milestones()
        authenticator = ServiceAuthenticator(token: 0) {
            ServiceAuthorization.bearer("\(canary("number"))-\($0)")
        } refresh: { token in
            refreshes.pass()
            return (token ?? 0) + 1
        }
        self.refreshes = refreshes
    }
}

/// A server that accepts one token, and returns it at `/token`.
final class TokenServer: Sendable {
    static let old = canary("old token")
    static let new = canary("new token")

    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { request in
            if request.path == "/token" { return .text(Self.new) }
            let isGood = request.header("Authorization") == "Bearer \(Self.new)"
            let words = "not with \(request.header("Authorization") ?? "nothing")"
            return isGood ? .text("good") : .text(words, statusCode: 401)
        }
    }

    var service: TestService { server.service("/call") }

    /// The `Authorization` headers of all requests but those to `/token`, in order.
    var tokens: [String?] {
        server.requests.filter { $0.path != "/token" }.map {
            $0.header("Authorization")
        }
    }

    var refreshCount: Int { server.requests.filter { $0.path == "/token" }.count }

    func provider(
        _ interceptors: any ServiceInterceptor..., transport: TransportUnderTest = .ownSession
    ) -> ServiceProvider<TestService> {
        ServiceProvider(transport: transport.make(), interceptors: interceptors)
    }

    /// An authenticator that gets its token from the server, through a provider of its own.
    func authenticator(token: String? = TokenServer.old) -> ServiceAuthenticator<String> {
        let logins = provider()
        let login = TestService(baseURL: server.baseURL, path: "/token", method: .post)
        return ServiceAuthenticator(token: token) {
            ServiceAuthorization.bearer($0)
        } refresh: { _ in
            String(decoding: try await logins.load(service: login), as: UTF8.self)
        }
    }
}
