// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

/// All values of a repeated header field.
@Suite(.serialized, .opensFiles, .timeLimit) struct HeaderValueTests {
    private func response(_ name: String, _ value: String) throws -> ServiceResponse {
        let request = try TestService().request()
        return ServiceResponse(request: request, statusCode: 200, headers: [name: value])
    }

    static let lists: [(String, [String])] = [
        ("", []), (" ", []), (",", []), ("a", ["a"]), ("a, b", ["a", "b"]),
        ("a,b ,\tc", ["a", "b", "c"]),
        (", a,, b ,", ["a", "b"]), (#""a,b", c"#, [#""a,b""#, "c"]),
        (#""a\",b", c"#, [#""a\",b""#, "c"]), (#"a"b,c"#, [#"a"b,c"#]), (#"\", a"#, [#"\", a"#]),
    ]

    @Test(arguments: lists)
    func aListIsSplitOutsideQuotes(_ value: String, _ expected: [String]) throws {
        #expect(try response("vary", value).headerValues("Vary") == expected)
    }

    static let cookies: [(String, [String])] = [
        ("a=1", ["a=1"]), ("a=1, b=2", ["a=1", "b=2"]),
        (
            "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/, b=2; Secure",
            ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT; Path=/", "b=2; Secure"]
        ),
        ("a=x, y; Path=/", ["a=x, y; Path=/"]), ("a=\"x, b=2", ["a=\"x", "b=2"]),
    ]

    @Test(arguments: cookies)
    func cookiesAreSplitInFrontOfAName(_ value: String, _ expected: [String]) throws {
        #expect(try response("Set-Cookie", value).headerValues("set-cookie") == expected)
    }

    @Test func aResponseHasAnHTTPURLResponse() throws {
        let fields = [
            "X-Some": "1", "Content-Type": "text/plain; charset=utf-8", "Content-Length": "5",
        ]
        let service = TestService(baseURL: "http://127.0.0.1/path?a=b")
        let response = ServiceResponse(
            request: try service.request(), statusCode: 404, headers: fields)
        #expect(response.http?.statusCode == 404)
        #expect(response.http?.url?.absoluteString == "http://127.0.0.1/path?a=b")
        #expect(response.http?.allHeaderFields as? [String: String] == fields)
        #expect(response.http?.mimeType == "text/plain")
        #expect(response.http?.expectedContentLength == 5)
    }

    @Test func aMissingFieldHasNoValues() throws {
        #expect(try response("a", "b").headerValues("c") == [])
    }

    @Test(arguments: TransportUnderTest.allCases)
    func repeatedFieldsAreAllThere(_ transport: TransportUnderTest) async throws {
        let server = try LoopbackServer { _ in
            .text("ok").header("Set-Cookie", "a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT")
                .header("X-Tag", "one").header("Set-Cookie", "b=2").header("X-Tag", "two, three")
        }
        let provider = ServiceProvider<TestService>(transport: transport.make())
        let response = try await provider.response(service: server.service())
        #expect(response.headerValues("x-tag") == ["one", "two", "three"])
        let expected = ["a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT", "b=2"]
        #expect(response.headerValues("Set-Cookie") == expected)
    }

    @Test(
        .slow, .row("Z17", "Q10"),
        arguments: ["a,", ",", "\",", "a=b,", ", , ", "\u{5C1}\u{5B0}"])
    func longFieldsTakeLinearTime(_ part: String) throws {
        let value = String(repeating: part, count: 300_000)
        for name in ["Vary", "Set-Cookie"] {
            #expect(try response(name, value).headerValues(name).count <= 300_000)
        }
        let blanks = "a=" + String(repeating: ",  ", count: 400_000)
        #expect(try response("Set-Cookie", blanks).headerValues("Set-Cookie").count == 1)
    }
}
