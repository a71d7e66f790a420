// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct EventParsingTests {
    @Test(.row("E2"), arguments: EventCase.corpus)
    func chunkBoundariesDoNotMatter(_ stream: EventCase) async {
        for chunks in Chunks.splits(of: stream.text) {
            let (events, error) = await chunks.events().collected()
            #expect(events == stream.events && error == nil, "\(chunks.chunks.map(\.count))")
        }
    }

    @Test func anErrorInTheChunksIsThrown() async throws {
        let chunks = Chunks(chunks: [Data("data: a\n\ndata: b".utf8)], error: TookTooLong())
        var events = chunks.events()
        #expect(try await events.next()?.data == "a")
        await #expect(throws: TookTooLong.self) { _ = try await events.next() }
        for _ in 0..<3 { #expect(try await events.next() == nil) }
    }

    @Test func eachLoopStartsAgain() async {
        let events = Chunks(chunks: [Data("data: a\n\n".utf8)]).events()
        for _ in 0..<2 { #expect(await events.collected().elements == [ServiceEvent("a")]) }
    }

    @Test(
        .row("E4"),
        arguments: [
            "data: 0123456789\n\n", "0123456789abcdef", ":0123456789abcdef\n",
            "data:a\ndata:bc\ndata:defg\ndata:hijk\n",
            "data\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\ndata\n",
        ])
    func anEventThatIsTooLongIsAnError(text: String) async throws {
        let good = Data("data: 12345\n\n".utf8)
        for chunks in Chunks.splits(of: Data(text.utf8)) {
            var events = Chunks(chunks: [good] + chunks.chunks + [good]).events(maximumSize: 12)
            #expect(try await events.next()?.data == "12345")
            let error = await #expect(throws: ServiceError.self) { _ = try await events.next() }
            #expect(error?.urlErrorCode == .dataLengthExceedsMaximum)
            #expect(error?.description.contains("is longer than 12 bytes.") == true)
            #expect(try await events.next() == nil)
        }
    }

    @Test func theLimitItselfIsAllowed() async {
        let text = Data("data: 123456\n\ndata:12345\ndata:12345\n\n".utf8)
        let (events, error) = await Chunks(chunks: [text]).events(maximumSize: 12).collected()
        #expect(events.map(\.data) == ["123456", "12345\n12345"] && error == nil)
    }

    /// The limit is for each event, and not for all events together.
    @Test func manySmallEventsStayBelowTheLimit() async {
        let text = Data(String(repeating: "data: 1234\n\n", count: 10_000).utf8)
        let (events, error) = await Chunks.pieces(of: text, size: 1_000).events(maximumSize: 20)
            .collected()
        #expect(events.count == 10_000 && error == nil)
    }
}
