// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct AuthorizationTests {
    let server: LoopbackServer

    init() throws {
        // Repeats the request's headers in the body of its response, as some servers do.
        server = try LoopbackServer {
            .text(String(decoding: $0.head, as: UTF8.self), statusCode: 403)
        }
    }

    private func arrival(
        _ authorization: ServiceAuthorization, path: String = "/call",
        headers: [String: String] = [:], query: String = ""
    ) async throws -> LoopbackRequest {
        let service = TestService(baseURL: server.baseURL + query, path: path, headers: headers)
        let provider = ServiceProvider<TestService>(interceptors: [authorization])
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: service)
        }
        let text = transcribed(try #require(error).description, as: .error)
        #expect(text.contains("403"))
        #expect(!text.contains("canary"))
        return try #require(server.requests.last)
    }

    struct Field: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let authorization: ServiceAuthorization
        let name: String
        let value: String?

        static let all = [
            Field(
                "basic", .basic(user: "Aladdin", password: "open sesame"),
                "Authorization", "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ=="),
            // The example of RFC 7617, section 2.1: a pound sign.
            Field(
                "basic in UTF-8", .basic(user: "test", password: "123£"),
                "Authorization", "Basic dGVzdDoxMjPCow=="),
            Field(
                "basic with colons", .basic(user: "u", password: "a:b"),
                "Authorization", "Basic dTphOmI="),
            Field(
                "basic from a closure",
                .basic {
                    await Task.yield(); return ("test", "123£")
                },
                "Authorization", "Basic dGVzdDoxMjPCow=="),
            Field("basic without credentials", .basic { nil }, "Authorization", nil),
            Field(
                "bearer", .bearer(canary("bearer")),
                "Authorization", "Bearer \(canary("bearer"))"),
            Field(
                "bearer from a closure",
                .bearer {
                    await Task.yield(); return canary("asked")
                },
                "Authorization", "Bearer \(canary("asked"))"),
            Field("bearer without a token", .bearer { nil }, "Authorization", nil),
            Field("header", .header("X-Door", canary("header")), "X-Door", canary("header")),
            Field(
                "header from a closure", .header("X-Door") { canary("door") },
                "X-Door", canary("door")),
            Field("header without a value", .header("X-Door") { nil }, "X-Door", nil),
            Field(
                "closure",
                ServiceAuthorization { try $0.setHeader("X-Signature", to: canary("closure")) },
                "X-Signature", canary("closure")),
        ]

        init(
            _ name: String, _ authorization: ServiceAuthorization, _ field: String, _ value: String?
        ) {
            (testDescription, self.authorization) = (name, authorization)
            (self.name, self.value) = (field, value)
        }
    }

    @Test(arguments: Field.all)
    func eachKindSetsItsHeader(_ field: Field) async throws {
        #expect(try await arrival(field.authorization).header(field.name) == field.value)
    }

    @Test func headersAreReplacedCaseInsensitively() async throws {
        let request = try await arrival(
            .header("X-Door", canary("mine")), headers: ["x-door": "theirs"])
        let values = request.headers.filter { $0.name.lowercased() == "x-door" }.map(\.value)
        #expect(values == [canary("mine")])
    }

    @Test(arguments: [
        ("", "?k%26y=a%2Bb%20%26c"), ("?", "?k%26y=a%2Bb%20%26c"),
        ("?a=1", "?a=1&k%26y=a%2Bb%20%26c"), ("?k%26y=old&a=1", "?a=1&k%26y=a%2Bb%20%26c"),
        ("?a=%2f&k%26y&K%26y=2", "?a=%2f&K%26y=2&k%26y=a%2Bb%20%26c"),
    ])
    func queryItemsAreAddedOrReplaced(_ query: String, _ expected: String) async throws {
        let request = try await arrival(.query("k&y", "a+b &c"), query: query)
        #expect(request.target == "/call" + expected)
    }

    /// "é" as one character, and as two.
    @Test func namesOfQueryItemsAreComparedByBytes() async throws {
        let request = try await arrival(.query("\u{E9}", "a"), query: "?e%CC%81=1&%C3%A9=2")
        #expect(request.target == "/call?e%CC%81=1&%C3%A9=a")
    }

    @Test func aClosureMayReturnAQueryItemOrNil() async throws {
        let asked = try await arrival(.query("door") { canary("query") })
        #expect(asked.target == "/call?door=\(canary("query"))")
        #expect(try await arrival(.query("door") { nil }).target == "/call")
    }

    @Test(arguments: [
        ("us:er", "password"), ("user\n", "password"), ("user", "pass\u{7F}word"),
    ])
    func invalidBasicCredentialsAreRefused(_ user: String, _ password: String) async throws {
        let basic = ServiceAuthorization.basic(user: user + canary("user"), password: password)
        let provider = ServiceProvider<TestService>(interceptors: [basic])
        let end = await provider.end(of: server.service("/call"))
        #expect(end.hasPrefix("Invalid header: "))
        #expect(!end.contains("canary") && !end.contains(password))
        #expect(server.isUntouched)
    }

    @Test(.row("I5")) func aTokenWithALineBreakIsRefused() async throws {
        let bearer = ServiceAuthorization.bearer("\(canary("broken"))\r\nX: y")
        let provider = ServiceProvider<TestService>(interceptors: [bearer])
        let end = await provider.end(of: server.service("/call"))
        #expect(end == "Invalid header: a control character in the value of 'Authorization'.")
        #expect(server.isUntouched)
    }

    @Test func anErrorInTheClosureFailsTheCall() async throws {
        struct Locked: Error {}
        let bearer = ServiceAuthorization.bearer { throw Locked() }
        let provider = ServiceProvider<TestService>(interceptors: [bearer])
        let error = await #expect(throws: ServiceError.self) {
            try await provider.load(service: server.service("/call"))
        }
        guard case .interceptor(let cause)? = error else { throw try #require(error) }
        #expect(cause is Locked)
        #expect(server.isUntouched)
    }

    @Test func noTokenGoesToAnotherOrigin() async throws {
        let other = try LoopbackServer(responses: [.text("there"), .text("there")])
        let first = try LoopbackServer(responses: [
            .redirect(to: other.baseURL + "/b"), .redirect(to: other.baseURL + "/b"),
        ])
        for authorization in [.bearer(canary("bearer")), .query("key", canary("query"))]
            as [ServiceAuthorization]
        {
            let provider = ServiceProvider<TestService>(interceptors: [authorization])
            #expect(await provider.end(of: TestService(baseURL: first.baseURL)) == "200")
        }
        #expect(other.requests.count == 2)
        for request in other.requests {
            #expect(!String(decoding: request.head, as: UTF8.self).contains("canary"))
        }
    }
}
