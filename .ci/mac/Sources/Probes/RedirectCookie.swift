// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider

extension Probe {
    /// A cookie that a redirect sets.
    static let redirectCookie = Probe(name: "redirect-cookie", limit: 60) { setting in
        setting.isApple
            ? "A session stores cookies, and sends them again."
            : "No cookies are stored."
    } run: { setting in
        let server = try LoopbackServer { request in
            request.path == "/login"
                ? .redirect(to: "/home").header("Set-Cookie", "probe=1; Path=/")
                : .text(request.header("Cookie") ?? "no cookie")
        }
        let provider = try setting.provider()
        let home = try await provider.load(
            service: Endpoint(baseURL: server.baseURL, path: "/login"), decodeType: String.self)
        let later = try await provider.load(
            service: Endpoint(baseURL: server.baseURL, path: "/later"), decodeType: String.self)
        let expected = setting.isApple ? "probe=1" : "no cookie"
        return .seen(
            "the request after the redirect had '\(home)', and the next call '\(later)'",
            asDocumented: home == expected && later == expected)
    }
}
