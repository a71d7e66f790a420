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

/// The texts of responses that aren't the expected ones. They quote nothing that a server chose.
@Suite struct ResponseErrorTextTests {
    /// The texts of a failed status quote nothing that the server sent.
    @Test(arguments: [
        (401, "The server refused the request."), (404, "The server refused the request."),
        (409, "The server refused the request."), (302, "The server refused the request."),
        (500, "The server has a problem."),
    ])
    func textsOfUnacceptableStatuses(status: Int, text: String) async {
        let words = canary("server's words")
        let headers = ["Location": "ftp://\(words)/", "Content-Type": "text/plain"]
        let response = ErrorText.response(status, headers: headers, words)
        let error = await ErrorText.error(over: response)
        #expect(error?.description == "The server answered \(status) for 'GET /v1/characters'.")
        #expect(error?.localizedDescription == text)
        #expect(error?.statusCode == status)
    }

    /// A path that may have a password isn't shown.
    @Test func emptyPathsAndPathsWithAPasswordAreASlash() async throws {
        let endpoint = TestService(baseURL: "https://api.example.com", path: "")
        let error = await ErrorText.error(of: endpoint, over: ErrorText.response(409))
        #expect(error?.description == "The server answered 409 for 'GET /'.")
        let url = try #require(URL(string: "https://example.com/https://joe:sesame@example.com"))
        #expect(ServiceRequest(URLRequest(url: url)).description == "GET /")
    }

    @Test(arguments: [
        (
            #"{"data":{"results":[{"id":1},{"id":"2"}]}}"#,
            "Decoding 'Page' failed at 'data.results[1].id': expected 'Int' but found a string."
        ),
        (
            #"{"data":{"results":[{}]}}"#,
            "Decoding 'Page' failed at 'data.results[0].id': the value is missing."
        ),
        (
            #"{"data":{"results":[{"id":null}]}}"#,
            "Decoding 'Page' failed at 'data.results[0].id': expected 'Int' but found null."
        ),
        (
            "{",
            "Decoding 'Page' failed: the body was cut off."
        ),
    ])
    func textsOfDecodingErrors(body: String, text: String) async {
        let error = await ErrorText.error(over: ErrorText.response(200, body))
        let start = "The server answered 200 for 'GET /v1/characters'. "
        #expect(error?.description == start + text)
        #expect(error?.localizedDescription == "The response can't be read.")
        #expect(error?.response?.data == Data(body.utf8))
    }

    #if os(Linux)
    /// Foundation's own text calls it invalid JSON.
    @Test(arguments: ["1.5", "1e30", "1e999", "99999999999999999999"])
    func aNumberThatDoesNotFitIsNamed(number: String) async {
        let body = #"{"data":{"results":[{"id":\#(number)}]}}"#
        let error = await ErrorText.error(over: ErrorText.response(200, body))
        #expect(
            error?.description.hasSuffix(
                "the body isn't valid JSON, or a number doesn't fit its type.") == true)
    }
    #endif

    /// A server chooses the keys of a decoded dictionary.
    @Test func keysOfDictionariesAreNotShown() throws {
        let request = try ErrorText.characters.request()
        for key in [canary("key"), "483920"] {
            let body = Data(#"{"\#(key)":{"\#(key)":"x"}}"#.utf8)
            let response = ServiceResponse(request: request, statusCode: 200, data: body)
            let error = #expect(throws: ServiceError.self) {
                try response.decode([String: [String: Int]].self)
            }
            let text = "failed at '….…': expected 'Int' but found a string."
            #expect(error?.description.contains(text) == true)
        }
    }

    @Test func textsOfCancelledAndEmptyCalls() async {
        #expect(ServiceError.cancelled.description == "The request was cancelled.")
        let empty = await ErrorText.error()
        #expect(
            empty?.description == "The server answered 200 for 'GET /v1/characters' without a body."
        )
    }
}
