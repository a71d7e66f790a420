// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTesting
import ServiceProviderTransfers
import TestSupport
import Testing

#if os(Linux)
/// Serialized, and in its own process, because file descriptors are counted per process.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct DownloadStormTests {
    /// Two downloads that end at the same moment don't replace each other's file.
    @Test(.row("D13")) func oneOfTwoDownloadsToTheSameNameFails() async throws {
        for _ in 0..<1_000 {
            let (folder, arrivals) = (try TemporaryFolder(), Locked(0))
            // Both move their files at the same time, unless one of them is late.
            let check = ServiceDownloadCheck { _ in
                arrivals { $0 += 1 }
                let end = Date(timeIntervalSinceNow: 0.02)
                while arrivals({ $0 }) < 2, Date() < end { sched_yield() }
            }
            let calls = ["one", "two"].map { text in
                let stubs = ServiceStubs { _ in .data(Data(text.utf8)) }
                let provider = ServiceProvider<TestService>(stubs: stubs)
                return Task {
                    try await provider.download(
                        service: TestService(), to: folder.file("a"), check: check)
                }
            }
            var ends: [Bool] = []
            for call in calls { ends.append((try? await call.value) != nil) }
            try #require(ends.filter { $0 }.count == 1)
            #expect(folder.names == ["a"])
            #expect(folder.text(of: "a") == (ends[0] ? "one" : "two"))
        }
    }

    /// 1,000 downloads, most of them cancelled at a random moment, leave nothing behind. One in
    /// four isn't cancelled, because on a slow machine the others might all be cancelled before
    /// they end.
    @Test(.row("D7")) func aThousandCancelledDownloadsLeaveNothingBehind() async {
        await #expect(processExitsWith: .success) {
            let bytes = noise(400_000)
            let server = try LoopbackServer { _ in .data(bytes) }
            let folder = try TemporaryFolder()
            let provider = ServiceProvider<TestService>()
            let service = server.service()
            try await provider.download(service: service, to: folder.file("warm"))
            var random = SeededGenerator(state: 3)
            var counts = (whole: 0, cancelled: 0)
            let descriptors = (ProcessUsage.descriptors ?? .max)
            for round in 0..<50 {
                let tasks = (0..<20).map { index in
                    let target = folder.file("\(round)-\(index)")
                    let task = Task { await failure(provider, service, target) }
                    let moment = Int.random(in: 0...40_000, using: &random)
                    if index % 4 > 0 {
                        DispatchQueue.global().asyncAfter(
                            deadline: .now() + .microseconds(moment)
                        ) { task.cancel() }
                    }
                    return (task, target)
                }
                for (task, target) in tasks {
                    switch await task.value {
                    case nil:
                        counts.whole += 1
                        guard try Data(contentsOf: target) == bytes else { exit(2) }
                        try FileManager.default.removeItem(at: target)
                    case .cancelled: counts.cancelled += 1
                    case .some(let error):
                        print("unexpected error:", error)
                        exit(3)
                    }
                }
            }
            // The server closes its ends of the connections a moment later.
            for _ in 0..<3_000 where (ProcessUsage.descriptors ?? .max) > descriptors + 10 {
                try await Task.sleep(nanoseconds: 10_000_000)
            }
            let isMixed = min(counts.cancelled, counts.whole) > 20
            let isQuiet = (ProcessUsage.descriptors ?? .max) <= descriptors + 10
            exit(folder.names == ["warm"] && isQuiet && isMixed ? 0 : 1)
        }
    }
}

private func failure(
    _ provider: ServiceProvider<TestService>, _ service: TestService, _ target: URL
) async -> ServiceError? {
    do {
        try await provider.download(service: service, to: target)
        return nil
    } catch {
        return ServiceError(error)
    }
}
#endif
