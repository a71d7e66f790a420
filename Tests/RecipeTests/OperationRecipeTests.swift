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

/// The recipes for those who operate a service: logs, metrics and traces.
@Suite(.serialized, .opensFiles, .timeLimit) struct OperationRecipeTests {
    private let retry = ServiceRetry(clock: ServiceTestClock().clock)

    @Test func aLoggerGetsLevelsAndFields() async throws {
        let server = try LoopbackServer(responses: [.text("a"), .statusCode(404)])
        let levels = Locked<[Logger.Level]>([])
        let texts = Locked<[String]>([])
        let fields = Locked<[Logger.Metadata]>([])
        let logger = Logger { level, message, metadata in
            levels { $0.append(level) }
            texts { $0.append("\(message)") }
            fields { $0.append(metadata) }
        }
        let provider = ServiceProvider<TestService>(interceptors: [callLog(logger)])
        for path in ["/a", "/b"] { _ = await provider.outcome(of: server.service(path)) }
        #expect(levels { $0 } == [.info, .warning])
        let logged = texts { $0 }
        try #require(logged.count == 2)
        #expect(logged[0].hasPrefix("GET \(server.baseURL)/a → 200 in "))
        #expect(fields { $0[1]["error.type"] } == .string("404"))
        #expect(fields { $0[1]["url.full"] } == .string("\(server.baseURL)/b"))
    }

    /// Each level of the library's log has one of the same name.
    @Test(arguments: [ServiceLog.Level.debug, .info, .warning, .error])
    func aLoggerHasEachLevel(_ level: ServiceLog.Level) {
        #expect(Logger.Level(rawValue: level.rawValue) != nil)
    }

    @Test func requestsFailuresAndRetriesAreCounted() async throws {
        // No status is a timeout.
        let statuses = Locked<[Int?]>([503, 200, nil, 200])
        let transport = StubTransport { request in
            guard let status = statuses({ $0.removeFirst() }) else { throw URLError(.timedOut) }
            return try request.respond(status)
        }
        let counts = Locked<[String]>([])
        let values = Locked<[(String, Double)]>([])
        let standIn = MetricsStandIn(
            count: { line in counts { $0.append(line) } },
            record: { line, value in values { $0.append((line, value)) } })
        let provider = ServiceProvider<TestService>(
            transport: transport, interceptors: [retry, RequestCounters()])
        try await MetricsStandIn.$current.withValue(standIn) {
            for _ in 0..<2 { try await provider.load(service: TestService()) }
        }
        let place = "http.request.method=GET server.address=example.com"
        #expect(
            counts { $0 } == [
                "http.client.requests \(place) status=5xx",
                "http.client.retries \(place)",
                "http.client.requests \(place) status=2xx",
                "http.client.requests \(place) status=none",
                "http.client.failures \(place) error.type=URLError -1001",
                "http.client.retries \(place)",
                "http.client.requests \(place) status=2xx",
            ])
        let durations = values { $0 }
        #expect(durations.count == 4 && durations.allSatisfy { $0.1 >= 0 })
        #expect(durations.allSatisfy { $0.0 == "http.client.request.duration \(place)" })
    }

    @Test func eachAttemptIsASpanOfTheCallersTrace() async throws {
        let server = try LoopbackServer(responses: [.statusCode(503), .text("a"), .text("b")])
        let provider = ServiceProvider<TestService>(interceptors: [retry, TracePropagation()])
        let id = "4bf92f3577b34da6a3ce929d0e0e4736"
        let trace = try #require(TraceContext("00-\(id)-00f067aa0ba902b7-00"))
        try await TraceContext.$current.withValue(trace) {
            try await provider.load(service: server.service())
        }
        try await provider.load(service: server.service())
        let headers = server.requests.map { $0.header("traceparent") }
        try #require(headers.count == 3)
        #expect(headers[2] == nil)
        let spans = headers.compactMap { $0?.wholeMatch(of: /00-(.{32})-([0-9a-f]{16})-00/) }
        #expect(spans.map(\.1) == [Substring(id), Substring(id)])
        #expect(Set(spans.map(\.2)).subtracting(["00f067aa0ba902b7"]).count == 2)
    }

    @Test func aNewTraceIsValid() async throws {
        let server = try LoopbackServer { _ in .text("a") }
        let provider = ServiceProvider<TestService>(interceptors: [TracePropagation()])
        let trace = TraceContext()
        try await TraceContext.$current.withValue(trace) {
            try await provider.load(service: server.service())
        }
        let header = try #require(server.requests.first?.header("traceparent"))
        let read = try #require(TraceContext(header))
        #expect(read.traceID == trace.traceID && read.isSampled)
        #expect(TraceContext().traceID != trace.traceID)
    }

    @Test func laterVersionsOfAHeaderAreRead() {
        let parts = "4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7"
        #expect(TraceContext("cc-\(parts)-03-what-comes")?.isSampled == true)
        #expect(TraceContext("cc-\(parts)-02")?.isSampled == false)
    }

    @Test(arguments: [
        "", "-", "---", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
        "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
        "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e47361-00f067aa0ba902b7-01",
        "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0g",
        "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-+1",
        " 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
        "00-4bf92f3577b34da6a3ce929d0e0e473\r-00f067aa0ba902b7-01",
    ])
    func anInvalidTraceIsRefused(_ header: String) {
        #expect(TraceContext(header) == nil)
    }
}
