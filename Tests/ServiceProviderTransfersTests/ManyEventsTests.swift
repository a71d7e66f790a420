// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Reads far more events than the number that once crashed a stream. Each test runs in its own
/// process, because memory is measured per process.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct ManyEventsTests {
    /// Under sanitizers, only somewhat more than the number that once crashed the process.
    private static var million: Int {
        isUnderThreadSanitizer || isUnderAddressSanitizer ? 100_000 : 1_000_000
    }

    /// Reads a million events of one endpoint in constant memory.
    @Test(.row("E10")) func aMillionEventsCanBeReadOverCurl() async {
        await #expect(processExitsWith: .success) {
            try await Self.read(Self.million, from: CurlTransport())
        }
    }

    /// On Linux, URLSession can't slow the server down, so each connection sends only some of them.
    @Test(.row("E10")) func aMillionEventsCanBeReadOverURLSession() async {
        await #expect(processExitsWith: .success) {
            try await Self.read(
                Self.million, from: TransportUnderTest.ownSession.make(), perConnection: 50_000)
        }
    }

    /// Leaving the loop frees all memory that the events used.
    @Test(.row("E10")) func leavingAfterManyEventsFreesTheirMemory() async {
        await #expect(processExitsWith: .success) {
            for _ in 0..<(isUnderThreadSanitizer ? 1 : 3) {
                try await Self.read(100_000, of: 200_000, from: CurlTransport())
            }
        }
    }

    private static func read(
        _ count: Int, of total: Int? = nil, from transport: any ServiceTransport,
        perConnection: Int? = nil
    ) async throws {
        let event = Data("data: x\n\n".utf8)
        let sent = perConnection ?? total ?? count
        let server = try LoopbackServer { _ in
            LoopbackResponse(
                headers: [("Content-Type", "text/event-stream")],
                body: .repeating(event, count: sent * event.count))
        }
        let reconnection = ServiceReconnection(clock: TestClock(jumps: true).clock)
        let provider = ServiceProvider<TestService>(transport: transport)
        var (seen, early) = (0, 0)
        for try await event in try provider.events(
            service: server.service(), reconnecting: reconnection)
        {
            guard event.data == "x" else { exit(2) }
            seen += 1
            if seen == count / 5 { early = ProcessUsage.residentBytes ?? 0 }
            if seen == count { break }
        }
        guard seen == count else { exit(3) }
        // 128 bytes per event would add up to 100 MB. AddressSanitizer keeps freed memory.
        let growth = (ProcessUsage.residentBytes ?? .max) - early
        guard isUnderAddressSanitizer || growth < 32 << 20 else { exit(4) }
    }
}
#endif
