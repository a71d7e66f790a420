// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider

extension Probe {
    /// A 401 that asks for a password. The probe has none.
    static let basicChallenge = Probe(name: "basic-challenge", limit: 90) { _ in
        "The caller gets the 401 with its body, and each request is sent once."
    } run: { setting in
        let server = try LoopbackServer { _ in
            .text("Who are you?", statusCode: 401)
                .header("WWW-Authenticate", "Basic realm=\"probe\"")
        }
        let provider = try setting.provider()
        var get = Endpoint(baseURL: server.baseURL, path: "/get", timeout: 20)
        let loaded = await outcome(of: get, provider)
        get.path = "/post"
        get.method = .post
        get.body = .data(Data("hello".utf8))
        let posted = await outcome(of: get, provider)
        let counts = ["/get", "/post"].map { path in
            server.requests.count { $0.path == path }
        }
        let expected = "401 'Who are you?'"
        return .seen(
            "a GET ended with \(loaded) after \(counts[0]) request(s), a POST with \(posted) "
                + "after \(counts[1])",
            asDocumented: loaded == expected && posted == expected && counts == [1, 1])
    }

    private static func outcome(
        of endpoint: Endpoint, _ provider: ServiceProvider<Endpoint>
    ) async -> String {
        do {
            _ = try await provider.load(service: endpoint)
            return "a success"
        } catch ServiceError.unacceptableStatus(let response) {
            return "\(response.statusCode) '\(String(decoding: response.data, as: UTF8.self))'"
        } catch {
            return "'\(error)'"
        }
    }
}
