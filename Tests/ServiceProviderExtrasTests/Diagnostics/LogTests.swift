// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderDiagnostics
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

@Suite(.serialized, .opensFiles, .timeLimit) struct LogTests {
    /// Returns the log entries of these calls.
    private func entries(
        _ level: ServiceLog.Level, bodyLimit: Int = 4_096,
        transport: any ServiceTransport = TransportUnderTest.ownSession.make(),
        inner: [any ServiceInterceptor] = [], of services: [TestService]
    ) async -> [String] {
        let clock = TestClock()
        let entries = Locked<[String]>([])
        let log = ServiceLog(level, bodyLimit: bodyLimit, clock: clock.clock) { entry in
            entries { $0.append(entry) }
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
        _ answer: Canned, bodyLimit: Int = 4_096, headers: [String: String] = [:]
    ) async -> String {
        var service = TestService(baseURL: "https://example.com", path: "/a")
        service.headers = headers
        return await entries(.bodies, bodyLimit: bodyLimit, transport: answer, of: [service])
            .joined(separator: "\n---\n")
    }

    struct Canned: ServiceTransport {
        var type = "text/plain"
        var data = Data()
        var fields: [String: String] = [:]
        var error: (any Error)?

        func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            if let error { throw error }
            let fields = fields.merging(["Content-Type": type]) { $1 }
            return try request.answer(200, headers: fields, data: data)
        }
    }

    @Test func eachCallIsOneLine() async throws {
        let server = try LoopbackServer(responses: [.text("12345"), .status(404)])
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
        service.headers = ["X-B": "2", "X-A": "1"]
        let token = "Bearer \(canary("inner token"))"
        let inner = Intercept.changing {
            $0.urlRequest.setValue(token, forHTTPHeaderField: "Authorization")
        }
        let lines = await entries(.headers, inner: [inner, ServiceMeter()], of: [service])[0]
            .components(separatedBy: "\n")
        let sent = lines.filter { $0.hasPrefix(">") }
        #expect(sent == ["> Authorization: Bearer ***", "> X-A: 1", "> X-B: 2"])
        let answer = lines.filter { $0.hasPrefix("<") }
        #expect(answer.first == "< A-First: 1")
        #expect(answer == answer.sorted() && answer.contains("< Content-Length: 5"))
        let metrics = lines.filter { $0.hasPrefix("* ") }
        #expect(metrics.count == 1 && metrics[0].contains(/, total [0-9]+\.[0-9]{3} s$/))
        #expect(lines.count == 2 + sent.count + answer.count)
        #expect(!lines.joined().contains("body?"))
    }

    @Test func bodiesAreShown() async throws {
        let server = try LoopbackServer(responses: [.json("{\n\t\"a\": 1\n}")])
        var service = server.service("/a", method: .post)
        service.body = .data(Data("two\nlines".utf8), contentType: "text/plain")
        let entry = await entries(.bodies, of: [service])[0]
        #expect(entry.contains("> Content-Type: text/plain\n> \n> two\n> lines\n< "))
        #expect(entry.hasSuffix("\n< \n< {\n< \t\"a\": 1\n< }"))
    }

    @Test(arguments: [
        ("image/png", Data([1, 2, 3]), "(3 bytes of image/png)"),
        ("text/plain", Data([0x68, 0xFF]), "(2 bytes of text/plain)"),
        ("text/plain; charset=ISO-8859-1", Data([0x68, 0xFF]), "hÿ"),
        ("text/a; charset=iso-8859-15", Data([255]), "(1 bytes of text/a; charset=iso-8859-15)"),
        ("application/json", Data("a\0b".utf8), "(3 bytes of application/json)"),
        ("application/problem+json", Data("\"é\"".utf8), "\"é\""),
        ("text/xml", Data("<password>x</password>".utf8), "(22 bytes of text/xml)"),
        ("multipart/form-data", Data("--b".utf8), "(3 bytes of multipart/form-data)"),
        ("application/x-www-form-urlencoded", Data("a=1&key=b".utf8), "a=1&key=***"),
    ])
    func onlyTextBodiesAreShown(_ type: String, _ data: Data, _ shown: String) async {
        #expect(await entry(Canned(type: type, data: data)).hasSuffix("\n< \n< \(shown)"))
    }

    @Test(arguments: [
        (Canned(error: URLError(.timedOut)), "0 bytes: URLError -1001"),
        (Canned(error: CancellationError()), "0 bytes, cancelled"),
        (Canned(error: ServiceError.invalidRequest(.body, reason: "key=abcdef")), "key=***"),
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
    @Test func controlCharactersAreEscaped() async {
        let hostile = "a\r\nGET https://x → 200\u{1B}[31m\u{202E}b\u{2028}c\u{85}\u{7F}"
        let answer = Canned(data: Data(hostile.utf8), fields: ["X-H": "v\u{1B}[2J\u{200F}w"])
        let entry = await entry(answer)
        let isSafe = entry.unicodeScalars.allSatisfy {
            switch $0.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator: $0 == "\n"
            default: true
            }
        }
        #expect(isSafe)
        #expect(entry.contains(#"< X-H: v\u{1B}[2J\u{200F}w"#))
        let end = #"GET https://x → 200\u{1B}[31m\u{202E}b\u{2028}c\u{85}\u{7F}"#
        #expect(entry.hasSuffix("< a\\u{D}\n< \(end)"))
        let invalid = Canned(error: ServiceError.invalidRequest(.path, reason: "\n\u{1B}"))
        let line = await self.entry(invalid).unicodeScalars
        #expect(!line.contains("\u{1B}") && line.filter { $0 == "\n" }.count == 0)
    }

    @Test(arguments: [-1, 0, 1, 10, 24, 25, 30, 31, 40, 90, .max])
    func secretsAreRedactedBeforeBodiesAreCut(_ limit: Int) async {
        let json = #"{"b":["x"],"first":"1234567","token":"\#(canary("cut body"))"}"#
        let answer = Canned(type: "application/json", data: Data(json.utf8))
        let entry = await entry(answer, bodyLimit: limit)
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
                "\n< \n< \(String(repeating: "a", count: 4_096))… (\(size) bytes of text/plain)"))
        let more = Canned(data: Data(repeating: UInt8(ascii: "a"), count: size + 1))
        #expect(await entry(more).hasSuffix("\n< \n< (\(size + 1) bytes of text/plain)"))
        #expect(await entry(more, bodyLimit: size).contains("aaa"))
    }

    /// Half of a secret can't be found, and half of a character can't be shown.
    @Test(.slow, arguments: [0, 1, 2, 3, 20]) func cutsInLongBodiesShowNoPartOfASecret(
        _ offset: Int
    ) async {
        let secret = canary("half a secret")
        let token = #""token":"\#(String(repeating: "x", count: 65_700))","#
        let long = "{\(token)\(token)\(token)\(token)\"b\":\""
        let length = 4 * (200 + 65_536) - long.utf8.count - 15 - offset
        let text = long + String(repeating: "é", count: length / 2) + secret + "éé"
        let answer = Canned(type: "application/json", data: Data(text.utf8))
        let entry = await entry(answer, bodyLimit: 200, headers: ["X-Api-Key": secret])
        #expect(!entry.contains("canary"))
        let plain = Canned(data: Data(String(repeating: "aé€😀", count: 99_999).utf8))
        #expect(await self.entry(plain, bodyLimit: 6 + offset).contains("\n< aé€😀aé"))
    }
}
