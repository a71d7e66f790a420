// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Printed requests, responses and errors contain no secret of the request, however they're
/// printed.
@Suite(.serialized, .opensFiles, .timeLimit) struct SecretPrintingTests {
    /// Returns a response that may repeat the request, or throws an error that contains its URL, as
    /// the platform's errors do.
    struct Echo: ServiceTransport {
        var status: Int?
        var body: @Sendable (URLRequest) -> String = { _ in "" }

        func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            guard let status
            else {
                let info: [String: Any] = [
                    NSURLErrorFailingURLErrorKey: request.urlRequest.url as Any,
                    "NSErrorFailingURLStringKey": request.urlRequest.url?.absoluteString
                        ?? "",
                ]
                throw URLError(.timedOut, userInfo: info)
            }
            let data = Data(body(request.urlRequest).utf8)
            return ServiceResponse(request: request, statusCode: status, data: data)
        }
    }

    private struct Holder {
        let request: ServiceRequest
    }

    /// Each contains `canary-7f3a` in a different place.
    static let endpoints: [@Sendable () -> TestService] = [
        { TestService(baseURL: "https://joe:canary-7f3a@example.com/api") },
        { TestService(baseURL: "https://canary-7f3a@example.com/api") },
        { TestService(baseURL: "https://example.com/api?apikey=canary-7f3a") },
        { TestService(parameters: ["token": "canary-7f3a"]) },
        { TestService(parameters: ["name": "canary-7f3a"]) },
        { TestService(headers: ["Authorization": "Bearer canary-7f3a"]) },
        { TestService(headers: ["X-Plain": "canary-7f3a"]) },
        { TestService(headers: ["Cookie": "a=b; c=canary-7f3a"]) },
        { TestService(method: .post, parameters: ["password": "canary-7f3a"]) },
        {
            let form = Data("password=canary-7f3a".utf8)
            let type = "application/x-www-form-urlencoded"
            return TestService(method: .post, body: .data(form, contentType: type))
        },
        { TestService(method: .post, body: .json(["password": "canary-7f3a"])) },
        { TestService(method: .post, body: .data(Data("canary-7f3a".utf8))) },
    ]

    private func printings(_ value: some Any, as kind: TranscriptKind = .text) -> [String] {
        _ = canary("printed call")
        var printed = ""
        print(value, terminator: "", to: &printed)
        var debugPrinted = ""
        debugPrint(value, terminator: "", to: &debugPrinted)
        let texts = [
            printed, debugPrinted, String(describing: value), String(reflecting: value),
            "\(value)", "\(Optional(value) as Any)", "\([value])", "\(["k": value])",
            "\((value, 1))",
        ]
        return texts.map { transcribed($0, as: kind) }
    }

    @Test(.row("H3"), arguments: endpoints.indices) func requestsAndResponsesPrintNoSecret(
        _ index: Int
    ) async throws {
        let service = Self.endpoints[index]()
        let request = try service.request()
        let provider = ServiceProvider<TestService>(transport: Echo(status: 200))
        let response = try await provider.response(service: service)
        let texts = printings(request) + printings(Holder(request: request)) + printings(response)
        for text in texts {
            #expect(!text.contains("canary"))
            #expect(text.contains("/api"))
        }
    }

    @Test(.row("H3"), arguments: endpoints.indices)
    func errorsPrintNoSecret(_ index: Int) async throws {
        let service = Self.endpoints[index]()
        let transports = [
            Echo(), Echo(status: 500), Echo(status: 302), Echo(status: 200),
            Echo(status: 200, body: { _ in "{" }),
        ]
        for transport in transports {
            let provider = ServiceProvider<TestService>(transport: transport)
            let error = await #expect(throws: ServiceError.self) {
                try await provider.load(service: service, decodeType: Int.self)
            }
            let found = try #require(error)
            let bridged = found as NSError
            let info = bridged.userInfo.map { "\($0.key) \($0.value)" }.joined()
            let texts =
                printings(found, as: .error) + printings(found as any Error, as: .error)
                + printings(ServiceResult<Int>.failure(found)) + [
                    found.localizedDescription, found.errorDescription ?? "",
                    bridged.localizedDescription, bridged.description, bridged.debugDescription,
                    info,
                ]
            for text in texts {
                #expect(!transcribed(text, as: .error).contains("canary"), "\(text)")
            }
        }
    }

    @Test(.row("H3"), arguments: endpoints.indices) func wrappedURLErrorsContainNoSecret(
        _ index: Int
    ) async throws {
        let service = Self.endpoints[index]()
        let provider = ServiceProvider<TestService>(transport: Echo())
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: service)
        }
        guard case .transport(let inner) = error else {
            Issue.record("Not a transport error: \(String(describing: error))")
            return
        }
        var dumped = ""
        dump(inner, to: &dumped)
        let info = inner.userInfo.map { "\($0.key) \($0.value)" }.joined()
        let text = transcribed(dumped + info + "\(inner)", as: .error)
        #expect(!text.contains("canary"))
        #expect(info.contains("example.com"))
    }

    @Test(.row("H4")) func printedRequestsAreOneLine() throws {
        let request = try TestService(path: "a\r\n\u{1B}[31mb").request()
        #expect(!"\(request)".unicodeScalars.contains { $0.value < 32 })
    }

    /// A server can repeat a secret in the path that it redirects to.
    @Test(.row("H9"), arguments: [false, true], [nil, 404, 204])
    func redirectsShowNoSecrets(_ isEscaped: Bool, _ status: Int?) async throws {
        let secret = "canary-7f3a\(isEscaped ? "é" : "")"
        let path = isEscaped ? "/to/canary-7f3a%C3%A9/home" : "/to/\(secret)/home"
        let transport = StubTransport { request in
            guard let status, request.urlRequest.url?.path.hasSuffix("/login") == false else {
                return try request.respond(302, headers: ["Location": path])
            }
            return try request.respond(status, data: Data())
        }
        var service = TestService(path: "/login", parameters: ["token": secret])
        if status == nil { service.change = { $0.onRedirect = { _, _, _ in nil } } }
        let provider = ServiceProvider<TestService>(transport: transport)
        let error = try await failure {
            _ = try await provider.load(service: service, decodeType: [Int].self)
        }
        #expect(!"\(error)".contains("canary"), "\(error)")
        #expect("\(error)".contains("/login"), "\(error)")
    }
}
