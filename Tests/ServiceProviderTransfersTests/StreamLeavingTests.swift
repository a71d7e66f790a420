// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Leaving or releasing a stream stops its transfer.
@Suite(.serialized, .opensFiles, .timeLimit) struct StreamLeavingTests {
    @Test func leavingTheLoopStopsTheTransfer() async throws {
        let feed = Feed()
        let stream = try await feed.stream
        try feed.receive("a")
        for try await _ in stream { break }
        #expect(feed.cancelCount { $0 } == 1)
        #expect(throws: CancellationError.self) { try feed.receive("b") }
        feed.end()
        // Reading again fails: it doesn't look like the end of the body.
        let (chunks, error) = await stream.collected()
        #expect(chunks == [] && (error as? ServiceError)?.isCancelled == true)
        withExtendedLifetime(stream) {}
    }

    /// Even if the whole body has arrived.
    @Test func aStreamThatWasLeftEndsAsCancelled() async throws {
        let feed = Feed()
        let stream = try await feed.stream
        try feed.receive("a")
        feed.end()
        _ = stream.makeAsyncIterator()
        let (chunks, error) = await stream.collected()
        #expect(chunks == [] && (error as? ServiceError)?.isCancelled == true)
    }

    @Test func aLoopMayOutliveItsStream() async throws {
        let feed = Feed()
        var stream: ServiceStream? = try await feed.stream
        let reader = stream?.makeAsyncIterator()
        stream = nil
        try feed.receive("a")
        #expect(try await reader?.next() == Data("a".utf8))
        #expect(feed.cancelCount { $0 } == 0)
    }

    @Test func releasingAnUnreadStreamStopsTheTransfer() async throws {
        let feed = Feed()
        _ = try await feed.stream
        #expect(feed.cancelCount { $0 } == 1)
    }

    @Test func aFinishedTransferIsNotCancelled() async throws {
        let feed = Feed()
        let stream = try await feed.stream
        try feed.receive("a")
        feed.end()
        #expect(await stream.collected().elements == [Data("a".utf8)])
        #expect(feed.cancelCount { $0 } == 0)
        let (chunks, error) = await stream.collected()
        #expect(chunks == [] && error == nil)
    }

    @Test func leavingEventsStopsTheTransfer() async throws {
        let feed = Feed()
        let stream = try await feed.stream
        let (lines, events) = (stream.lines(), stream.events())
        try feed.receive("data: a\n\n")
        for try await event in events {
            #expect(event.data == "a")
            break
        }
        #expect(feed.cancelCount { $0 } == 1)
        withExtendedLifetime((stream, lines, events)) {}
    }

    /// Even though the sequence is kept and the loop continues.
    @Test func aLineThatIsTooLongStopsTheTransfer() async throws {
        let feed = Feed()
        var lines = try await feed.stream.lines(maximumLength: 3)
        try feed.receive("abcd")
        await #expect(throws: ServiceError.self) { _ = try await lines.next() }
        #expect(feed.cancelCount { $0 } == 1)
        #expect(try await lines.next() == nil)
    }

    /// A cancelled task doesn't get the bytes that wait.
    @Test func aCancelledTaskReadsNothing() async throws {
        let feed = Feed()
        let stream = try await feed.stream
        try feed.receive("a")
        let task = Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await stream.collected()
        }
        let (chunks, error) = await task.value
        #expect(chunks == [] && (error as? ServiceError)?.isCancelled == true)
    }

    /// The stream was released before anyone could read it.
    @Test func anInterceptorThatThrowsAfterTheHeadersStopsTheTransfer() async throws {
        let feed = Feed()
        let failing = Intercept { request, next in
            _ = try await next(request)
            throw TookTooLong()
        }
        let provider = ServiceProvider<TestService>(transport: feed, interceptors: [failing])
        await #expect(throws: ServiceError.self) {
            _ = try await provider.stream(service: TestService(baseURL: "http://feed.invalid"))
        }
        #expect(feed.cancelCount { $0 } == 1)
    }
}
