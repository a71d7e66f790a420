// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Whatever is printed of a call, in whichever way, holds nothing that was secret in it.
@Suite struct SecretPrintingTests {
    /// Answers with what it was sent, or fails with an error that holds it, as the platform's do.
    struct Echo: ServiceTransport {
        var status: Int?
        var body: @Sendable (URLRequest) -> String = { _ in "" }

        func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            guard let url = request.urlRequest.url, let status,
                let http = HTTPURLResponse(
                    url: url, statusCode: status, httpVersion: nil, headerFields: nil)
            else {
                let info: [String: Any] = [
                    NSURLErrorFailingURLErrorKey: request.urlRequest.url as Any,
                    "NSErrorFailingURLStringKey": request.urlRequest.url?.absoluteString
                        ?? "",
                ]
                throw URLError(.timedOut, userInfo: info)
            }
            let data = Data(body(request.urlRequest).utf8)
            return ServiceResponse(request: request, http: http, data: data)
        }
    }

    private struct Holder {
        let request: ServiceRequest
    }

    /// Each holds `hunter2` in another place.
    static let endpoints: [@Sendable () -> BuildingEndpoint] = [
        { BuildingEndpoint(baseURL: "https://joe:hunter2@example.com/api") },
        { BuildingEndpoint(baseURL: "https://hunter2@example.com/api") },
        { BuildingEndpoint(baseURL: "https://example.com/api?apikey=hunter2") },
        { BuildingEndpoint(parameters: ["token": "hunter2"]) },
        { BuildingEndpoint(parameters: ["name": "hunter2"]) },
        { BuildingEndpoint(headers: ["Authorization": "Bearer hunter2"]) },
        { BuildingEndpoint(headers: ["X-Plain": "hunter2"]) },
        { BuildingEndpoint(headers: ["Cookie": "a=b; c=hunter2"]) },
        { BuildingEndpoint(method: .post, parameters: ["password": "hunter2"]) },
        { BuildingEndpoint(method: .post, body: .form(["password": "hunter2"])) },
        { BuildingEndpoint(method: .post, body: .json(["password": "hunter2"])) },
        { BuildingEndpoint(method: .post, body: .data(Data("hunter2".utf8))) },
    ]

    private func printings(_ value: some Any) -> [String] {
        var printed = ""
        print(value, terminator: "", to: &printed)
        var debugPrinted = ""
        debugPrint(value, terminator: "", to: &debugPrinted)
        return [
            printed, debugPrinted, String(describing: value), String(reflecting: value),
            "\(value)", "\(Optional(value) as Any)", "\([value])", "\(["k": value])",
            "\((value, 1))",
        ]
    }

    @Test(arguments: endpoints.indices) func requestsAndResponsesPrintNoSecret(
        _ index: Int
    ) async throws {
        let service = Self.endpoints[index]()
        let request = try service.request()
        let provider = ServiceProvider<BuildingEndpoint>(transport: Echo(status: 200))
        let response = try await provider.response(for: service)
        let texts = printings(request) + printings(Holder(request: request)) + printings(response)
        for text in texts {
            #expect(!text.contains("hunter2"))
            #expect(text.contains("/api"))
        }
    }

    @Test(arguments: endpoints.indices) func errorsPrintNoSecret(_ index: Int) async throws {
        let service = Self.endpoints[index]()
        let transports = [
            Echo(), Echo(status: 500), Echo(status: 302), Echo(status: 200),
            Echo(status: 200, body: { _ in "{" }),
        ]
        for transport in transports {
            let provider = ServiceProvider<BuildingEndpoint>(transport: transport)
            let error = await #expect(throws: ServiceError.self) {
                try await provider.load(service: service, decodeType: Int.self)
            }
            let found = try #require(error)
            let bridged = found as NSError
            let info = bridged.userInfo.map { "\($0.key) \($0.value)" }.joined()
            let texts =
                printings(found) + printings(found as any Error)
                + printings(ServiceResult<Int>.failure(found)) + [
                    found.localizedDescription, found.errorDescription ?? "",
                    bridged.localizedDescription, bridged.description, bridged.debugDescription,
                    info,
                ]
            for text in texts { #expect(!text.contains("hunter2"), "\(text)") }
        }
    }

    @Test(arguments: endpoints.indices) func theURLErrorInsideHoldsNoSecret(
        _ index: Int
    ) async throws {
        let service = Self.endpoints[index]()
        let provider = ServiceProvider<BuildingEndpoint>(transport: Echo())
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: service)
        }
        guard case .transport(let inner) = error else {
            Issue.record("the error is \(String(describing: error))")
            return
        }
        var dumped = ""
        dump(inner, to: &dumped)
        let info = inner.userInfo.map { "\($0.key) \($0.value)" }.joined()
        #expect(!(dumped + info + "\(inner)").contains("hunter2"))
        #expect(info.contains("example.com"))
    }

    @Test func printedRequestsAreOneLine() throws {
        let request = try BuildingEndpoint(path: "a\r\n\u{1B}[31mb").request()
        #expect(!"\(request)".unicodeScalars.contains { $0.value < 32 })
    }

    /// Secrets that a server repeats in its own words.
    static let repeated: [@Sendable () -> BuildingEndpoint] = [
        { BuildingEndpoint(parameters: ["api_key": "hunter2"]) },
        { BuildingEndpoint(headers: ["Authorization": "Basic hunter2"]) },
        { BuildingEndpoint(headers: ["Cookie": "a=b; c=hunter2; d=e"]) },
        { BuildingEndpoint(method: .post, parameters: ["user": ["password": "hunter2"]]) },
        { BuildingEndpoint(method: .post, parameters: ["b": 1, "token": "hunter2", "z": 2]) },
        { BuildingEndpoint(method: .post, body: .form(["client_secret": "hunter2"])) },
    ]

    /// The same, where the request's text is harder to read.
    static let harder: [(secret: String, service: @Sendable (String) -> BuildingEndpoint)] = [
        ("hunter2", { BuildingEndpoint(baseURL: "https://joe:\($0)@example.com") }),
        ("hunter2", { BuildingEndpoint(parameters: ["user": ["password": $0]]) }),
        ("hunter2", { BuildingEndpoint(parameters: ["token": [$0]]) }),
        (
            "hunter2",
            { BuildingEndpoint(method: .post, body: .form(["user": ["password": $0]])) }
        ),
        ("hunt,er2", { BuildingEndpoint(method: .post, parameters: ["password": $0]) }),
        ("hunt\"er2", { BuildingEndpoint(method: .post, parameters: ["password": $0]) }),
        ("hunt&er2", { BuildingEndpoint(method: .post, parameters: ["password": $0]) }),
        ("hunter2", { BuildingEndpoint(method: .post, parameters: ["token": ["x", $0]]) }),
    ]

    private func textOfAnEcho(
        _ service: BuildingEndpoint, of secret: String
    ) async throws -> String {
        let words = try JSONEncoder().encode(["message": "no \(secret) here"])
        let echo = Echo(status: 401, body: { _ in String(decoding: words, as: UTF8.self) })
        let provider = ServiceProvider<BuildingEndpoint>(transport: echo)
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: service)
        }
        return try #require(error).description
    }

    @Test(arguments: repeated.indices) func secretsThatAServerRepeatsAreStarred(
        _ index: Int
    ) async throws {
        let text = try await textOfAnEcho(Self.repeated[index](), of: "hunter2")
        #expect(text.contains("no *** here"))
    }

    @Test(arguments: harder.indices) func secretsInOtherPlacesAreStarredToo(
        _ index: Int
    ) async throws {
        let (secret, service) = Self.harder[index]
        let text = try await textOfAnEcho(service(secret), of: secret)
        #expect(text.contains("no *** here"))
    }
}
