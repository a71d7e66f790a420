// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Malformed requests, and requests that would smuggle in another one, are never sent.
///
/// Not even a connection is made. Recorded requests alone wouldn't prove that, because a server may
/// not record a request that it can't parse.
@Suite(.serialized, .opensFiles, .timeLimit) struct RequestChecksTests {
    let server: LoopbackServer

    init() throws {
        server = try LoopbackServer { _ in .text("sent") }
    }

    private static let values = [
        "a\r\nX-Injected: 1", "a\nX-Injected: 1", "a\rX-Injected: 1", "a\r\n folded", "a\0b",
        "\r\n\r\nGET /evil HTTP/1.1\r\n", "a\r\n", "\u{7F}", "\u{1}",
    ]
    private static let names = [
        "X-A: 1\r\nX-Injected", "X-A\n", "X\0A", "X A", "X-A:", "", "Ä", "X-A\t", " X-A", "X(A)",
    ]
    private static let methods = [
        "GET /evil HTTP/1.1\r\nX-Injected: 1\r\nFoo:", "GE T", "GET ", " GET", "GET\n", "G\0T",
        "G/T", "",
    ]

    private func expectRefusal(
        of service: TestService, _ part: ServiceError.RequestPart, by transport: TransportUnderTest,
        after interceptor: Intercept? = nil, sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let provider = ServiceProvider<TestService>(
            transport: transport.make(), interceptors: interceptor.map { [$0] } ?? [])
        let error = try await provider.failure(of: service, sourceLocation: sourceLocation)
        #expect(error.invalidPart == part, sourceLocation: sourceLocation)
        #expect(server.isUntouched, sourceLocation: sourceLocation)
        #expect(!error.description.contains("\n"), sourceLocation: sourceLocation)
    }

    @Test(.row("I1", "U9"), arguments: TransportUnderTest.allCases, values)
    func invalidHeaderValuesAreNotSent(_ transport: TransportUnderTest, value: String) async throws
    {
        var service = server.service()
        service.headers = ["X-A": value]
        try await expectRefusal(of: service, .header, by: transport)
        let interceptor = Intercept.changing { $0.urlRequest.addFields(["X-A": value]) }
        try await expectRefusal(of: server.service(), .header, by: transport, after: interceptor)
    }

    @Test(.row("I2", "U9"), arguments: TransportUnderTest.allCases, names)
    func invalidHeaderNamesAreNotSent(_ transport: TransportUnderTest, name: String) async throws {
        var service = server.service()
        service.headers = [name: "value"]
        try await expectRefusal(of: service, .header, by: transport)
        let interceptor = Intercept.changing { $0.urlRequest.addFields([name: "value"]) }
        try await expectRefusal(of: server.service(), .header, by: transport, after: interceptor)
    }

    @Test(.row("I3", "U9"), arguments: TransportUnderTest.allCases, methods)
    func invalidMethodsAreNotSent(_ transport: TransportUnderTest, method: String) async throws {
        let service = server.service(method: ServiceMethod(rawValue: method))
        try await expectRefusal(of: service, .method, by: transport)
        let interceptor = Intercept.changing { $0.urlRequest.httpMethod = method }
        // URLRequest itself refuses some methods.
        var request = try transport.provider().request(service: server.service()).urlRequest
        request.httpMethod = method
        guard request.httpMethod == method else { return }
        try await expectRefusal(of: server.service(), .method, by: transport, after: interceptor)
    }

    @Test(.row("I7"), arguments: TransportUnderTest.allCases, ["GET", "HEAD", "get"])
    func bodiesOfBodilessMethodsAreNotSent(
        _ transport: TransportUnderTest, method: String
    ) async throws {
        var service = server.service(method: ServiceMethod(rawValue: method))
        service.body = .data(Data("body".utf8), contentType: "text/plain")
        try await expectRefusal(of: service, .body, by: transport)
        service.body = nil
        let interceptors = [
            Intercept.changing { $0.urlRequest.httpBody = Data("body".utf8) },
            Intercept.changing {
                $0.urlRequest.httpBodyStream = InputStream(data: Data("body".utf8))
            },
        ]
        for interceptor in interceptors {
            try await expectRefusal(of: service, .body, by: transport, after: interceptor)
        }
    }

    @Test(
        .row("I7"),
        arguments: TransportUnderTest.allCases,
        ["Content-Length", "content-length", "Transfer-Encoding", "TRANSFER-ENCODING"])
    func framingHeadersAreNotSent(_ transport: TransportUnderTest, name: String) async throws {
        var service = server.service(method: .post)
        service.body = .data(Data("body".utf8), contentType: "text/plain")
        let interceptor = Intercept.changing {
            $0.urlRequest.setValue("3", forHTTPHeaderField: name)
        }
        try await expectRefusal(of: service, .header, by: transport, after: interceptor)
        service.headers = [name: "3"]
        try await expectRefusal(of: service, .header, by: transport)
    }

    @Test(
        .row("L13"),
        arguments: TransportUnderTest.allCases,
        ["file:///etc/passwd", "ftp://127.0.0.1/x", "data:text/plain,x", "x", "http:///x"])
    func unsupportedURLsAreNotLoaded(_ transport: TransportUnderTest, url: String) async throws {
        let interceptor = Intercept.changing { $0.urlRequest.url = URL(string: url) }
        try await expectRefusal(
            of: server.service(), .baseURL, by: transport, after: interceptor)
    }

    /// The error names the header, but doesn't show its secret value.
    @Test(.row("I9"), arguments: TransportUnderTest.allCases)
    func errorsDoNotShowRefusedHeaderValues(_ transport: TransportUnderTest) async throws {
        var service = server.service()
        service.headers = ["Authorization": "Bearer secret\n"]
        let error = try await transport.provider().failure(of: service)
        #expect(error.description.contains("Authorization"))
        #expect(!error.description.contains("secret"))
    }

    /// Unusual but valid requests pass the checks and arrive.
    @Test(arguments: TransportUnderTest.allCases)
    func unusualButValidRequestsAreSent(_ transport: TransportUnderTest) async throws {
        var service = server.service(method: ServiceMethod(rawValue: "M-SEARCH"))
        service.headers = ["X-A": "a\tb \"c\"; d=é", "x_b.c~d": "1", "X-Empty": ""]
        _ = try await transport.provider().load(service: service)
        let request = try #require(server.requests.first)
        #expect(request.method == "M-SEARCH")
        #expect(request.header("X-A") == "a\tb \"c\"; d=é")
        #expect(request.header("x_b.c~d") == "1")
        #expect(request.header("X-Empty") == "")
    }

    @Test(arguments: TransportUnderTest.allCases)
    func upperCaseSchemesAreSent(_ transport: TransportUnderTest) async throws {
        for scheme in ["HTTP", "httP", "hTtp"] {
            let url = "\(scheme)://127.0.0.1:\(server.port)"
            let service = TestService(baseURL: url, path: "/start")
            #expect(await transport.provider().outcome(of: service).isSuccess)
        }
    }
}
