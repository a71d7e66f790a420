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

/// Interceptors read headers, bodies and archives of any size. Each test runs in its own process, and
/// measures its processor time.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct HostileExchangeTests {
    /// Texts that are repeated until they have the wanted size, by name.
    private typealias Units = KeyValuePairs<String, String>

    /// Two Hebrew points, in an order that `==` changes.
    private static let marks = "\u{5C1}\u{5B0}"

    private static func repeated(_ unit: String, to size: Int) -> String {
        String(repeating: unit, count: size / unit.utf8.count)
    }

    // MARK: - Headers

    /// Expects that a header four times as long takes about four times as long to handle.
    ///
    /// - Parameters:
    ///   - start: The start of the value.
    ///   - others: The other headers of the response.
    ///   - callCount: How many calls get the response, one after another.
    ///   - interceptor: Creates the interceptor that reads the header.
    private static func expectLinearTime(
        of header: String, _ units: Units, after start: String = "", status: Int = 200,
        others: [String: String] = [:], callCount: Int = 1,
        _ interceptor: () -> (any ServiceInterceptor)? = { nil }
    ) async {
        for (name, unit) in units {
            let growth = await growthOfProcess(to: megabyte) { size in
                var headers = others
                headers[header] = start + repeated(unit, to: size)
                let transport = CannedTransport(status: status, headers: headers)
                let interceptors = [interceptor()].compactMap { $0 }
                for _ in 0..<callCount {
                    await transport.call(through: interceptors)
                }
            }
            #expect(growth < linearGrowth, "\(header): \(name)")
        }
    }

    private static let directives: Units = [
        // 64 KB once took 20 seconds.
        "escaped quotes": "\\\"",
        "quotes": "\"",
        "commas": ",",
        "open quotes": "a=\"",
        "quotes with a backslash": "\"\\",
        "directives in a row": "no-store",
        "equals signs": "=,",
        "blanks": " ",
        "letters with an accent": "é",
        "unsorted marks": marks,
    ]

    private static let varyingNames: Units = [
        "commas": ",",
        "names": "a,",
        "blanks": " ",
        "stars": "*",
        "unsorted marks": marks,
    ]

    @Test(.row("Z7", "Q9")) func cacheControlTakesLinearTime() async {
        await #expect(processExitsWith: .success) {
            for (header, units) in [
                ("Cache-Control", Self.directives), ("Vary", Self.varyingNames),
            ] {
                let cache = ServiceCache()
                await Self.expectLinearTime(of: header, units, others: ["ETag": "\"1\""]) { cache }
            }
        }
    }

    private static let agesAndDates: Units = [
        "numbers": "9, ",
        "quotes": "\"",
        "unsorted marks": marks,
    ]

    /// Each response is used by a second call. 1 MB has more than 300,000 directives.
    @Test(.row("Z7", "Q9")) func freshnessTakesLinearTime() async {
        await #expect(processExitsWith: .success) {
            for header in ["Cache-Control", "Age", "Expires", "Date", "Vary"] {
                let start = header == "Cache-Control" ? "max-age=" : ""
                await Self.expectLinearTime(
                    of: header, Self.agesAndDates, after: start, callCount: 2
                ) {
                    ServiceCache(maximumMemorySize: 100 << 20)
                }
            }
        }
    }

    /// When the memory is full, the oldest responses are removed without a slow search.
    @Test(.row("Z14")) func manyStoredResponsesTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            let growth = await growthOfProcess(to: sanitized(40_000)) { count in
                let provider = ServiceProvider<TestService>(
                    transport: CannedTransport(headers: ["ETag": "\"1\""]),
                    interceptors: [ServiceCache(maximumMemorySize: 50 * count)])
                for index in 0..<count {
                    let service = TestService(baseURL: "https://example.com", path: "/b/\(index)")
                    _ = await provider.outcome(of: service)
                }
            }
            #expect(growth < linearGrowth)
        }
    }

    private static let delaysAndDates: Units = [
        "digits": "9",
        "zeros": "0",
        "blanks": " ",
        "hyphens": "-",
        "commas": ",",
        "weekdays": "Fri, ",
        "letters with an accent": "é",
        "months": "Jan ",
        "unsorted marks": marks,
    ]

    @Test(.row("Z8", "Q8")) func retryAfterTakesLinearTime() async {
        await #expect(processExitsWith: .success) {
            let retry = ServiceRetry(clock: ServiceTestClock().clock)
            await Self.expectLinearTime(of: "Retry-After", Self.delaysAndDates, status: 503) {
                [retry] in retry
            }
        }
    }

    private static let locations: Units = [
        "slashes": "/",
        "user signs": "@",
        "letters": "a",
        "parent folders": "../",
        "escapes": "%41",
        "letters with an accent": "é",
        "colons": ":",
        "encoded host labels": "xn--",
        "brackets": "[",
        "schemes": "http://",
        "users": "//a@",
        "question marks": "?",
        "unsorted marks": marks,
    ]

    @Test(.row("Z6", "Q7")) func locationsTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            await Self.expectLinearTime(of: "Location", Self.locations, status: 302)
        }
    }

    // MARK: - Logs and recordings

    /// A POST of 58 KB once took five seconds to log with 900 headers: secrets were collected for
    /// each one.
    @Test(.row("Z10")) func manyHeadersAreLoggedAndRecordedQuickly() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let recorder = try ServiceRecorder(file: folder.file("a.har"))
            let log = ServiceLog(.headers) { _ in }
            for interceptor in [log, recorder] as [any ServiceInterceptor] {
                // The first call also loads what later ones use.
                _ = await Self.secondsToHandle(headerCount: 10, interceptor)
                let few = await Self.secondsToHandle(headerCount: 10, interceptor)
                let many = await Self.secondsToHandle(headerCount: 900, interceptor)
                #expect(many < 6 * few + 0.5, "\(type(of: interceptor)): \(few), \(many)")
            }
            #expect(recorder.failure == nil)
        }
    }

    /// Returns the processor time of a call with a form of secrets, and with headers in its response.
    private static func secondsToHandle(
        headerCount: Int, _ interceptor: any ServiceInterceptor
    ) async -> TimeInterval {
        var headers: [String: String] = [:]
        for index in 0..<headerCount {
            headers["X-\(index)"] = "value \(index)"
        }
        let form = (0..<4_000).map { "token\($0)=secret" }.joined(separator: "&")
        let transport = CannedTransport(headers: headers)
        let start = processTime()
        await transport.call(through: [interceptor], body: Data(form.utf8))
        return processTime() - start
    }

    private static let bodies: Units = [
        "secret members": #""token":"x","#,
        "escaped quotes": "\\\"",
        "escaped parameters": "a=%25&",
        "control characters": "\u{1}",
        "unsorted marks": marks,
    ]

    /// Bodies of 1 MB in logs and recordings.
    @Test(.row("Z10", "Q16")) func bodiesAreLoggedAndRecordedInLinearTime() async throws {
        await #expect(processExitsWith: .success) {
            let folder = try TemporaryFolder()
            let recorder = try ServiceRecorder(file: folder.file("a.har"))
            let log = ServiceLog(.bodies) { _ in }
            for (name, unit) in Self.bodies {
                let growth = await growthOfProcess(to: megabyte) { size in
                    let body = Data("a\(Self.repeated(unit, to: size))=1".utf8)
                    let transport = CannedTransport(
                        headers: ["Content-Type": "application/json"], body: body)
                    await transport.call(through: [log, recorder], body: body)
                }
                #expect(growth < linearGrowth, "\(name)")
            }
            #expect(recorder.failure == nil)
        }
    }

    // MARK: - Archives

    /// Returns an entry of an archive that has something a number of times.
    private typealias Entry = @Sendable (_ count: Int) -> String

    /// An entry with a URL that ends with a repeated text.
    private static func url(_ start: String, _ unit: String) -> Entry {
        { ArchiveText.post(to: start + String(repeating: unit, count: $0)) }
    }

    private static let largeEntries: KeyValuePairs<String, Entry> = [
        "query items": url("https://h/?", "a=1&"),
        "stars in a query": url("https://h/?", "a=***&"),
        "segments of a path": url("https://h/", "a/"),
        "escapes in a path": url("https://h/", "%2F"),
        "combining marks everywhere": { count in
            let name = "a" + String(repeating: "\u{301}\u{323}", count: count)
            return ArchiveText.post(
                to: "https://h/\(name)?\(name)=\(name)&\(name)", body: #"{\"\#(name)\":1}"#,
                headers: [ArchiveText.header("A", name)])
        },
        "a long header": { count in
            let value = String(repeating: #"a\n"#, count: count)
            return ArchiveText.post(to: "https://h/", headers: [ArchiveText.header("A", value)])
        },
        "headers": { count in
            let headers = Array(repeating: ArchiveText.header("A", "a"), count: count)
            return ArchiveText.post(to: "https://h/", headers: headers)
        },
        "stars in a body": { count in
            ArchiveText.post(to: "https://h/", body: String(repeating: "a***", count: count))
        },
        "members of a JSON body": { count in
            let members = (0..<count).map { #"\"k\#($0)\":1"# }
            return ArchiveText.post(
                to: "https://h/", body: "{\(members.joined(separator: ","))}")
        },
    ]

    @Test(.row("Z11", "Q12")) func archivesOfAnySizeTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            for (name, entry) in Self.largeEntries {
                let growth = try await growthOfProcess(to: sanitized(300_000)) { count in
                    let replay = try ServiceReplay(data: ArchiveText.archive(entry(count)))
                    await CannedTransport().call(through: [replay], body: Data("a".utf8))
                }
                #expect(growth < linearGrowth, "\(name)")
            }
        }
    }

    /// Entries that differ in one part, by its name. The closures get the number of the entry.
    private static let differentEntries: KeyValuePairs<String, Entry> = [
        "paths": { ArchiveText.post(to: "https://example.com/a/\($0)") },
        "queries": { ArchiveText.post(to: "https://example.com/a?apikey=***&id=\($0)") },
        "bodies": { ArchiveText.post(to: "https://example.com/a", body: #"{\"id\":\#($0)}"#) },
    ]

    /// With 8,000 entries, each request once took 56 ms.
    @Test(.row("Z11")) func manyEntriesAreFoundQuickly() async throws {
        await #expect(processExitsWith: .success) {
            for (name, entry) in Self.differentEntries {
                let few = try await Self.secondsToReplay(entryCount: 80, entry)
                let many = try await Self.secondsToReplay(entryCount: 8_000, entry)
                // There are 100 times as many entries.
                #expect(many < 10 * few + 0.2, "\(name): \(few), \(many)")
            }
        }
    }

    /// Returns the processor time of 50 calls that get the last entry of an archive.
    private static func secondsToReplay(
        entryCount: Int, _ entry: Entry
    ) async throws -> TimeInterval {
        let last = ArchiveText.post(to: "https://example.com/a")
        let replay = try ServiceReplay(
            data: ArchiveText.archive((0..<entryCount).map(entry) + [last]))
        let start = processTime()
        for _ in 0..<50 {
            await CannedTransport().call(through: [replay], body: Data("{}".utf8))
        }
        return processTime() - start
    }

    @Test(.row("Z11")) func deepArchivesAreRefused() async {
        let depth = 10_000
        let unclosed = String(repeating: #"{"log":["#, count: depth)
        let lists = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
        for text in [unclosed, #"{"comment":\#(lists),"log":{"entries":[]}}"#] {
            let error = #expect(throws: ServiceReplayError.self) {
                try ServiceReplay(data: Data(text.utf8))
            }
            #expect(error == .invalidArchive("it isn't JSON"))
        }
    }

    @Test(.row("Z11")) func deepBodiesCanBeCompared() async throws {
        await #expect(processExitsWith: .success) {
            for depth in [64, 500, 10_000] {
                let open = String(repeating: #"{"a":"#, count: depth)
                let body = open + "1" + String(repeating: "}", count: depth)
                let escaped = body.replacingOccurrences(of: "\"", with: "\\\"")
                let entry = ArchiveText.post(to: "https://example.com/a", body: escaped)
                let replay = try ServiceReplay(data: ArchiveText.archive(entry))
                let outcome = await CannedTransport().call(
                    through: [replay], body: Data(body.utf8))
                #expect(outcome.isSuccess, "\(depth) levels")
            }
        }
    }
}
#endif
