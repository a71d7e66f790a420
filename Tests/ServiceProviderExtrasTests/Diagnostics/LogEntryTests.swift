// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// The levels and fields of log entries.
@Suite(.serialized, .opensFiles, .timeLimit) struct LogEntryTests {
    private let entries = Locked<[ServiceLog.Entry]>([])
    private let clock = TestClock(jumps: true)

    private func provider(
        _ transport: any ServiceTransport = TransportUnderTest.ownSession.make(),
        outer: [any ServiceInterceptor] = [], inner: [any ServiceInterceptor] = []
    ) -> ServiceProvider<TestService> {
        let log = ServiceLog(clock: clock.clock) { [entries] entry in
            entries { $0.append(entry) }
        }
        let passing = Intercept { [clock] request, next in
            clock.advance(by: 0.25)
            return try await next(request)
        }
        return ServiceProvider<TestService>(
            transport: transport, interceptors: outer + [log, passing] + inner)
    }

    /// The entries so far. Their texts are checked for secrets.
    private var seen: [ServiceLog.Entry] {
        let entries = entries { $0 }
        for entry in entries {
            transcribed("\(entry.message) \(entry.fields)", as: .log)
        }
        return entries
    }

    private struct OwnError: Error {}

    @Test(
        .row("C38"),
        arguments: [
            (200, "info"), (399, "error"), (400, "warning"), (404, "warning"), (499, "warning"),
            (500, "error"), (503, "error"), (304, "error"),
        ])
    func theStatusDecidesTheLevel(_ status: Int, _ level: String) async throws {
        let provider = provider(StubTransport { try $0.respond(status) })
        _ = await provider.outcome(of: TestService())
        let entry = try #require(seen.first)
        #expect(entry.level.rawValue == level)
        #expect(entry.fields["http.response.status_code"] == "\(status)")
        #expect(entry.fields["error.type"] == (level == "info" ? nil : "\(status)"))
    }

    /// The app expects these.
    @Test func acceptedResponsesAreInformation() async throws {
        let provider = provider(StubTransport { try $0.respond(404) })
        let expecting = TestService(validStatusCodes: [404])
        let accepting = TestService(change: { $0.acceptsAnyStatus = true })
        for service in [expecting, accepting] {
            _ = await provider.outcome(of: service)
        }
        #expect(seen.map(\.level) == [.info, .info])
        #expect(seen.allSatisfy { $0.fields["error.type"] == nil })
    }

    @Test(
        arguments: [
            (CancellationError(), .debug, "cancelled"),
            (URLError(.cancelled), .debug, "cancelled"),
            (URLError(.timedOut), .error, "URLError -1001"),
            (ServiceError.invalidRequest(.body, reason: "x"), .error, "invalidRequest"),
            (ServiceError.file(reason: "x"), .error, "file"),
            (OwnError(), .error, "OwnError"),
        ] as [(any Error, ServiceLog.Level, String)])
    func failuresHaveALevelAndAType(
        _ error: any Error, _ level: ServiceLog.Level, _ type: String
    ) async throws {
        let provider = provider(StubTransport { _ in throw error })
        _ = await provider.outcome(of: TestService())
        let entry = try #require(seen.first)
        #expect(entry.level == level)
        #expect(entry.fields["error.type"] == type)
        #expect(entry.fields["http.response.status_code"] == nil)
        #expect(entry.fields["http.response.body.size"] == nil)
    }

    /// An interceptor may throw what the pipeline would.
    @Test func aThrownStatusIsAStatus() async throws {
        let throwing = Intercept { request, next in
            throw ServiceError.unacceptableStatus(try await next(request))
        }
        let provider = provider(StubTransport { try $0.respond(404) }, inner: [throwing])
        _ = await provider.outcome(of: TestService())
        let entry = try #require(seen.first)
        #expect(entry.level == .warning)
        #expect(entry.fields["http.response.status_code"] == "404")
    }

    @Test(.row("H1")) func fieldsDescribeTheCallWithoutSecrets() async throws {
        let server = try LoopbackServer(responses: [
            .redirect(to: "/elsewhere", statusCode: 307), .text("12345"),
        ])
        var service = server.service("/a", method: .post)
        service.parameters = ["page": 1]
        let token = canary("token")
        service.baseURL += "?token=\(token)"
        service.body = .data(Data("123".utf8), contentType: "text/plain")
        _ = try await provider().load(service: service)
        let entry = try #require(seen.first)
        #expect(
            entry.fields == [
                "http.request.method": "POST",
                "url.full": "\(server.baseURL)/a?token=***&page=1",
                "http.client.request.duration": "0.250",
                "http.request.body.size": "3",
                "http.response.status_code": "200",
                "http.response.body.size": "5",
            ])
        #expect("\(entry)" == entry.message && entry.message.hasPrefix("POST "))
    }

    @Test func fieldsAreOneShortLine() async throws {
        let request = Intercept.changing { request in
            request.urlRequest.httpMethod = "A\r\n\u{1B}" + String(repeating: "B", count: 20_000)
        }
        let provider = provider(StubTransport { try $0.respond(200) }, outer: [request])
        _ = await provider.outcome(of: TestService())
        let method = try #require(seen.first?.fields["http.request.method"])
        #expect(method.hasPrefix(#"A\u{D}\u{A}\u{1B}BBB"#))
        #expect(method.count < 16_500)
    }

    /// Its body arrives after the entry is written.
    @Test func aStreamHasNoSize() async throws {
        let folder = try TemporaryFolder()
        let server = try LoopbackServer { _ in .data(Data(count: 5_000)) }
        let provider = provider()
        for try await _ in try await provider.stream(service: server.service()) {}
        try await provider.download(service: server.service(), to: folder.file("a"))
        #expect(seen.map { $0.fields["http.response.body.size"] } == [nil, "5000"])
    }

    @Test func attemptsAreShownFromTheSecondOneOn() async throws {
        let statuses = Locked([503, 503, 200])
        let transport = StubTransport { request in
            try request.respond(statuses { $0.removeFirst() }, data: Data("body".utf8))
        }
        let retry = ServiceRetry(clock: clock.clock, random: { _ in 0 })
        _ = try await provider(transport, outer: [retry]).load(service: TestService())
        let counts = seen.map { $0.fields["http.request.resend_count"] }
        #expect(counts == [nil, "1", "2"])
        let lines = seen.map { $0.message.components(separatedBy: " → ").last }
        #expect(
            lines == [
                "503 in 0.250 s, sent 0 bytes, received 4 bytes",
                "503 in 0.250 s, attempt 2, sent 0 bytes, received 4 bytes",
                "200 in 0.250 s, attempt 3, sent 0 bytes, received 4 bytes",
            ])
        #expect(seen.map(\.level) == [.error, .error, .info])
    }

    /// The last response shows how many attempts the call has needed.
    @Test func anOuterLogShowsTheLastAttempt() async throws {
        let statuses = Locked([503, 200])
        let transport = StubTransport { request in
            try request.respond(statuses { $0.removeFirst() })
        }
        let retry = ServiceRetry(clock: clock.clock, random: { _ in 0 })
        _ = try await provider(transport, inner: [retry]).load(service: TestService())
        #expect(seen.map { $0.fields["http.request.resend_count"] } == ["1"])
    }

    @Test func theMetricsOfAFailureAreShown() async throws {
        let entries = Locked<[String]>([])
        let log = ServiceLog(.headers) { entry in entries { $0.append(entry.message) } }
        let provider = ServiceProvider<TestService>(
            transport: StubTransport { _ in throw URLError(.timedOut) },
            interceptors: [log, ServiceMeter()])
        _ = await provider.outcome(of: TestService())
        let entry = try #require(entries { $0 }.first)
        #expect(entry.contains(/\n\* total [0-9]+\.[0-9]{3} s/))
    }
}
