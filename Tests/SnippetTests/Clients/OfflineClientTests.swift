// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

struct QuoteAPI: Service {
    var baseURL: String { "https://quotes.example.com" }
    var path: String { "/today" }
}

/// An app's own code, which gets its provider from outside.
struct QuoteLoader {
    let provider: ServiceProvider<QuoteAPI>

    func quote() async -> String {
        let texts = try? await provider.load(service: QuoteAPI(), decodeType: [String].self)
        return texts?.first ?? "No quote today"
    }
}

/// Responds in place of the server.
struct FakeServer: ServiceInterceptor {
    let statusCode: Int
    let text: String

    func intercept(
        _ request: ServiceRequest, next: @escaping ServiceNext
    ) async throws -> ServiceResponse {
        ServiceResponse(request: request, statusCode: statusCode, data: Data(text.utf8))
    }
}

@Suite struct OfflineClientTests {
    private func quote(_ statusCode: Int, _ text: String) async -> String {
        let server = FakeServer(statusCode: statusCode, text: text)
        return await QuoteLoader(provider: ServiceProvider(interceptors: [server])).quote()
    }

    @Test func codeIsTestedWithoutANetwork() async {
        #expect(await quote(200, #"["With great power…"]"#) == "With great power…")
        #expect(await quote(500, "") == "No quote today")
        #expect(await quote(200, "[") == "No quote today")
    }
}
