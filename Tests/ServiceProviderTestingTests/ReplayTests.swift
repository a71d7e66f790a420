// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Archives written by hand in the formats of several browsers, and invalid ones.
@Suite(.serialized, .opensFiles, .timeLimit) struct ReplayTests {
    /// In Chrome's export format: HTTP/2, compressed responses, extra fields.
    static let chrome = """
        {"log":{"version":"1.2","creator":{"name":"WebInspector","version":"537.36"},"pages":[],"entries":[
        {"_initiator":{"type":"script","stack":{"callFrames":[{"lineNumber":1}]}},"_priority":"High",
        "cache":{"beforeRequest":{"eTag":"x"}},"connection":"443","startedDateTime":"2024-01-01T00:00:00.000Z",
        "request":{"method":"GET","url":"https://example.com/a%20b?x=1&y=%C3%A9+z","httpVersion":"http/2.0",
        "headers":[{"name":":authority","value":"example.com"}],"queryString":[],"cookies":[],"headersSize":-1,
        "bodySize":0},"response":{"status":200,"statusText":"","httpVersion":"http/2.0","headers":[
        {"name":":status","value":"200"},{"name":"content-encoding","value":"br"},
        {"name":"content-length","value":"3"},{"name":"vary","value":"a"},{"name":"vary","value":"b"},
        {"name":"content-type","value":"text/plain"}],"cookies":[],"content":{"size":11,
        "mimeType":"text/plain","text":"hello chrome"},"redirectURL":"","headersSize":-1,"bodySize":-1,
        "_transferSize":99,"_error":null},"serverIPAddress":"1.2.3.4","time":12.5,"timings":{"blocked":-1}},
        {"request":{"method":"GET","url":"https://example.com/blocked","headers":[]},
        "response":{"status":0,"statusText":"","headers":[],"content":{"size":0,"mimeType":"x-unknown"},
        "redirectURL":"","_error":"net::ERR_CONNECTION_REFUSED"}},
        {"request":{"method":"GET","url":"https://example.com/from"},"response":{"status":302,
        "headers":[{"name":"location","value":"/to"}],"content":{"size":0,"mimeType":""},"redirectURL":"/to"}},
        {"request":{"method":"GET","url":"https://example.com/to"},"response":{"status":200,
        "content":{"size":2,"mimeType":"image/gif","text":"AP8=","encoding":"base64"}}},
        {"request":{"method":"GET","url":"wss://example.com/socket"},"response":{"status":101},
        "_webSocketMessages":[{"type":"send","data":"x"}]}]}}
        """
    /// In Firefox's export format: a form with `params`, a response without `text`.
    static let firefox = """
        {"log":{"version":"1.2","creator":{"name":"Firefox","version":"120"},"browser":{"name":"Firefox"},
        "entries":[{"pageref":"page_1","request":{"bodySize":9,"method":"POST","url":"https://example.com/form",
        "httpVersion":"HTTP/1.1","headers":[{"name":"Host","value":"example.com"}],"cookies":[],
        "queryString":[],"headersSize":1,"postData":{"mimeType":"application/x-www-form-urlencoded",
        "params":[{"name":"a","value":"1"}],"text":"a=1&b=two"}},"response":{"status":201,
        "headers":[{"name":"Set-Cookie","value":"a=b"}],"content":{"mimeType":"text/html","size":0,
        "comment":"Response bodies are not included."},"redirectURL":"","bodySize":-4},"cache":{}},
        {"request":{"method":"GET","url":"https://example.com"}}]}}
        """
    /// In Safari's export format, with another charset.
    static let safari = """
        {"log":{"version":"1.2","creator":{"name":"WebKit Web Inspector","version":"1.0"},"entries":[
        {"request":{"method":"GET","url":"https://EXAMPLE.com/l","headers":[],"_x":1},"response":{"status":200,
        "headers":[{"name":"Content-Type","value":"text/plain; charset=ISO-8859-1"}],"content":{"size":-1,
        "compression":0,"mimeType":"text/plain; charset=ISO-8859-1","text":"\\u00e9"},"redirectURL":"",
        "_fetchType":"Network Load"}}]}}
        """

    static func provider(_ har: String) throws -> ServiceProvider<TestService> {
        let replay = try ServiceReplay(data: Data(har.utf8))
        return ServiceProvider(
            transport: StubTransport {
                try $0.respond(200, headers: ["Content-Type": "text/plain"], data: Data())
            }, interceptors: [replay])
    }

    private func service(_ path: String, query: String = "") -> TestService {
        TestService(baseURL: "https://example.com\(query)", path: path)
    }

    @Test func archivesFromChromeAreReplayed() async throws {
        let provider = try Self.provider(Self.chrome)
        let response = try await provider.response(
            service: service("/a b", query: "?y=%C3%A9%20z&x=1"))
        #expect(String(decoding: response.data, as: UTF8.self) == "hello chrome")
        let fields = response.headers
        let names = Set(fields.keys.map { $0.lowercased() })
        #expect(names == ["content-length", "content-type", "vary"])
        #expect(response.header("Content-Length") == "12")
        #expect(response.header("Vary") == "a, b")
        #expect(try await provider.failure(of: service("/blocked")).urlErrorCode == .unknown)
        #expect(try await provider.load(service: service("/from")) == Data([0, 255]))
    }

    @Test func archivesFromFirefoxAndSafariAreReplayed() async throws {
        let firefox = try Self.provider(Self.firefox)
        var form = service("/form")
        form.method = .post
        form.body = .data(Data("a=1&b=two".utf8), contentType: "text/plain")
        let response = try await firefox.response(service: form)
        #expect(response.statusCode == 201 && response.data.isEmpty)
        form.body = .data(Data("a=1&b=three".utf8), contentType: "text/plain")
        let error = try await firefox.failure(of: form)
        #expect(transcribed(error.description, as: .error).hasSuffix("differs in: body."))
        #expect(try await firefox.failure(of: service("/")).urlErrorCode == .unknown)
        let safari = try Self.provider(Self.safari)
        #expect(try await safari.load(service: service("/l")) == Data([0xE9]))
    }

    static func archive(_ entries: [(url: String, body: String?, response: String)]) throws
        -> String
    {
        let list = entries.map { entry -> [String: Any] in
            var request: [String: Any] = ["method": "POST", "url": entry.url]
            request["postData"] = entry.body.map { ["text": $0] }
            return [
                "request": request,
                "response": ["status": 200, "content": ["text": entry.response]],
            ]
        }
        let json = try JSONSerialization.data(withJSONObject: ["log": ["entries": list]])
        return String(decoding: json, as: UTF8.self)
    }

    @Test(
        arguments: [
            ("/a", nil, "/a", "x", true), ("/a", "", "/a", "x", false), ("/a", "", "/a", "", true),
            ("/a?token=***&y=1", nil, "/a?y=1&token=secret", "", true),
            ("/a?x=***", nil, "/a?x=1", "", false), ("/a?x=1", nil, "/a?x=1&x=1", "", false),
            ("/a?x", nil, "/a?x=", "", true), ("/a?x=1#f", nil, "/a?x=1", "", true),
            (
                "/a", #"{"token":"***","b":[1,{"c":null}]}"#, "/a",
                #"{"b":[1,{"c":null}],"token":"x"}"#, true
            ),
            ("/a", #"{"token":"***","b":1}"#, "/a", #"{"token":"x","b":2}"#, false),
            ("/a", #"{"key":"***","b":1}"#, "/a", #"{"b": 1, "key": 123}"#, true),
            ("/a", "***", "/a", "", false),
        ] as [(String, String?, String, String, Bool)])
    func entriesMatchEquivalentRequests(
        _ recorded: String, _ body: String?, _ asked: String, _ sent: String, _ isMatch: Bool
    ) async throws {
        let har = try Self.archive([("https://joe@example.com" + recorded, body, "found")])
        let provider = try Self.provider(har)
        let parts = asked.components(separatedBy: "?")
        var service = service(parts[0], query: parts.count > 1 ? "?\(parts[1])" : "")
        service.method = .post
        service.body = .data(Data(sent.utf8), contentType: "application/json")
        // The query is part of the base URL.
        service.baseURL = "https://example.com" + (parts.count > 1 ? "?\(parts[1])" : "")
        #expect(await provider.outcome(of: service).isSuccess == isMatch)
    }

    @Test func severalResponsesAreReplayedInOrder() async throws {
        let url = "https://example.com/a"
        let har = try Self.archive([(url, nil, "1"), (url + "/b", nil, "b"), (url, nil, "2")])
        let provider = try Self.provider(har)
        var service = service("/a")
        service.method = .post
        for expected in ["1", "2", "2", "2"] {
            #expect(try await provider.load(service: service) == Data(expected.utf8))
        }
    }

    @Test(arguments: [
        ("/v1/heroes", "?id=1", "POST /v1/heroes', differs in: 'id'."),
        ("/v1/hero", "?id=2", "POST /v1/heroes', differs in: path."),
        ("/v2/x", "", "POST /v2/villains', differs in: path."),
    ])
    func theErrorNamesTheNearestEntry(_ path: String, _ query: String, _ end: String) async throws {
        let har = try Self.archive([
            ("https://example.com/v2/villains", nil, ""),
            ("https://example.com/v1/heroes?id=2", nil, ""),
        ])
        let key = canary("replayed query")
        var service = service(path, query: query)
        service.method = .post
        service.headers = ["X-Api-Key": key]
        let error = try await Self.provider(har).failure(of: service)
        let text = transcribed(error.description, as: .error)
        #expect(text.hasSuffix("has no entry for 'POST \(path)'; the nearest, '\(end)"), "\(text)")
        guard case .interceptor(let cause) = error else { throw error }
        #expect(cause is ServiceReplayError)
        let empty = try await Self.provider(#"{"log":{"entries":[]}}"#).failure(of: service)
        #expect(empty.description.hasSuffix("; it's empty."))
    }

    @Test(arguments: [
        ("", "it isn't JSON"), ("{", "it isn't JSON"), ("[]", "the archive has the wrong type"),
        ("{}", "'log' is missing"), (#"{"log":{}}"#, "'log.entries' is missing"),
        (
            #"{"log":{"entries":[{"request":{"url":"x"}}]}}"#,
            "'log.entries.0.request.method' is missing"
        ),
        (
            #"{"log":{"entries":[{"request":{"method":"GET","url":1}}]}}"#,
            "'log.entries.0.request.url' has the wrong type"
        ),
        (
            #"{"log":{"entries":[{"request":{"method":"GET","url":null}}]}}"#,
            "'log.entries.0.request.url' is null"
        ),
        (
            #"{"log":{"entries":[{"request":{"method":"GET","url":"\ud800"}}]}}"#,
            "'log.entries.0.request.url' isn't a valid value"
        ),
        (
            entry(#""headers":[{"name":"A","value":"1"},{"name":"B","value":null}]"#),
            "'log.entries.0.response.headers.1.value' is null"
        ),
        (
            entry(#""headers":[{"name":"A B","value":"1"}]"#),
            "'log.entries.0.response.headers.0.name' isn't a valid header name"
        ),
        (
            entry(#""content":{"text":"\udc00"}"#),
            "'log.entries.0.response.content.text' isn't a valid value"
        ),
        (entry(#""status":99999"#), "'log.entries.0.response.status' isn't a status code: 99999"),
        (entry(#""status":-1"#), "'log.entries.0.response.status' isn't a status code: -1"),
        (entry(#""status":99"#), "'log.entries.0.response.status' isn't a status code: 99"),
        (entry(#""status":200.5"#), "'log.entries.0.response.status' isn't a status code: 200.5"),
        (entry(#""status":1e99"#), "'log.entries.0.response.status' isn't a status code: 1e+99"),
        (
            entry(#""status":200,"content":{"text":"?","encoding":"base64"}"#),
            "'log.entries.0.response.content.text' isn't Base64"
        ),
        (String(repeating: "[", count: 200_000), "it isn't JSON"),
    ])
    func invalidArchivesAreRefused(_ text: String, _ reason: String) throws {
        let error = #expect(throws: ServiceReplayError.self) {
            try ServiceReplay(data: Data(text.utf8))
        }
        #expect(error == .invalidArchive(reason))
        #expect(error?.localizedDescription == "The file isn't an HTTP Archive: \(reason).")
    }

    @Test func aMissingArchiveIsRefused() throws {
        let file = try TemporaryFolder().file("none.har")
        let error = #expect(throws: ServiceError.self) { try ServiceReplay(file: file) }
        let text = try #require(error?.description)
        let start = "Invalid file: '\(file.path)' can't be read: "
        #expect(text.hasPrefix(start) && text.count > start.count)
    }

    static func entry(_ response: String) -> String {
        #"{"log":{"entries":[{"request":{"method":"GET","url":"https://h/"},"response":{\#(response)}}]}}"#
    }

    /// A body missing from the recording isn't the same as an empty body.
    @Test(arguments: [
        (#"{"size":-1}"#, true), (#"{"size":7}"#, true), (#"{"size":0}"#, false), ("{}", false),
    ])
    func missingBodiesAreErrors(_ content: String, _ isMissing: Bool) async throws {
        let provider = try Self.provider(Self.entry(#""status":200,"content":\#(content)"#))
        let service = TestService(baseURL: "https://h/")
        guard isMissing else {
            #expect(try await provider.load(service: service).isEmpty)
            return
        }
        let error = try await provider.failure(of: service)
        #expect(
            error.description.contains(
                "The archive doesn't contain the body of the response to 'GET /'."))
    }

    private static func load(
        _ entry: String, method: ServiceMethod = .get
    ) async throws -> ServiceResponse {
        var service = TestService(baseURL: "https://h/")
        service.method = method
        service.validStatusCodes = Set(200...999)
        return try await provider(entry).response(service: service)
    }

    /// The text in an archive is Unicode, whatever charset it was sent in.
    @Test(arguments: [
        "windows-1251", "utf-16", "Shift_JIS", "koi8-r", "gbk", "iso-8859-1", "klingon",
    ])
    func textsOfAnyCharsetAreReplayed(_ charset: String) async throws {
        let type = "text/plain; charset=\(charset)"
        let text = charset == "Shift_JIS" ? "日本" : charset == "iso-8859-1" ? "é" : "Привет"
        let response = try await Self.load(
            Self.entry(
                #""status":200,"headers":[{"name":"content-type","value":"\#(type)"}],"#
                    + #""content":{"text":"\#(text)","mimeType":"\#(type)"}"#))
        #expect((response.textInCharset ?? response.text) == text)
    }

    /// Chrome joins the values of a repeated header with line feeds.
    @Test func lineBreaksInHeadersSeparateValues() async throws {
        let response = try await Self.load(
            Self.entry(
                #""status":200,"headers":[{"name":"Set-Cookie","value":"a=1\nb=2\r\n c=3"},"#
                    + #"{"name":"x-a","value":"1"},{"name":"X-A","value":"2\u0000\r3"}]"#))
        let cookies = response.header("Set-Cookie")
        #expect(cookies == "a=1, b=2, c=3")
        #expect(response.header("X-A") == "1, 2  3")
    }

    @Test func head204And304ResponsesHaveNoBody() async throws {
        let har = Self.entry(
            #""status":200,"headers":[{"name":"Content-Length","value":"1234"}],"#
                + #""content":{"size":1234}"#
        ).replacingOccurrences(of: "GET", with: "HEAD")
        let head = try await Self.load(har, method: .head)
        #expect(head.header("Content-Length") == "1234" && head.data.isEmpty)
        for status in [204, 304] {
            for content in [#"{"size":7}"#, #"{"size":7,"text":"a body!"}"#] {
                let entry = Self.entry(#""status":\#(status),"content":\#(content)"#)
                let response = try await Self.load(entry)
                #expect(response.statusCode == status && response.data.isEmpty)
            }
        }
    }

    @Test func anEncodedSlashIsNotASeparator() async throws {
        let har = try Self.archive([
            ("https://example.com/a%2Fb", nil, "one"), ("https://example.com/a/b", nil, "two"),
        ])
        struct Encoded: Service {
            let encodedPath: String
            var baseURL: String { "https://example.com/\(encodedPath)" }
            var path: String { "" }
            var method: ServiceMethod { .post }
        }
        let replay = try ServiceReplay(data: Data(har.utf8))
        let provider = ServiceProvider<Encoded>(interceptors: [replay])
        for (path, body) in [
            ("a/b", "two"), ("a%2fb", "one"), ("%61%2Fb", "one"), ("a/%62", "two"),
        ] {
            let found = try await provider.load(service: Encoded(encodedPath: path))
            #expect(found == Data(body.utf8))
        }
    }

    @Test func oddResponsesDoNotTrap() async throws {
        let odd =
            #""status":999,"headers":[{"name":"X","value":"\u0000"}],"content":{"text":"","size":-9}"#
        let provider = try Self.provider(Self.entry(odd))
        let error = try await provider.failure(of: TestService(baseURL: "https://h/"))
        #expect(error.unacceptableStatus == 999 || error.urlErrorCode == .badServerResponse)
    }

    /// In linear time.
    @Test func manyItemsWithTheSameNameAreCompared() async throws {
        func items(_ numbers: some Collection<Int>) -> String {
            "https://h/?" + numbers.map { "id=\($0)" }.joined(separator: "&")
        }
        for (recorded, sent, isFound) in [
            (items(0..<20_000), items((0..<20_000).reversed()), true),
            (items(20_000..<40_000), items(0..<20_000), false),
            (items([1, 1, 2]), items([1, 2, 2]), false),
        ] {
            let entry = Self.entry(#""status":200"#).replacingOccurrences(
                of: "https://h/", with: recorded)
            let provider = try Self.provider(entry)
            let service = TestService(baseURL: sent)
            let outcome = try await within(seconds: 60) { await provider.outcome(of: service) }
            #expect(outcome.isSuccess == isFound)
        }
    }
}
