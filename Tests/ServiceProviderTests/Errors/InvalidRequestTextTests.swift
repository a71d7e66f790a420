// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import TestSupport
import Testing

/// The texts of requests that can't be built.
@Suite struct InvalidRequestTextTests {
    @Test(
        arguments: [
            (TestService(baseURL: "ftp://h", path: "/characters"), "'ftp://h'"),
            (
                TestService(
                    baseURL: "https://user:\(canary("broken URL"))@", path: "/characters"), "it"
            ),
            // With a combining mark, "@" and ":" are the first part of another Character.
            (TestService(baseURL: "http://joe:\(canary("combining mark"))@\u{599}%zz"), "it"),
            (TestService(baseURL: "https://exa mple.com?k=\(canary("query"))"), "it"),
            (TestService(baseURL: "https://exa mple.com"), "'https://exa mple.com'"),
            (TestService(baseURL: "https://example.com/movies?hd=[1]"), "it"),
            (
                TestService(baseURL: "https://example.com/mo\u{E9}s"),
                "'https://example.com/mo\u{E9}s'"
            ),
            (
                TestService(baseURL: "https://m\u{FC}nchen.example"),
                "'https://m\u{FC}nchen.example'"
            ),
            (TestService(baseURL: "https://example.com:99999"), "'https://example.com:99999'"),
            (TestService(baseURL: "wss://example.com"), "'wss://example.com'"),
            (TestService(baseURL: "https:/example.com"), "'https:/example.com'"),
            (TestService(baseURL: "https:///v1"), "'https:///v1'"),
            (TestService(baseURL: "https://", path: "/v1"), "'https://'"),
            (TestService(baseURL: "api.example.com/v1"), "'api.example.com/v1'"),
        ] as [(TestService, String)])
    func textsOfInvalidBaseURLs(endpoint: TestService, shown: String) async {
        let rule = "isn't http(s) with a host in ASCII, a port below 65536 and percent-encoded text"
        let error = await ErrorText.error(of: endpoint)
        #expect(error?.description == "Invalid baseURL: \(shown) \(rule).")
        #expect(error?.localizedDescription == "The request can't be sent.")
    }

    @Test(
        arguments: [
            (
                TestService(headers: ["X-A:\u{599}\(canary("combining mark"))": ""]),
                "Invalid header: the name 'X-A…' isn't valid."
            ),
            (
                TestService(headers: ["Authorization Bearer \(canary("header name"))": ""]),
                "Invalid header: the name 'Authorization…' isn't valid."
            ),
            (TestService(path: "../x"), "Invalid path: it has a segment '.' or '..'."),
            (
                TestService(method: ServiceMethod(rawValue: "GET /x")),
                "Invalid method: 'GET /x' isn't a valid name."
            ),
            (
                TestService(parameters: ["f": ["to": Double.nan]]),
                "Invalid parameter: 'f[to]' is a 'Double' that isn't finite."
            ),
            (
                TestService(headers: ["X-A": "secret\r\nX-B: 1"]),
                "Invalid header: a control character in the value of 'X-A'."
            ),
            (
                TestService(headers: ["X A": "secret"]),
                "Invalid header: the name 'X…' isn't valid."
            ),
            (
                TestService(headers: ["content-length": "5"]),
                "Invalid header: the transport sets 'content-length'."
            ),
            (TestService(body: .data(Data([1]))), "Invalid body: a 'GET' can't have a body."),
            (TestService(timeout: -1), "Invalid timeout: '-1.0' isn't above 0."),
        ] as [(TestService, String)])
    func textsOfInvalidRequests(endpoint: TestService, text: String) async {
        #expect(await ErrorText.error(of: endpoint)?.description == text)
    }

    @Test func encodingErrorsNameThePlace() async {
        let endpoint = TestService(
            method: .post, body: .json(["scores": ["best": Double.infinity]]))
        let text = await ErrorText.error(of: endpoint)?.description ?? ""
        #expect(
            text.hasPrefix("Invalid body: a value at '…': ")
                || text.hasPrefix("Invalid body: a value at '….…': "))
    }
}
