// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import Testing

/// Adds an API key to each request.
struct APIKey: ServiceInterceptor {
    let key: String

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        var request = request
        request.urlRequest.setValue(key, forHTTPHeaderField: "X-Api-Key")
        return try await next(request)
    }
}

struct WeatherAPI: Service {
    let baseURL: String
    var path: String { "/weather" }
}

@Suite(.timeLimit(.minutes(3))) struct KeyClientTests {
    @Test func theKeyIsSent() async throws {
        let server = try LoopbackServer { request in
            request.header("X-Api-Key") == "abc" ? .json(#"["sun"]"#) : .status(403)
        }
        let endpoint = WeatherAPI(baseURL: server.baseURL)
        let provider = ServiceProvider<WeatherAPI>(interceptors: [APIKey(key: "abc")])
        let weather = try await provider.load(service: endpoint, decodeType: [String].self)
        #expect(weather == ["sun"])
    }
}
