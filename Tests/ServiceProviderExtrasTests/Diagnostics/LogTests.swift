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

@Suite(.serialized, .opensFiles, .timeLimit) struct LogTests {
    /// Returns the log entries of these calls.
    private func entries(
        _ contents: ServiceLog.Contents, bodyLimit: Int = 4_096,
        transport: any ServiceTransport = TransportUnderTest.ownSession.make(),
        inner: [any ServiceInterceptor] = [], of services: [TestService]
    ) async -> [String] {
        let clock = TestClock()
        let entries = Locked<[String]>([])
        let log = ServiceLog(contents, maximumBodySize: bodyLimit, clock: clock.clock) { entry in
            entries { $0.append(entry.message) }
        }
        let passing = Intercept { request, next in
            clock.advance(by: 0.123)
            return try await next(request)
        }
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [log, passing] + inner)
        for service in services { _ = await provider.outcome(of: service) }
        return entries { $0 }.map { transcribed($0, as: .log) }
    }

    /// Returns the log entry of a response that no real server could send.
    private func entry(
        _ response: Canned, bodyLimit: Int = 4_096, headers: [String: String] = [:]
    ) async -> String {
        var service = TestService(baseURL: "https://example.com", path: "/a")
        service.headers = headers
        return await entries(.bodies, bodyLimit: bodyLimit, transport: response, of: [service])
            .joined(separator: "\n---\n")
    }

    struct Canned: ServiceTransport {
        var type = "application/x-www-form-urlencoded"
        var data = Data()
        var fields: [String: String] = [:]
        var error: (any Error)?

        func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            if let error { throw error }
            let fields = fields.merging(["Content-Type": type]) { $1 }
            return try request.respond(200, headers: fields, data: data)
        }
    }

    @Test func eachCallIsOneLine() async throws {
        let server = try LoopbackServer(responses: [.text("12345"), .statusCode(404)])
        var second = server.service("/b", method: .post)
        second.body = .data(Data("123".utf8), contentType: "text/plain")
        let entries = await entries(.line, of: [server.service("/a?"), second])
        #expect(
            entries == [
                "GET \(server.baseURL)/a%3F → 200 in 0.123 s, sent 0 bytes, received 5 bytes",
                "POST \(server.baseURL)/b → 404 in 0.123 s, sent 3 bytes, received 0 bytes",
            ])
    }

    @Test func headersAreSortedAndShownAsSent() async throws {
        let server = try LoopbackServer(responses: [.text("body?").header("A-First", "1")])
        var service = server.service("/a")
        service.headers = ["X-A": "1", "Accept": "2"]
        let token = "Bearer \(canary("inner token"))"
        let inner = Intercept.changing {
            $0.urlRequest.setValue(token, forHTTPHeaderField: "Authorization")
        }
        let lines = await entries(.headers, inner: [inner, ServiceMeter()], of: [service])[0]
            .components(separatedBy: "\n")
        let sent = lines.filter { $0.hasPrefix(">") }
        #expect(sent == ["> Accept: 2", "> Authorization: ***", "> X-A: ***"])
        let received = lines.filter { $0.hasPrefix("<") }
        #expect(received.first == "< A-First: ***")
        #expect(received == received.sorted() && received.contains("< Content-Length: 5"))
        let metrics = lines.filter { $0.hasPrefix("* ") }
        #expect(metrics.count == 1 && metrics[0].contains(/, total [0-9]+\.[0-9]{3} s$/))
        #expect(lines.count == 2 + sent.count + received.count)
        #expect(!lines.joined().contains("body?"))
    }

    @Test func bodiesAreShown() async throws {
        let server = try LoopbackServer(responses: [.json("{\n\t\"a\": 1\n}")])
        var service = server.service("/a", method: .post)
        service.body = .data(Data("[\n2]".utf8), contentType: "application/json")
        let entry = await entries(.bodies, of: [service])[0]
        #expect(entry.contains("> Content-Type: application/json\n> \n> [\n> 2]\n< "))
        #expect(entry.hasSuffix("\n< \n< {\n< \t\"a\": 1\n< }"))
    }

    @Test(
        .row("H9"),
        arguments: [
            ("image/png", Data([1, 2, 3]), "(3 bytes of image/png)"),
            ("text/plain", Data("canary".utf8), "(6 bytes of text/plain)"),
            ("text/html", Data("&lt;canary&gt;".utf8), "(14 bytes of text/html)"),
            ("application/json; charset=ISO-8859-1", Data([0x22, 0xFF, 0x22]), "\"ÿ\""),
            ("a/json; charset=iso-8859-15", Data([49]), "(1 bytes of a/json; charset=iso-8859-15)"),
            ("application/json", Data("a\0b".utf8), "(3 bytes of application/json)"),
            ("application/problem+json", Data("\"é\"".utf8), "\"é\""),
            ("text/xml", Data("<password>x</password>".utf8), "(22 bytes of text/xml)"),
            ("multipart/form-data", Data("--b".utf8), "(3 bytes of multipart/form-data)"),
            ("application/x-www-form-urlencoded", Data("a=1&key=b".utf8), "a=1&key=***"),
        ])
    func onlyJSONAndFormsAreShown(_ type: String, _ data: Data, _ shown: String) async {
        #expect(await entry(Canned(type: type, data: data)).hasSuffix("\n< \n< \(shown)"))
    }

    @Test(arguments: [
        (Canned(error: URLError(.timedOut)), "0 bytes: URLError -1001"),
        (Canned(error: CancellationError()), "0 bytes, cancelled"),
        (Canned(error: ServiceError.invalidRequest(.body, reason: "key=abcdef")), "key=abcdef"),
    ])
    func errorsAreShown(_ transport: Canned, _ end: String) async {
        let entry = await entry(transport)
        #expect(entry.hasPrefix("GET https://example.com/a → failed in 0.123 s, "))
        #expect(entry.contains(end))
    }

    @Test func redirectsShowTheirTarget() async throws {
        let server = try LoopbackServer(responses: [.redirect(to: "/b"), .text("b")])
        let entry = await entries(.line, of: [server.service("/a")])[0]
        #expect(entry.hasPrefix("GET \(server.baseURL)/a → \(server.baseURL)/b → 200 in"))
    }

    /// A response can't forge a log line or control the terminal.
    @Test(.row("H4")) func controlCharactersAreEscaped() async {
        let hostile = "a\r\nGET https://x → 200\u{1B}[31m\u{202E}b\u{2028}c\u{85}\u{7F}"
        let response = Canned(data: Data(hostile.utf8), fields: ["Server": "v\u{1B}[2J\u{200F}w"])
        let entry = await entry(response)
        let isSafe = entry.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: $0 == "\n"
            default: true
            }
        }
        #expect(isSafe)
        #expect(entry.contains(#"< Server: v\u{1B}[2J\u{200F}w"#))
        let end = #"GET https://x → 200\u{1B}[31m\u{202E}b\u{2028}c\u{85}\u{7F}"#
        #expect(entry.hasSuffix("< a\\u{D}\n< \(end)"))
        let invalid = Canned(error: ServiceError.invalidRequest(.path, reason: "\n\u{1B}"))
        let line = await self.entry(invalid).unicodeScalars
        #expect(!line.contains("\u{1B}") && line.filter { $0 == "\n" }.count == 0)
    }

    @Test(.row("H8"), arguments: [-1, 0, 1, 10, 24, 25, 30, 31, 40, 90, .max])
    func secretsAreRedactedBeforeBodiesAreCut(_ limit: Int) async {
        let json = #"{"b":["x"],"first":"1234567","token":"\#(canary("cut body"))"}"#
        let response = Canned(type: "application/json", data: Data(json.utf8))
        let entry = await entry(response, bodyLimit: limit)
        let whole = #"{"b":["x"],"first":"1234567","token":"***"}"#
        let size = limit < whole.count ? "… (\(json.utf8.count) bytes of application/json)" : ""
        #expect(entry.hasSuffix("\n< \n< \(whole.prefix(max(limit, 0)))\(size)"))
    }

    /// Finding their secrets would take too long.
    @Test(.slow) func bodiesOfMoreThanOneMegabyteAreNotShown() async {
        let size = 1 << 20
        let whole = Canned(data: Data(repeating: UInt8(ascii: "a"), count: size))
        #expect(
            await entry(whole).hasSuffix(
                "\n< \n< \(String(repeating: "a", count: 4_096))… (\(size) bytes of \(whole.type))")
        )
        let more = Canned(data: Data(repeating: UInt8(ascii: "a"), count: size + 1))
        #expect(await entry(more).hasSuffix("\n< \n< (\(size + 1) bytes of \(more.type))"))
        #expect(await entry(more, bodyLimit: size).contains("aaa"))
    }

    @Test(.row("H5"), arguments: [0, 1, 2, 3]) func cutsKeepCharactersWhole(_ offset: Int) async {
        let plain = Canned(data: Data(String(repeating: "aé€😀", count: 9_999).utf8))
        let start = "aé€😀aé€😀a".prefix(6 + offset)
        #expect(await entry(plain, bodyLimit: 6 + offset).contains("\n< \(start)… ("))
    }
}
