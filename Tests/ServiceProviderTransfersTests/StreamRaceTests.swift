// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Readers, senders and callers that leave race with each other on several threads.
@Suite(.slow, .serialized, .opensFiles(0), .timeLimit) struct StreamRaceTests {
    private static let piece = Data("0123456789".utf8)

    /// How a reader leaves the stream.
    enum Leaving: CaseIterable { case atTheEnd, byBreak, byCancel, byDrop }

    @Test(arguments: Leaving.allCases) func readingEndingAndCancellingCanRace(_ leaving: Leaving)
        async throws
    {
        let faults = try await within(seconds: 300) {
            var random = SeededGenerator(state: 7)
            var faults: [String] = []
            for round in 0..<3_000 {
                let count = Int.random(in: 0..<20, using: &random)
                let stay = Int.random(in: 0..<20, using: &random)
                let fault = try await Self.round(
                    leaving, pieces: count, stay: stay, fails: round % 3 == 0)
                if let fault { faults.append("\(round): \(fault)") }
            }
            return faults
        }
        #expect(faults == [])
    }

    /// - Returns: A description of the fault, or nil.
    private static func round(
        _ leaving: Leaving, pieces: Int, stay: Int, fails: Bool
    ) async throws -> String? {
        let feed = Feed()
        var stream: ServiceStream? = try await feed.stream
        let sender = Task.detached {
            for _ in 0..<pieces { if (try? feed.receive(piece)) == nil { return } }
            feed.end(fails ? URLError(.networkConnectionLost) : nil)
        }
        if leaving == .byDrop {
            stream = nil
            await sender.value
            return nil
        }
        let reader = Task { [stream] () -> (Int, ServiceError?) in
            var (size, count) = (0, 0)
            do {
                guard let iterator = stream?.makeAsyncIterator() else { return (0, nil) }
                while let chunk = try await iterator.next() {
                    (size, count) = (size + chunk.count, count + 1)
                    if leaving == .byBreak, count > stay { break }
                }
            } catch {
                return (size, ServiceError(error))
            }
            return (size, nil)
        }
        if leaving == .byCancel {
            for _ in 0..<stay { await Task.yield() }
            reader.cancel()
        }
        let (size, error) = await reader.value
        await sender.value
        let whole = pieces * piece.count
        switch (error, leaving) {
        case (.cancelled, .byCancel): return size <= whole ? nil : "too much"
        case (.transport, _): return fails && size == whole ? nil : "error after \(size)"
        case (nil, .byBreak): return size <= whole ? nil : "too much"
        case (nil, _): return !fails && size == whole ? nil : "end after \(size) of \(whole)"
        case (let error, _): return "\(error as Any)"
        }
    }

    /// The sender obeys each pause: if the last one never ended, it would wait forever.
    @Test func everyPauseEnds() async throws {
        let sizes = try await within(seconds: 300) {
            var sizes: [Int] = []
            for _ in 0..<200 {
                let feed = Feed()
                let stream = try await feed.stream
                let sender = Task.detached {
                    for _ in 0..<40 {
                        while feed.pauses({ $0.last == true }) { await Task.yield() }
                        try feed.receive(Data(count: 300_000))
                    }
                    feed.end()
                }
                var size = 0
                for try await chunk in stream {
                    #expect(chunk.count <= 1 << 20 + 300_000)
                    size += chunk.count
                }
                try await sender.value
                sizes.append(size)
            }
            return sizes
        }
        #expect(sizes.allSatisfy { $0 == 12_000_000 })
    }
}
