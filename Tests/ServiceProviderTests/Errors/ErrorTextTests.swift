// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

import ServiceProvider
import TestSupport
import Testing

/// The texts of all errors.
@Suite(.serialized, .opensFiles, .timeLimit) struct ErrorTextTests {
    static let characters = TestService(
        baseURL: "https://api.example.com/v1", path: "/characters")

    /// Returns the same response to every request.
    struct Canned: ServiceTransport {
        var status = 200
        var headers: [String: String] = [:]
        var body = ""
        var error: (any Error)?

        func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            if let error { throw error }
            return try request.answer(status, headers: headers, data: Data(body.utf8))
        }
    }

    struct Page: Decodable {
        struct Contents: Decodable {
            var results: [Item]
        }
        struct Item: Decodable {
            var id: Int
        }
        var data: Contents
    }

    private func error(
        of endpoint: TestService = Self.characters, over transport: Canned = Canned(),
        interceptors: [any ServiceInterceptor] = []
    ) async -> ServiceError? {
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: interceptors)
        do {
            _ = try await provider.load(service: endpoint, decodeType: Page.self)
            return nil
        } catch {
            transcribed("\(error)", as: .error)
            return error as? ServiceError
        }
    }

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
        let error = await error(of: endpoint)
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
        #expect(await error(of: endpoint)?.description == text)
    }

    @Test func encodingErrorsNameThePlace() async {
        let endpoint = TestService(
            method: .post, body: .json(["scores": ["best": Double.infinity]]))
        let text = await error(of: endpoint)?.description ?? ""
        #expect(
            text.hasPrefix("Invalid body: a value at '…': ")
                || text.hasPrefix("Invalid body: a value at '….…': "))
    }

    @Test(arguments: [
        (URLError.Code.cannotConnectToHost, "The server can't be reached."),
        (.cannotFindHost, "The server can't be reached."),
        (.timedOut, "The server didn't respond in time."),
        (.networkConnectionLost, "The connection to the server failed."),
        (.notConnectedToInternet, "There is no internet connection."),
        (.secureConnectionFailed, "The connection to the server failed."),
    ])
    func textsOfTransportErrors(code: URLError.Code, text: String) async {
        let error = await error(over: Canned(error: URLError(code)))
        let number = "URLError \(code.rawValue)"
        #expect(error?.description == "\(text) (\(number), https://api.example.com:443)")
        #expect(error?.localizedDescription == text)
        #expect(error?.statusCode == nil)
    }

    @Test func addressesOfIPv6KeepTheirBrackets() async {
        let endpoint = TestService(baseURL: "http://[::1]:8080")
        let error = await error(of: endpoint, over: Canned(error: URLError(.timedOut)))
        #expect(
            error?.description
                == "The server didn't respond in time. (URLError -1001, http://[::1]:8080)")
    }

    @Test func theReasonForAMissingNetworkIsKept() async {
        let info: [String: Any] = [
            "NSURLErrorNetworkUnavailableReasonKey": 2,
            "NSErrorFailingURLStringKey": "https://api.example.com/?key=\(canary("failing URL"))",
        ]
        let canned = Canned(error: URLError(.dataNotAllowed, userInfo: info))
        guard case .transport(let cause) = await error(over: canned) else {
            Issue.record("Not a transport error.")
            return
        }
        #expect(cause.userInfo["NSURLErrorNetworkUnavailableReasonKey"] as? Int == 2)
        #expect(cause.userInfo["NSErrorFailingURLStringKey"] == nil)
    }

    @Test func platformDescriptionsComeLast() async {
        let words = [NSLocalizedDescriptionKey: "Broken pipe"]
        let error = await error(over: Canned(error: URLError(.unknown, userInfo: words)))
        #expect(
            error?.description.hasSuffix("(URLError -1, https://api.example.com:443): Broken pipe")
                == true)
    }

    /// The texts of a failed status quote nothing that the server sent.
    @Test(arguments: [
        (401, "The server refused the request."), (404, "The server refused the request."),
        (409, "The server refused the request."), (302, "The server refused the request."),
        (500, "The server has a problem."),
    ])
    func textsOfUnacceptableStatuses(status: Int, text: String) async {
        let words = canary("server's words")
        let headers = ["Location": "ftp://\(words)/", "Content-Type": "text/plain"]
        let canned = Canned(status: status, headers: headers, body: words)
        let error = await error(over: canned)
        #expect(error?.description == "The server answered \(status) for 'GET /v1/characters'.")
        #expect(error?.localizedDescription == text)
        #expect(error?.statusCode == status)
    }

    /// But a path that may have a password isn't shown.
    @Test func anEmptyPathIsShownAsASlash() async throws {
        let endpoint = TestService(baseURL: "https://api.example.com", path: "")
        let error = await error(of: endpoint, over: Canned(status: 409))
        #expect(error?.description == "The server answered 409 for 'GET /'.")
        let url = try #require(URL(string: "https://example.com/https://joe:sesame@example.com"))
        #expect(ServiceRequest(URLRequest(url: url)).description == "GET /")
    }

    @Test(arguments: [
        (
            #"{"data":{"results":[{"id":1},{"id":"2"}]}}"#,
            "Decoding 'Page' failed at 'data.results[1].id': the value isn't a 'Int'."
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
            "Decoding 'Page' failed: it isn't valid, or a number doesn't fit its type."
        ),
    ])
    func textsOfDecodingErrors(body: String, text: String) async {
        let error = await error(over: Canned(body: body))
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
        let error = await error(over: Canned(body: body))
        #expect(error?.description.hasSuffix("or a number doesn't fit its type.") == true)
    }
    #endif

    /// A server chooses the keys of a decoded dictionary.
    @Test func keysOfDictionariesAreNotShown() throws {
        let request = try Self.characters.request()
        for key in [canary("key"), "483920"] {
            let body = Data(#"{"\#(key)":{"\#(key)":"x"}}"#.utf8)
            let response = ServiceResponse(request: request, statusCode: 200, data: body)
            let error = #expect(throws: ServiceError.self) {
                try response.decode([String: [String: Int]].self)
            }
            #expect(
                error?.description.contains("failed at '….…': the value isn't a 'Int'.") == true)
        }
    }

    @Test func textsOfCancelledAndEmptyCalls() async {
        #expect(ServiceError.cancelled.description == "The request was cancelled.")
        let empty = await error()
        #expect(
            empty?.description == "The server answered 200 for 'GET /v1/characters' without a body."
        )
    }

    @Test func interceptorErrorsAreLabelled() async {
        struct Refusing: ServiceInterceptor, LocalizedError {
            var errorDescription: String? { "Not signed in." }

            func intercept(
                _ request: ServiceRequest,
                next: @escaping @Sendable (ServiceRequest) async throws -> ServiceResponse
            ) async throws -> ServiceResponse {
                throw self
            }
        }
        let error = await error(interceptors: [Refusing()])
        #expect(error?.description == "The call failed: Not signed in.")
        #expect(error?.localizedDescription == "Not signed in.")
    }

    /// Errors that no transport threw, such as those of a call that an interceptor makes by itself.
    @Test func urlErrorsShowNoQuery() async throws {
        let url = try #require(URL(string: "https://joe:pw@auth.example.com/t?token=SECRET"))
        let inner = URLError(.timedOut, userInfo: [NSURLErrorFailingURLErrorKey: url])
        let wrapping = Intercept { _, _ in throw ServiceError(inner) }
        let service = TestService(change: { _ in throw inner })
        let provider = ServiceProvider<TestService>(transport: Canned())
        var ends = await [error(interceptors: [wrapping]), error(of: service)]
        let handled: ServiceResult<Int> = await withCheckedContinuation { continuation in
            let completion: ServiceProvider<TestService>.Completion<Int> = { result in
                continuation.resume(returning: result)
            }
            _ = provider.run(service: Self.characters, completion: completion) { _ in throw inner }
        }
        if case .failure(let error) = handled { ends.append(error) }
        #expect(ends.count == 3)
        for end in ends {
            let text =
                "The server didn't respond in time. (URLError -1001, https://auth.example.com:443)"
            #expect(end?.description == text)
        }
    }

    @Test func longTextsAreCut() async {
        let words = [NSLocalizedDescriptionKey: String(repeating: "x\n", count: 5_000)]
        let error = await error(over: Canned(error: URLError(.unknown, userInfo: words)))
        #expect(error?.description.count == 400)
        #expect(error?.description.contains("\n") == false)
    }
}
