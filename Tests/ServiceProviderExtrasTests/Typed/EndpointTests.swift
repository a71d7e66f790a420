// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Endpoints as values, and requests without a service.
@Suite(.serialized, .opensFiles, .timeLimit) struct EndpointTests {
    @Test(.row("C2"), arguments: TransportUnderTest.allCases)
    func anEndpointNeedsOnlyAURL(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in .json(#"{"id": 7}"#) }
        let provider = ServiceProvider<ServiceEndpoint>(transport: transport.make())
        let endpoint = ServiceEndpoint(server.baseURL + "/hero?a=1", parameters: ["limit": 5])
        let hero = try await provider.load(service: endpoint, decodeType: Hero.self)
        #expect(hero == Hero(id: 7))
        #expect(server.requests.map(\.target) == ["/hero?a=1&limit=5"])
        #expect(server.requests.map(\.method) == ["GET"])
    }

    @Test func everyPropertyIsSent() throws {
        var endpoint = ServiceEndpoint(
            "https://example.com/v1", method: .post, parameters: ["page": 2],
            headers: ["X-Name": "value"], body: .json(["a": 1]))
        endpoint.path = "heroes"
        endpoint.timeout = 7
        endpoint.validStatusCodes = [201]
        let request = try ServiceProvider<ServiceEndpoint>().request(service: endpoint)
        #expect(request.urlRequest.url?.absoluteString == "https://example.com/v1/heroes?page=2")
        #expect(request.urlRequest.httpMethod == "POST")
        #expect(request.urlRequest.value(forHTTPHeaderField: "X-Name") == "value")
        #expect(request.urlRequest.httpBody == Data(#"{"a":1}"#.utf8))
        #expect(request.urlRequest.timeoutInterval == 7)
        #expect(request.validStatusCodes == [201])
    }

    @Test func theEncodingOfParametersCanBeChosen() throws {
        var endpoint = ServiceEndpoint(
            "https://example.com", method: .post, parameters: ["a": "b c"])
        endpoint.parameterEncoding.destination = .form
        let request = try ServiceProvider<ServiceEndpoint>().request(service: endpoint)
        #expect(request.urlRequest.httpBody == Data("a=b%20c".utf8))
    }

    @Test(.row("C2"), arguments: TransportUnderTest.allCases)
    func sentRequestsAreDecoded(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer(responses: [
            .redirect(to: "/there"), .json(#"{"id": 8}"#), .json("{}", statusCode: 404),
        ])
        let provider = transport.provider()
        let request = try ServiceRequest(
            URLRequest(url: #require(URL(string: server.baseURL + "/start"))))
        #expect(try await provider.pipeline.send(request).decode(Hero.self) == Hero(id: 8))
        let error = try await failure { _ = try await provider.pipeline.send(request) }
        #expect(error.unacceptableStatus == 404)
        #expect(server.requests.map(\.path) == ["/start", "/there", "/start"])
    }

    @Test func endpointsShowNoSecrets() throws {
        let endpoint = ServiceEndpoint(
            "https://u:canary@example.com/a?token=canary", parameters: ["token": "canary"],
            headers: ["Authorization": "Bearer canary"], body: .data(Data("canary".utf8)))
        var text = "\(endpoint) \(String(reflecting: endpoint))"
        dump(endpoint, to: &text)
        #expect(text.hasPrefix("GET example.com ") && !text.contains("canary"))
    }
}
