// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider

extension Probe {
    /// A permanent redirect that may be cached, requested twice.
    static let cachedRedirect = Probe(name: "cached-redirect", limit: 60) { setting in
        let reload = "With `.reloadIgnoringLocalCacheData`, the server is asked each time."
        return setting.isApple ? reload : "The server is asked each time."
    } run: { setting in
        let server = try LoopbackServer { request in
            request.path == "/old"
                ? .redirect(to: "/new", statusCode: 301).header("Cache-Control", "max-age=3600")
                : .text("new")
        }
        let provider = try setting.provider()
        var endpoint = Endpoint(baseURL: server.baseURL, path: "/old")
        let usual = try await requests(of: endpoint, provider, server)
        endpoint.cachePolicy = .reloadIgnoringLocalCacheData
        let reloading = try await requests(of: endpoint, provider, server)
        return .seen(
            "of 2 calls, \(usual) asked the server for the redirect, and with "
                + "`.reloadIgnoringLocalCacheData` \(reloading)",
            asDocumented: reloading == 2 && (setting.isApple || usual == 2))
    }

    /// Loads an endpoint twice, and returns how often the server was asked for it.
    private static func requests(
        of endpoint: Endpoint, _ provider: ServiceProvider<Endpoint>, _ server: LoopbackServer
    ) async throws -> Int {
        let count = { server.requests.count { $0.path == endpoint.path } }
        let before = count()
        for _ in 0..<2 {
            let body = try await provider.load(service: endpoint)
            guard body == Data("new".utf8) else { throw CocoaError(.fileReadCorruptFile) }
        }
        return count() - before
    }
}
