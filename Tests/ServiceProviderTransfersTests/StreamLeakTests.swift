// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct StreamLeakTests {
    /// Runs in its own process, because other tests open and close descriptors too.
    @Test(.row("P9")) func streamsLeftAtAnyMomentCloseTheirDescriptors() async {
        await #expect(processExitsWith: .success) {
            // These responses never end, because a response that ends would free its connection.
            let server = try LoopbackServer { _ in
                .data(Data(count: 1 << 18)).chunked().cut(.stall, afterBodyBytes: 1 << 17)
            }
            let provider = ServiceProvider<TestService>()
            var random = SeededGenerator(state: 1)
            var service = server.service()
            service.timeout = 300
            _ = try await Self.size(of: provider.stream(service: service), 1 << 16)
            let before = try #require(ProcessUsage.descriptors)
            let start = Date()
            for _ in 0..<100 {
                // Fails if streams end only by their timeouts.
                if Date().timeIntervalSince(start) > 250 { exit(1) }
                await withTaskGroup(of: Void.self) { group in
                    for _ in 0..<10 {
                        let limit = Int.random(in: 0..<1 << 16, using: &random)
                        let moment = Int.random(in: 0..<10_000, using: &random)
                        group.addTask { [service] in
                            let task = Task {
                                let stream = try await provider.stream(service: service)
                                if limit % 10 == 0 { return 0 }
                                return try await Self.size(of: stream, limit)
                            }
                            if limit % 2 == 0 {
                                DispatchQueue.global().asyncAfter(
                                    deadline: .now() + .microseconds(moment)
                                ) { task.cancel() }
                            }
                            _ = await task.result
                        }
                    }
                }
            }
            // Six connections to a host are kept for reuse, and both ends of each are in this
            // process.
            let allowed = before + 12
            let deadline = Date(timeIntervalSinceNow: 60)
            while ProcessUsage.descriptors ?? .max > allowed, Date() < deadline {
                await Task.yield()
            }
            if ProcessUsage.descriptors ?? .max > allowed || server.requests.count < 500 { exit(1) }
        }
    }

    private static func size(of stream: ServiceStream, _ limit: Int) async throws -> Int {
        var size = 0
        for try await chunk in stream {
            size += chunk.count
            if size > limit { break }
        }
        return size
    }
}
#endif
