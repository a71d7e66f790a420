// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// Calls whose errors the suites of this folder read.
enum ErrorText {
    struct Page: Decodable {
        struct Contents: Decodable {
            var results: [Item]
        }
        struct Item: Decodable {
            var id: Int
        }
        var data: Contents
    }

    /// A response without a network.
    static func response(
        _ status: Int = 200, headers: [String: String] = [:], _ body: String = ""
    ) -> StubTransport {
        StubTransport {
            ServiceResponse(
                request: $0, statusCode: status, headers: headers, data: Data(body.utf8))
        }
    }

    static func failing(_ error: any Error) -> StubTransport {
        StubTransport { _ in throw error }
    }

    static let characters = TestService(baseURL: "https://api.example.com/v1", path: "/characters")

    /// The error of a call that decodes a `Page`.
    static func error(
        of endpoint: TestService = characters, over transport: StubTransport = response(),
        interceptors: [any ServiceInterceptor] = []
    ) async -> ServiceError? {
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: interceptors)
        do {
            _ = try await provider.load(service: endpoint, decodeType: Page.self)
            return nil
        } catch {
            transcribed("\(error)", as: .error)
            return error as? ServiceError
        }
    }
}
