// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProviderSupport
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct ClockTests {
    @Test(arguments: [0, -1, .nan, 0.01, 0.2])
    func theClockSleepsForTheGivenTime(_ seconds: TimeInterval) async throws {
        let clock = ServiceClock()
        let start = clock.now()
        try await clock.sleep(seconds)
        // The timer's clock differs from that of `Date`, which can be changed.
        #expect(clock.now().timeIntervalSince(start) > seconds * 0.9 || !(seconds > 0))
    }

    @Test(arguments: [1_000, .infinity, .greatestFiniteMagnitude])
    func aCancelledTaskDoesNotSleep(_ seconds: TimeInterval) async throws {
        for isEarly in [true, false] {
            let task = Task { try await ServiceClock().sleep(seconds) }
            if !isEarly { for _ in 0..<100 { await Task.yield() } }
            task.cancel()
            await #expect(throws: CancellationError.self) { try await task.value }
        }
    }

    #if os(Linux)
    /// Runs in its own process, because memory is measured per process. `Task.sleep` would keep
    /// about 600 bytes of each task for the hour, 30 MB in all.
    @Test(.slow, .disabled(if: isUnderAddressSanitizer, "it keeps freed memory"))
    func cancelledSleepsKeepNoMemory() async {
        await #expect(processExitsWith: .success) {
            func sleep(_ times: Int) async {
                for _ in 0..<times {
                    let task = Task { try await ServiceClock().sleep(3_600) }
                    await Task.yield()
                    task.cancel()
                    _ = await task.result
                }
            }
            await sleep(5_000)
            let before = (ProcessUsage.residentBytes ?? 0)
            await sleep(50_000)
            let growth = (ProcessUsage.residentBytes ?? 0) - before
            print("grown by", growth)
            exit(growth < 10_000_000 ? 0 : 1)
        }
    }
    #endif
}
