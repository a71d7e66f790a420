// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import FoundationNetworking
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// Tests DNS lookups that never get a response.
///
/// The system's resolver gives up after 30 seconds, so code that waits for it takes that long.
/// Serialized, because only one name server can use port 53.
@Suite(
    .enabled(if: SilentNameServer.address != nil, "needs .ci/check-dns"), .serialized, .opensFiles,
    .timeLimit)
struct NameTests {
    private static func service(_ label: String, timeout: TimeInterval = 3_000) -> TestService {
        TestService(baseURL: "http://\(label).example", timeout: timeout)
    }

    /// Whether less than 12 seconds have passed: long enough for a busy machine, and far from the
    /// resolver's 30 seconds.
    private static func isSoon(_ start: ContinuousClock.Instant) -> Bool {
        start.duration(to: .now) < .seconds(12)
    }

    @Test(.row("P8")) func cancellingEndsANameLookup() async throws {
        let server = try SilentNameServer()
        let provider = try provider()
        let task = Task { try await provider.load(service: Self.service("cancelled")) }
        #expect(await server.isAsked(for: "cancelled"))
        let start = ContinuousClock.now
        task.cancel()
        let error = await #expect(throws: ServiceError.self) { _ = try await task.value }
        guard case .cancelled = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(Self.isSoon(start))
    }

    /// The timeout of the request and `connectionTimeout`.
    @Test(.row("P8"), arguments: 0..<2)
    func aTimeoutEndsANameLookup(_ kind: Int) async throws {
        let server = try SilentNameServer()
        let provider = try provider {
            if kind == 1 { $0.connectionTimeout = 1 }
        }
        let service = Self.service("late\(kind)", timeout: kind == 0 ? 1 : 3_000)
        let start = ContinuousClock.now
        async let isAsked = server.isAsked(for: "late\(kind)")
        #expect(await provider.code(of: service) == .timedOut)
        #expect(Self.isSoon(start))
        #expect(await isAsked)
    }

    /// Before, during and after the cancellation of other lookups.
    @Test(.row("P8")) func otherTransfersContinueDuringANameLookup() async throws {
        let server = try SilentNameServer()
        let origin = try LoopbackServer { .text($0.path) }
        let provider = try provider()
        let start = ContinuousClock.now
        let lookups = (0..<40).map { index in
            Task { await provider.code(of: Self.service("other\(index)x")) }
        }
        #expect(await server.isAsked(for: "other39x"))
        for round in 0..<3 {
            for index in 0..<20 {
                var service = origin.endpoint()
                service.path = "/\(round)/\(index)"
                #expect(try await provider.text(of: service) == service.path)
                if round == 1 { for each in 0..<2 { lookups[2 * index + each].cancel() } }
            }
        }
        // They fail with `.cancelled`, which isn't a `URLError`.
        for lookup in lookups { #expect(await lookup.value == .unknown) }
        #expect(Self.isSoon(start))
    }

    /// Its thread ends once the call is cancelled.
    @Test(.row("P8")) func aTransportCanBeReleasedDuringANameLookup() async throws {
        await #expect(processExitsWith: .exitCode(7)) {
            let server = try SilentNameServer()
            var task: Task<Void, Never>?
            do {
                let provider = try provider()
                task = Task { _ = await provider.code(of: Self.service("gone")) }
            }
            guard await server.isAsked(for: "gone") else { exit(1) }
            var start = ContinuousClock.now
            // The caller's thread asks, perhaps before the transport's thread runs.
            while try loopCount() != 1 {
                guard Self.isSoon(start) else { exit(4) }
                try await Task.sleep(nanoseconds: 1_000_000)
            }
            start = .now
            task?.cancel()
            await task?.value
            task = nil
            while try loopCount() > 0 {
                guard Self.isSoon(start) else { exit(2) }
                try await Task.sleep(nanoseconds: 1_000_000)
            }
            exit(Self.isSoon(start) ? 7 : 3)
        }
    }

    /// Even while the loop is inside libcurl to cancel the transfer.
    @Test(.row("P8")) func aProcessCanEndDuringANameLookup() async throws {
        let start = ContinuousClock.now
        await #expect(processExitsWith: .exitCode(7)) {
            let server = try SilentNameServer()
            let provider = try provider()
            let task = Task { await provider.code(of: Self.service("both")) }
            guard await server.isAsked(for: "both") else { exit(1) }
            task.cancel()
            // Usually the loop has started to cancel it after this.
            for _ in 0..<1_000 { await Task.yield() }
            exit(7)
        }
        #expect(Self.isSoon(start))
    }
}
#endif
