// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux) || os(macOS)
import Foundation
import ServiceProvider
import ServiceProviderCaching
import ServiceProviderExtras
import ServiceProviderTesting
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Interceptors and streams read headers and bodies of any size. Each test runs in its own process,
/// and measures its processor time.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct HostileExchangeTests {
    /// Responds with headers that no Foundation type has parsed.
    private struct Canned: ServiceTransport {
        var status = 200
        var fields: [String: String] = [:]
        var data = Data()

        func send(_ request: ServiceRequest) async throws -> ServiceResponse {
            // A redirect leads to a good response. (Not the URL's `path`: marks take long to compare.)
            let isFirst = request.urlRequest.url?.absoluteString == "https://example.com/a"
            let status = isFirst ? status : 200
            return ServiceResponse(
                request: request, statusCode: status, headers: fields, data: data)
        }
    }

    private static func load(
        _ response: Canned, _ interceptors: any ServiceInterceptor..., body: Data? = nil
    ) async {
        let provider = ServiceProvider<TestService>(transport: response, interceptors: interceptors)
        var service = TestService(baseURL: "https://example.com", path: "/a")
        service.method = body == nil ? .get : .post
        service.body = body.map { .data($0, contentType: "text/plain") }
        _ = await provider.outcome(of: service)
    }

    /// Expects that a field four times as long takes about four times as long.
    private static func expectLinearTime(
        _ name: String, _ units: [String], status: Int = 200, others: [String: String] = [:],
        size: Int = megabyte, _ interceptors: any ServiceInterceptor...
    ) async {
        for unit in units {
            let growth = await growthOfProcess(to: size) { size in
                let value = String(repeating: unit, count: size / unit.utf8.count)
                let fields = others.merging([name: value]) { $1 }
                let provider = ServiceProvider<TestService>(
                    transport: Canned(status: status, fields: fields), interceptors: interceptors)
                let service = TestService(baseURL: "https://example.com", path: "/a")
                _ = await provider.outcome(of: service)
            }
            #expect(growth < linearGrowth, "\(name): \(unit.debugDescription)")
        }
    }

    /// Two Hebrew points, in an order that `==` changes.
    private static let marks = "\u{5C1}\u{5B0}"

    /// 64 KB of escaped quotes once took 20 seconds.
    @Test func cacheControlTakesLinearTime() async {
        await #expect(processExitsWith: .success) {
            await Self.expectLinearTime(
                "Cache-Control",
                ["\\\"", "\"", ",", "a=\"", "\"\\", "no-store", "=,", " ", "é", Self.marks],
                others: ["ETag": "\"1\""], ServiceCache())
            await Self.expectLinearTime(
                "Vary", [",", "a,", " ", "*", Self.marks], others: ["ETag": "\"1\""],
                ServiceCache())
        }
    }

    /// Each response is used by a second call. 1 MB has more than 300,000 directives.
    @Test func freshnessTakesLinearTime() async {
        await #expect(processExitsWith: .success) {
            let names = ["Cache-Control", "Age", "Expires", "Date", "Vary"]
            let units = ["9, ", "\"", Self.marks]
            for (name, unit) in names.flatMap({ name in units.map { (name, $0) } }) {
                let growth = await growthOfProcess(to: megabyte) { size in
                    let value = String(repeating: unit, count: size / unit.utf8.count)
                    let start = name == "Cache-Control" ? "max-age=" : ""
                    let provider = ServiceProvider<TestService>(
                        transport: Canned(fields: [name: start + value]),
                        interceptors: [ServiceCache(memoryLimit: 100 << 20)])
                    let service = TestService(baseURL: "https://example.com", path: "/a")
                    for _ in 0..<2 { _ = await provider.outcome(of: service) }
                }
                #expect(growth < linearGrowth, "\(name): \(unit.debugDescription)")
            }
        }
    }

    /// When the memory is full, the oldest responses are removed without a slow search.
    @Test func manyStoredResponsesTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            let growth = await growthOfProcess(to: sanitized(40_000)) {
                count in
                let cache = ServiceCache(memoryLimit: 50 * count)
                let provider = ServiceProvider<TestService>(
                    transport: Canned(fields: ["ETag": "\"1\""]), interceptors: [cache])
                for index in 0..<count {
                    let service = TestService(baseURL: "https://example.com", path: "/b/\(index)")
                    _ = await provider.outcome(of: service)
                }
            }
            #expect(growth < linearGrowth)
        }
    }

    @Test func retryAfterTakesLinearTime() async {
        await #expect(processExitsWith: .success) {
            var retry = ServiceRetry()
            retry.clock.sleep = { _ in }
            await Self.expectLinearTime(
                "Retry-After", ["9", "0", " ", "-", ",", "Fri, ", "é", "Jan ", Self.marks],
                status: 503,
                retry)
        }
    }

    @Test func locationsTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            let units = [
                "/", "@", "a", "../", "%41", "é", ":", "xn--", "[", "http://", "//a@", "?",
                Self.marks,
            ]
            await Self.expectLinearTime("Location", units, status: 302)
        }
    }

    /// A POST of 58 KB once took five seconds to log with 900 headers: secrets were collected for
    /// each one.
    @Test func manyHeadersAreLoggedAndRecordedQuickly() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let recorder = try ServiceRecorder(file: folder.file("a.har"))
            let log = ServiceLog(.headers) { _ in }
            let form = Data((0..<4_000).map { "token\($0)=secret" }.joined(separator: "&").utf8)
            for interceptor in [log, recorder] as [any ServiceInterceptor] {
                func seconds(_ count: Int) async -> TimeInterval {
                    let fields = (0..<count).map { ("X-\($0)", "value \($0)") }
                    let response = Canned(fields: Dictionary(fields) { $1 })
                    let start = processTime()
                    await Self.load(response, interceptor, body: form)
                    return processTime() - start
                }
                _ = await seconds(10)
                let (few, many) = (await seconds(10), await seconds(900))
                #expect(many < 6 * few + 0.5, "\(type(of: interceptor)): \(few), \(many)")
            }
            #expect(recorder.failure == nil)
        }
    }

    /// Bodies of 1 MB in logs and recordings.
    @Test func bodiesAreLoggedAndRecordedInLinearTime() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let recorder = try ServiceRecorder(file: folder.file("a.har"))
            let log = ServiceLog(.bodies) { _ in }
            for unit in [#""token":"x","#, "\\\"", "a=%25&", "\u{1}", Self.marks] {
                let growth = await growthOfProcess(to: megabyte) { size in
                    let text = "a" + String(repeating: unit, count: size / unit.utf8.count) + "=1"
                    let response = Canned(
                        fields: ["Content-Type": "application/json"], data: Data(text.utf8))
                    await Self.load(response, log, recorder, body: Data(text.utf8))
                }
                #expect(growth < linearGrowth, "\(unit.debugDescription)")
            }
            #expect(recorder.failure == nil)
        }
    }

    // MARK: - Archives

    private static func archive(_ entries: [String]) -> Data {
        Data(#"{"log":{"entries":[\#(entries.joined(separator: ","))]}}"#.utf8)
    }

    private static func entry(_ url: String, body: String = "", response: String = "") -> String {
        let data = body.isEmpty ? "" : #","postData":{"text":"\#(body)"}"#
        return #"{"request":{"method":"POST","url":"\#(url)"\#(data)},"#
            + #""response":{"status":200,"content":{"text":"found"}\#(response)}}"#
    }

    @Test func archivesOfAnySizeTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            let shapes: [(String, @Sendable (Int) -> String)] = [
                (
                    "query items",
                    { Self.entry("https://h/?" + String(repeating: "a=1&", count: $0)) }
                ),
                ("stars", { Self.entry("https://h/?" + String(repeating: "a=***&", count: $0)) }),
                (
                    "combining marks",
                    { size in
                        let marks = String(repeating: "\u{301}\u{323}", count: size)
                        let name = "a\(marks)"
                        return Self.entry(
                            "https://h/\(name)?\(name)=\(name)&\(name)", body: #"{\"\#(name)\":1}"#,
                            response: #","headers":[{"name":"A","value":"\#(name)"}]"#)
                    }
                ),
                ("segments", { Self.entry("https://h/" + String(repeating: "a/", count: $0)) }),
                ("escapes", { Self.entry("https://h/" + String(repeating: "%2F", count: $0)) }),
                (
                    "a long field",
                    { size in
                        let value = String(repeating: "a\\n", count: size)
                        return Self.entry(
                            "https://h/",
                            response: #","headers":[{"name":"A","value":"\#(value)"}]"#)
                    }
                ),
                (
                    "fields",
                    { size in
                        let fields = String(repeating: #"{"name":"A","value":"a"},"#, count: size)
                        return Self.entry(
                            "https://h/", response: #","headers":[\#(fields.dropLast())]"#)
                    }
                ),
                (
                    "a body of stars",
                    { Self.entry("https://h/", body: String(repeating: "a***", count: $0)) }
                ),
                (
                    "a body of JSON",
                    { size in
                        let keys = (0..<size).map { #"\"k\#($0)\":1"# }.joined(separator: ",")
                        return Self.entry("https://h/", body: "{\(keys)}")
                    }
                ),
            ]
            for (name, shape) in shapes {
                let growth = try await growthOfProcess(
                    to: sanitized(300_000)
                ) { size in
                    let replay = try ServiceReplay(data: Self.archive([shape(size)]))
                    await Self.load(Canned(), replay, body: Data("a".utf8))
                }
                #expect(growth < linearGrowth, "\(name)")
            }
        }
    }

    /// With 8,000 entries, each request once took 56 ms.
    @Test func manyEntriesAreFoundQuickly() async throws {
        await #expect(processExitsWith: .success) {
            let kinds: [(String, @Sendable (Int) -> String)] = [
                ("paths", { Self.entry("https://example.com/a/\($0)") }),
                ("queries", { Self.entry("https://example.com/a?apikey=***&id=\($0)") }),
                ("bodies", { Self.entry("https://example.com/a", body: #"{\"id\":\#($0)}"#) }),
            ]
            for (name, entry) in kinds {
                func seconds(_ count: Int) async throws -> TimeInterval {
                    let entries = (0..<count).map(entry) + [Self.entry("https://example.com/a")]
                    let replay = try ServiceReplay(data: Self.archive(entries))
                    let start = processTime()
                    for _ in 0..<50 { await Self.load(Canned(), replay, body: Data("{}".utf8)) }
                    return processTime() - start
                }
                let (few, many) = (try await seconds(80), try await seconds(8_000))
                // There are 100 times as many entries.
                #expect(many < 10 * few + 0.2, "\(name): \(few), \(many)")
            }
        }
    }

    @Test func deepArchivesAreRefused() async {
        let deep = String(repeating: #"{"log":["#, count: 10_000)
        let comment = String(repeating: "[", count: 10_000) + String(repeating: "]", count: 10_000)
        for text in [deep, #"{"comment":\#(comment),"log":{"entries":[]}}"#] {
            let error = #expect(throws: ServiceReplayError.self) {
                try ServiceReplay(data: Data(text.utf8))
            }
            #expect(error == .invalidArchive("it isn't JSON"))
        }
    }

    @Test func deepBodiesCanBeCompared() async throws {
        await #expect(processExitsWith: .success) {
            for depth in [64, 500, 10_000] {
                let open = String(repeating: #"{\"a\":"#, count: depth)
                let body = open + "1" + String(repeating: "}", count: depth)
                let replay = try ServiceReplay(
                    data: Self.archive([Self.entry("https://example.com/a", body: body)]))
                let provider = ServiceProvider<TestService>(
                    transport: Canned(), interceptors: [replay])
                var service = TestService(baseURL: "https://example.com", path: "/a")
                service.method = .post
                service.body = .data(
                    Data(body.replacingOccurrences(of: "\\", with: "").utf8),
                    contentType: "text/plain")
                #expect(await provider.outcome(of: service).isSuccess)
            }
        }
    }
}
#endif
