// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// How a stream handles every order of events.
@Suite(.serialized, .opensFiles, .timeLimit) struct StreamBufferTests {
    private static let megabyte = Data(count: 1 << 20)

    @Test func waitingChunksAreReturnedAsOne() async throws {
        let feed = Feed()
        let reader = try await feed.stream.makeAsyncIterator()
        for text in ["a", "b", "c"] { try feed.receive(text) }
        #expect(try await reader.next() == Data("abc".utf8))
        try feed.receive("d")
        feed.end()
        #expect(try await reader.next() == Data("d".utf8))
        for _ in 0..<3 { #expect(try await reader.next() == nil) }
    }

    @Test func anErrorIsThrownAfterTheBytes() async throws {
        let feed = Feed()
        let reader = try await feed.stream.makeAsyncIterator()
        try feed.receive("a")
        feed.end(URLError(.networkConnectionLost))
        #expect(try await reader.next() == Data("a".utf8))
        let error = await #expect(throws: ServiceError.self) { _ = try await reader.next() }
        #expect(error?.description.contains("URLError -1005, http://feed.invalid:81)") == true)
        for _ in 0..<3 { #expect(try await reader.next() == nil) }
    }

    @Test func aFullBufferPausesTheServer() async throws {
        let feed = Feed()
        let reader = try await feed.stream.makeAsyncIterator()
        try feed.receive(Self.megabyte)
        #expect(feed.pauses { $0 } == [])
        try feed.receive("x")
        try feed.receive("y")
        #expect(feed.pauses { $0 } == [true])
        #expect(try await reader.next()?.count == 1 << 20 | 2)
        #expect(feed.pauses { $0 } == [true, false])
        // A reader that waits gets the bytes immediately.
        async let next = reader.next()
        for _ in 0..<3 { try feed.receive(Self.megabyte) }
        #expect(try await next != nil)
    }

    @Test func withoutPausesAFullBufferIsAnError() async throws {
        let feed = Feed(canPause: false)
        let reader = try await feed.stream.makeAsyncIterator()
        var count = 0
        let error = #expect(throws: URLError.self) {
            while count < 100 {
                try feed.receive(Self.megabyte)
                count += 1
            }
        }
        #expect(count == ServiceStream.maximumUnreadSize >> 20 + 1)
        feed.end(error)
        #expect(try await reader.next()?.count == count << 20)
        let thrown = await #expect(throws: ServiceError.self) { _ = try await reader.next() }
        #expect(thrown?.urlErrorCode == .dataLengthExceedsMaximum)
        #expect(thrown?.description.contains("http://feed.invalid:81") == true)
        #expect(thrown?.description.contains("The stream's buffer is full.") == true)
    }

    @Test func severalReadersShareTheChunks() async throws {
        let feed = Feed()
        let stream = try await feed.stream
        let counts = try await within(seconds: 60) {
            await withTaskGroup(of: Int.self) { group in
                for _ in 0..<8 {
                    group.addTask { await stream.collected().elements.reduce(0) { $0 + $1.count } }
                }
                group.addTask {
                    for _ in 0..<10_000 { try? feed.receive("x") }
                    feed.end()
                    return 0
                }
                return await group.reduce(0, +)
            }
        }
        #expect(counts == 10_000)
    }

    @Test(arguments: [true, false])
    func eachReaderGetsTheError(_ isCancelled: Bool) async throws {
        let feed = Feed()
        let stream = try await feed.stream
        let (one, other) = (stream.makeAsyncIterator(), stream.makeAsyncIterator())
        let first = Task { try await one.next() }
        let second = Task { try await other.next() }
        if isCancelled { second.cancel() } else { feed.end(URLError(.networkConnectionLost)) }
        for reader in [first, second] {
            let error = try await within(seconds: 60) {
                try await failure { _ = try await reader.value }
            }
            #expect(ServiceResult<Data>.failure(error).isCancelled == isCancelled)
        }
        #expect(feed.cancelCount { $0 } == (isCancelled ? 1 : 0))
        #expect(try await one.next() == nil)
        #expect(try await other.next() == nil)
    }

    @Test func aStreamCanBeReadOnlyOnce() async throws {
        let feed = Feed()
        let twice = Intercept { request, next in
            _ = try await next(request)
            return try await next(request)
        }
        let provider = ServiceProvider<TestService>(transport: feed, interceptors: [twice])
        let error = await #expect(throws: ServiceError.self) {
            _ = try await provider.stream(service: TestService(baseURL: "http://feed.invalid"))
        }
        #expect(error?.description.contains("A stream can have only one response.") == true)
        #expect(feed.cancelCount { $0 } == 1)
    }

    /// Four times the bytes take about four times as long: waiting bytes aren't copied for each
    /// chunk.
    @Test func bufferingTakesLinearTime() async throws {
        func seconds(_ count: Int) async throws -> TimeInterval {
            let feed = Feed()
            let reader = try await feed.stream.makeAsyncIterator()
            func receive() throws -> TimeInterval {
                let start = threadTime()
                for _ in 0..<count { try feed.receive(Data(count: 100)) }
                return threadTime() - start
            }
            let seconds = try receive()
            #expect(try await reader.next()?.count == count * 100)
            return seconds
        }
        var growth = Double.infinity
        for _ in 0..<5 where growth > 5 {
            let (few, many) = (try await seconds(1 << 14), try await seconds(1 << 16))
            growth = min(growth, many / few)
        }
        #expect(growth < linearGrowth)
    }

    @Test func aReleasedStreamIsFreed() async throws {
        weak var buffer: AnyObject?
        do {
            let feed = Feed()
            let stream = try await feed.stream
            buffer = stream.response.request.bodySink as AnyObject
            #expect(buffer != nil)
            feed.end()
        }
        #expect(buffer == nil)
    }
}
