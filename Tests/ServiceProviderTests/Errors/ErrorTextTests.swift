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

    /// The platform's text for 409, used if the server sends no message.
    static let meaning = HTTPURLResponse.localizedString(forStatusCode: 409)

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
        do throws(ServiceError) {
            _ = try await provider.load(service: endpoint, decodeType: Page.self)
            return nil
        } catch {
            transcribed(error.description, as: .error)
            return error
        }
    }

    @Test(
        arguments: [
            (
                TestService(baseURL: "ftp://h", path: "/characters"),
                "Invalid base URL: 'ftp://h' isn't a valid http(s) URL."
            ),
            (
                TestService(
                    baseURL: "https://user:\(canary("broken URL"))@", path: "/characters"),
                "Invalid base URL: it isn't a valid http(s) URL."
            ),
            // With a combining mark, "@" and ":" are the first part of another Character.
            (
                TestService(baseURL: "http://joe:\(canary("combining mark"))@\u{599}%zz"),
                "Invalid base URL: it isn't a valid http(s) URL."
            ),
            (
                TestService(headers: ["X-A:\u{599}\(canary("combining mark"))": ""]),
                "Invalid header: 'X-A:' isn't a valid name."
            ),
            (
                TestService(baseURL: "https://exa mple.com?k=s"),
                "Invalid base URL: 'https://exa mple.com' isn't a valid http(s) URL."
            ),
            (
                TestService(baseURL: "https://example.com/movies?hd=[1]"),
                """
                Invalid base URL: the query of 'https://example.com/movies' contains '[', which must be \
                percent-encoded.
                """
            ),
            (
                TestService(baseURL: "https://example.com/mo\u{E9}s"),
                """
                Invalid base URL: the path of 'https://example.com/mo\u{E9}s' contains '\u{E9}', which \
                must be percent-encoded.
                """
            ),
            (
                TestService(baseURL: "https:///v1"), "Invalid base URL: 'https:///v1' has no host."
            ),
            (
                TestService(baseURL: "api.example.com/v1"),
                "Invalid base URL: 'api.example.com/v1' has no scheme such as 'https://'."
            ),
            (TestService(path: "../x"), "Invalid path: '../x' has a segment '.' or '..'."),
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
                "Invalid header: 'X A' isn't a valid name."
            ),
            (
                TestService(headers: ["content-length": "5"]),
                "Invalid header: the transport sets 'content-length'."
            ),
            (
                TestService(headers: ["X-A": "1", "x-a": "2"]),
                "Invalid header: 'x-a' is set twice, in different case."
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
        #expect(text.hasPrefix("Invalid body: 'scores.best': "))
    }

    @Test(arguments: [
        (
            URLError.Code.cannotConnectToHost,
            "The host 'api.example.com' refused the connection or can't be reached (URLError -1004)"
        ),
        (.cannotFindHost, "The host 'api.example.com' was not found (URLError -1003)"),
        (.timedOut, "The request to 'api.example.com' timed out (URLError -1001)"),
        (
            .networkConnectionLost,
            "The request to 'api.example.com' lost its connection (URLError -1005)"
        ),
        (.notConnectedToInternet, "There is no network connection (URLError -1009)"),
        (.unknown, "The request to 'api.example.com' failed (URLError -1)"),
        (.cannotCreateFile, "The file can't be written (URLError -3000)"),
    ])
    func textsOfTransportErrors(code: URLError.Code, text: String) async {
        let error = await error(over: Canned(error: URLError(code)))
        #expect(error?.description == text)
        #expect(error?.localizedDescription == text)
        #expect(error?.statusCode == nil)
    }

    @Test func addressesOfIPv6KeepTheirBrackets() async {
        let endpoint = TestService(baseURL: "http://[::1]:8080")
        let error = await error(of: endpoint, over: Canned(error: URLError(.timedOut)))
        #expect(error?.description == "The request to '[::1]:8080' timed out (URLError -1001)")
    }

    @Test func theReasonForAMissingNetworkIsKept() async {
        let info: [String: Any] = [
            "NSURLErrorNetworkUnavailableReasonKey": 2, "_kCFStreamErrorCodeKey": -9802,
            "NSErrorFailingURLStringKey": "https://api.example.com/?key=\(canary("failing URL"))",
        ]
        let canned = Canned(error: URLError(.dataNotAllowed, userInfo: info))
        guard case .transport(let cause) = await error(over: canned) else {
            Issue.record("Not a transport error.")
            return
        }
        #expect(cause.userInfo["NSURLErrorNetworkUnavailableReasonKey"] as? Int == 2)
        #expect(cause.userInfo["_kCFStreamErrorCodeKey"] as? Int == -9802)
        #expect(cause.userInfo["NSErrorFailingURLStringKey"] == nil)
    }

    @Test func platformDescriptionsComeLast() async {
        let words = [NSLocalizedDescriptionKey: "Broken pipe"]
        let error = await error(over: Canned(error: URLError(.unknown, userInfo: words)))
        #expect(error?.description.hasSuffix("(URLError -1): Broken pipe") == true)
    }

    @Test(arguments: [
        (
            #"{"code":"MissingParameter","message":"You must provide a hash."}"#,
            "You must provide a hash."
        ),
        (
            #"{"code":409,"status":"You may not request more than 100 items."}"#,
            "You may not request more than 100 items."
        ),
        (#"{"type":"about:blank","title":"Conflict","detail":"Taken."}"#, "Taken."),
        (#"{"error":"invalid_grant","error_description":"Expired."}"#, "Expired."),
        (#"{"error":{"message":"Nested."}}"#, "Nested."),
        (#"{"errors":[{"message":"First."},{"message":"Second."}]}"#, "First."),
        (#"{"errors":{"name":["is too short"],"email":["is taken","is odd"]}}"#, "email: is taken"),
        (#"{"title":"Invalid","errors":{"a":[],"b":{"c":1},"d":"no"}}"#, "d: no"),
        (#"{"errors":{"a":"no","message":"First."}}"#, "First."),
        (#"{"status_code":7,"status_message":"Invalid API key."}"#, "Invalid API key."),
        ("<html>500</html>", meaning),
        ("", meaning),
        (#"{"message":"two\nlines \u001b[31m"}"#, "two lines  [31m"),
    ])
    func serverMessagesAreShown(body: String, words: String) async {
        let error = await error(over: Canned(status: 409, body: body))
        #expect(error?.description == "The server answered 409 for 'GET /v1/characters': \(words)")
        #expect(error?.statusCode == 409)
    }

    /// But a path that may have a password isn't shown.
    @Test func anEmptyPathIsShownAsASlash() async throws {
        let endpoint = TestService(baseURL: "https://api.example.com", path: "")
        let error = await error(of: endpoint, over: Canned(status: 409))
        #expect(error?.description == "The server answered 409 for 'GET /': \(Self.meaning)")
        let url = try #require(URL(string: "https://example.com/https://joe:sesame@example.com"))
        #expect(ServiceRequest(URLRequest(url: url)).description == "GET ")
    }

    /// A message deeper than eight levels, or in a longer body, isn't looked for.
    @Test func deepAndLongMessagesAreNotShown() async {
        for (depth, isShown) in [(8, true), (9, false)] {
            let body =
                String(repeating: #"{"error":"#, count: depth) + #""no""#
                + String(repeating: "}", count: depth)
            let error = await error(over: Canned(status: 409, body: body))
            #expect(error?.description.hasSuffix(isShown ? ": no" : Self.meaning) == true)
        }
        for (size, isShown) in [(65_536, true), (65_537, false)] {
            let body = #"{"error":"no"}"#
            let padded = body + String(repeating: " ", count: size - body.utf8.count)
            let error = await error(over: Canned(status: 409, body: padded))
            #expect(error?.description.hasSuffix(isShown ? ": no" : Self.meaning) == true)
        }
    }

    /// The members of nested `errors` are looked at once, not twice at each level.
    @Test func nestedErrorsDoNotMultiplyTheWork() async throws {
        let strings = "[" + Array(repeating: #""""#, count: 5_000).joined(separator: ",") + "]"
        var times: [TimeInterval] = []
        for depth in [1, 7] {
            let body =
                String(repeating: #"{"errors":"#, count: depth) + strings
                + String(repeating: "}", count: depth)
            let error = try #require(await error(over: Canned(status: 409, body: body)))
            times.append(
                (0..<5).map { _ in
                    let start = threadTime()
                    #expect(error.description.hasSuffix(Self.meaning))
                    return threadTime() - start
                }.min()!)
        }
        #expect(times[1] < 3 * times[0])
    }

    /// Base64 with one "=" at its end. It isn't the name of a parameter.
    @Test func tokensThatEndLikeANameAreHidden() async {
        let token = "Y2FuYXJ5dG9rZW4"
        let endpoint = TestService(headers: ["X-Key": "\(token)=&version=1"])
        let body = #"{"error":"no key \#(token)"}"#
        let error = await error(of: endpoint, over: Canned(status: 400, body: body))
        #expect(error?.description.contains(token) == false)
    }

    /// A server may write a token in another case, and a name at the start of a sentence.
    @Test func wordsInAnotherCaseAreHidden() async {
        let token = canary("token in another case")
        for place in [
            TestService(parameters: ["key": token]),
            TestService(headers: ["X-Key": token]),
            TestService(method: .post, parameters: ["key": token]),
            TestService(parameters: ["key": token.uppercased()]),
        ] {
            for repeated in [token.uppercased(), token.lowercased(), token.capitalized] {
                let body = #"{"error":"no key '\#(repeated)', \#(repeated) or x\#(repeated)"}"#
                let error = await error(of: place, over: Canned(status: 400, body: body))
                let text = error?.description.lowercased() ?? token
                #expect(text.hasSuffix("no key *** *** or ***"), "\(text)")
            }
        }
        for destination in [ServiceParameterEncoding.Destination.query, .form, .json] {
            var endpoint = TestService(method: .post, parameters: ["username": "joe"])
            endpoint.parameterEncoding.destination = destination
            let body = #"{"error":"Username is taken."}"#
            let error = await error(of: endpoint, over: Canned(status: 400, body: body))
            #expect(error?.description.hasSuffix(": Username is taken.") == true)
        }
    }

    /// In a query and a form, the name of an empty value can't be told from a token.
    @Test func namesOfParametersAreShownIfTheyAreClear() async {
        let cases: [(ServiceParameterEncoding.Destination, [String: Any], Bool)] = [
            (.query, ["username": "x"], true), (.query, ["username": ""], false),
            (.query, ["user": ["username": "x"]], false), (.form, ["username": "x"], true),
            (.form, ["username": ""], false), (.json, ["username": ""], true),
            (.json, ["user": ["username": "x"]], true),
        ]
        for (destination, parameters, isShown) in cases {
            var endpoint = TestService(method: .post, parameters: parameters)
            endpoint.parameterEncoding.destination = destination
            let body = #"{"error":"username can't be blank"}"#
            let error = await error(of: endpoint, over: Canned(status: 400, body: body))
            let text = isShown ? ": username can't be blank" : ": *** can't be blank"
            #expect(error?.description.hasSuffix(text) == true, "\(parameters)")
        }
    }

    /// Short words are hidden only after a secret one.
    @Test func shortWordsOfTheRequestAreShown() async {
        let endpoint = TestService(parameters: ["q": "no or yes"])
        let error = await error(
            of: endpoint, over: Canned(status: 400, body: #"{"error":"or what"}"#))
        #expect(error?.description.hasSuffix(": or what") == true)
    }

    @Test func plainTextBodiesAreShown() async {
        let plain = Canned(status: 500, headers: ["Content-Type": "text/plain"], body: "No disk.")
        #expect(await error(over: plain)?.description.hasSuffix(": No disk.") == true)
    }

    @Test(arguments: ["", "/a//"]) func malformedTargetsOfRedirectsShowNoPassword(path: String)
        async
    {
        let target = path + "joe:\(canary("malformed Location"))@\u{599}files.example.com"
        let error = await error(over: Canned(status: 302, headers: ["Location": target]))
        #expect(error?.description.contains("files") == false)
    }

    @Test(arguments: ["http://[", "?", "http://a b/"])
    func unfollowedRedirectsToAnInvalidURLHaveAText(target: String) async {
        let error = await error(over: Canned(status: 302, headers: ["Location": target]))
        let text = "the redirect to another URL isn't followed."
        #expect(error?.description.hasSuffix(text) == true, "\(String(describing: error))")
    }

    @Test func unfollowedRedirectsNameTheirTarget() async {
        let location = [
            "Location":
                "ftp://u:\(canary("Location"))@files.example.com/x?token=\(canary("Location"))"
        ]
        let error = await error(over: Canned(status: 302, headers: location))
        let place = "ftp://files.example.com/x"
        #expect(error?.description.hasSuffix("the redirect to '\(place)' isn't followed.") == true)
    }

    @Test(arguments: [
        (
            #"{"data":{"results":[{"id":1},{"id":"2"}]}}"#,
            "Decoding 'Page' failed at 'data.results[1].id': "
        ),
        (
            #"{"data":{"results":[{}]}}"#,
            "Decoding 'Page' failed at 'data.results[0].id': the value is missing."
        ),
        (
            #"{"data":{"results":[{"id":null}]}}"#,
            "Decoding 'Page' failed at 'data.results[0].id': "
        ),
        ("{", "Decoding 'Page' failed: the body isn't valid JSON, or a number"),
    ])
    func textsOfDecodingErrors(body: String, text: String) async {
        let error = await error(over: Canned(body: body))
        #expect(error?.description.hasPrefix(text) == true, "\(error?.description ?? "none")")
        #expect(error?.response?.data == Data(body.utf8))
    }

    #if os(Linux)
    /// Foundation's own text calls it invalid JSON.
    @Test(arguments: ["1.5", "1e30", "1e999", "99999999999999999999"])
    func aNumberThatDoesNotFitIsNamed(number: String) async {
        let body = #"{"data":{"results":[{"id":\#(number)}]}}"#
        let words = "the body isn't valid JSON, or a number in it doesn't fit its type."
        let error = await error(over: Canned(body: body))
        #expect(error?.description == "Decoding 'Page' failed: \(words)")
    }
    #endif

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
    }

    @Test func serverMessagesAreShortened() async {
        let error = await error(
            over: Canned(
                status: 500, body: #"{"message":"\#(String(repeating: "x", count: 5_000))"}"#))
        #expect(error?.description.count == 400)
    }

    static let sesame = canary("secret that a server repeats")

    static let requestsWithSecrets = [
        TestService(parameters: ["apikey": sesame]),
        TestService(parameters: ["access_token": sesame + " &"]),
        TestService(headers: ["Authorization": "Bearer \(sesame)"]),
        TestService(headers: ["X-Api-Key": sesame]),
        TestService(headers: ["Cookie": "sid=\(sesame)"]),
        TestService(method: .post, parameters: ["user": ["password": sesame]]),
        TestService(method: .post, body: .form(["password": sesame])),
    ]

    /// Servers may repeat a request in their response. Error texts must not show secrets from it.
    @Test(arguments: requestsWithSecrets)
    func secretsOfTheRequestAreRedacted(endpoint: TestService) async {
        let secret = Self.sesame + (endpoint.parameters?["access_token"] == nil ? "" : " &")
        let echo = Canned(status: 401, body: #"{"message":"'\#(secret)' is not a key"}"#)
        let text = await error(of: endpoint, over: echo)?.description ?? ""
        #expect(text.hasSuffix(" is not a key") && text.contains(": ***"))
        #expect(!text.contains(Self.sesame))
    }

    @Test(arguments: requestsWithSecrets)
    func secretsInsideLongerWordsAreRedacted(endpoint: TestService) async {
        for word in [
            "key\(Self.sesame)1", "https://h/\(Self.sesame)", "\(Self.sesame)\(Self.sesame)",
        ] {
            let echo = Canned(status: 401, body: #"{"message":"\#(word) is not a key"}"#)
            let text = await error(of: endpoint, over: echo)?.description ?? ""
            #expect(text.hasSuffix(": *** is not a key"))
        }
    }

    /// Servers may normalize text, and values may follow any punctuation.
    @Test(arguments: [
        ("caf\u{E9}secret", "cafe\u{301}secret"), ("cafe\u{301}secret", "caf\u{E9}secret"),
        ("pin\u{FF1A}geheim123", "xgeheim123"),
    ])
    func secretsInOtherFormsAreRedacted(sent: String, shown: String) async {
        let endpoint = TestService(parameters: ["key": sent])
        let echo = Canned(status: 401, body: #"{"message":"\#(shown) is not a key"}"#)
        let text = await error(of: endpoint, over: echo)?.description ?? ""
        #expect(text.hasSuffix(": *** is not a key"))
    }

    @Test func shortWordsAfterASecretWordAreRedacted() async {
        let endpoint = TestService(parameters: ["key": "geheim123 q"])
        let echo = Canned(status: 401, body: #"{"message":"geheim123 q is not a key"}"#)
        let text = await error(of: endpoint, over: echo)?.description ?? ""
        #expect(text.hasSuffix(": *** *** is not a key"))
    }

    /// One invalid escape must not keep the others from being decoded.
    @Test(arguments: [
        "q=%E9&key=wJalr%2FXUtn", "sale=50%&key=wJalr%2FXUtn", "q=%&key=%77Jalr%2FXUtn",
        "key=wJalr%2fXUtn&t=%C3", #"{"key":"wJalr\/XUtn","cut":"\u00"#,
        #"{"key":"\u0077Jalr\u002fXUtn"}"#, #"{"a":"\ud83d","b":"\\u","key":"wJalr\u002FXUtn"}"#,
        // The text begins with the last characters of a member's name.
        #"":{"key":"wJalr/XUtn"}"#,
    ])
    func secretsNearInvalidEscapesAreRedacted(body: String) throws {
        let url = try #require(URL(string: "https://h/"))
        var request = URLRequest(url: url)
        request.httpBody = Data(body.utf8)
        let message = Data("wJalr/XUtn is not a key".utf8)
        let answer = try ServiceRequest(request).answer(
            401, headers: ["Content-Type": "text/plain"], data: message)
        #expect(ServiceError.unacceptableStatus(answer).description.hasSuffix(": *** is not a key"))
    }

    /// The place where a long body is cut may be inside an escape.
    @Test(.slow) func secretsInLongFormsAreRedacted() throws {
        let url = try #require(URL(string: "https://h/"))
        for shift in 0..<6 {
            var request = URLRequest(url: url)
            let text =
                String(repeating: "a", count: shift) + String(repeating: "%C3%A4", count: 20_000)
            request.httpBody = Data("key=wJalr%2FXUtn&text=\(text)".utf8)
            let answer = try ServiceRequest(request).answer(
                401, headers: ["Content-Type": "text/plain"], data: Data("wJalr/XUtn is wrong".utf8)
            )
            #expect(ServiceError.unacceptableStatus(answer).description.hasSuffix(": *** is wrong"))
        }
    }

    /// The message has 80 words that weren't sent, and then a secret. Each word is searched in the whole request.
    @Test(
        .slow,
        arguments: [
            TestService(parameters: ["a": megabyte, "key": sesame]),
            TestService(headers: ["X-A": megabyte, "X-Key": sesame]),
            TestService(method: .post, body: .form(["key": sesame, "z": megabyte])),
        ])
    func longRequestsAreSearchedQuickly(endpoint: TestService) throws {
        let request = try endpoint.request()
        let message = String(repeating: "words ", count: 80) + Self.sesame
        let answer = try request.answer(
            400, headers: ["Content-Type": "text/plain"], data: Data(message.utf8))
        let start = threadTime()
        let text = ServiceError.unacceptableStatus(answer).description
        let time = threadTime() - start
        #expect(text.contains("words words") && time < 5, "\(time)")
        let short = try request.answer(
            400, headers: ["Content-Type": "text/plain"], data: Data(Self.sesame.utf8))
        #expect(ServiceError.unacceptableStatus(short).description.hasSuffix(": ***"))
    }

    private static let megabyte = String(repeating: "abc%20=e\u{22}", count: sanitized(100_000))

    /// The word in the message is longer than the parameter's name.
    @Test(arguments: [
        TestService(parameters: ["identifier": "1234567"]),
        TestService(method: .post, parameters: ["identifier": "1234567"]),
        TestService(method: .post, body: .form(["identifier": "1234567"])),
    ])
    func namesOfParametersAreShown(endpoint: TestService) async {
        let echo = Canned(status: 400, body: #"{"message":"identifiers: use identifier"}"#)
        let text = await error(of: endpoint, over: echo)?.description ?? ""
        #expect(text.hasSuffix("identifiers: use identifier"))
    }
}
