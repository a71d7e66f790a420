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

/// A response built from status code and headers behaves like one built from an `HTTPURLResponse`.
@Suite(.serialized, .opensFiles, .timeLimit) struct ResponseHeadTests {
    static func response(
        _ headers: @autoclosure @escaping @Sendable () -> [String: String]
    ) throws -> ServiceResponse {
        let url = try #require(URL(string: "http://127.0.0.1/path?a=b"))
        return ServiceResponse(
            request: ServiceRequest(URLRequest(url: url)), statusCode: 404,
            headers: headers(), data: Data("hello".utf8))
    }

    @Test func headerNamesAreCaseInsensitive() throws {
        let response = try Self.response(["X-Some": "1", "content-type": "text/plain"])
        for name in ["X-Some", "x-some", "X-SOME"] { #expect(response.header(name) == "1") }
        #expect(response.header("Content-Type") == "text/plain")
        #expect(response.header("X-Som") == nil)
        #expect(response.header("") == nil)
    }

    @Test func blanksAroundAValueAreNotPartOfIt() throws {
        let response = try Self.response(["A": " \t a b \t", "B": " \t "])
        #expect(response.header("a") == "a b")
        #expect(response.header("b") == "")
    }

    @Test(arguments: TransportUnderTest.allCases)
    func blanksOfAServerAreNotPartOfAValue(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in
            .raw("HTTP/1.1 200 OK\r\nX-A:  \t value \t \r\nContent-Length: 0\r\n\r\n")
        }
        let response = try await transport.provider().response(service: server.service())
        #expect(response.header("x-a") == "value")
    }

    @Test func responsesBuiltFromPartsHaveStatusAndHeaders() throws {
        let fields = ["X-Some": "1", "Content-Length": "5"]
        let response = try Self.response(fields)
        #expect(response.statusCode == 404)
        #expect(response.headers == fields)
        #expect(response.description == "404, 5 bytes, for GET /path")
    }
}
