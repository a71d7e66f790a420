// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Values decoded from chunks in memory.
@Suite(.serialized, .opensFiles, .timeLimit) struct ValueTests {
    @Test func chunkBoundariesDoNotMatter() async {
        let lines = Data("{\"id\": 1}\n\r\n\n{\"id\": 2, \"name\": \"é😀\"}\r\n{\"id\": 3}".utf8)
        let events = Data("data: {\"id\":\ndata: 1}\n\n:\n\ndata\n\ndata:{\"id\":2}\n\n".utf8)
        for chunks in Chunks.splits(of: lines) {
            let (heroes, error) = await chunks.lines().decoded(as: Hero.self).collected()
            #expect(heroes == [Hero(id: 1), Hero(id: 2, name: "é😀"), Hero(id: 3)] && error == nil)
        }
        for chunks in Chunks.splits(of: events) {
            let (heroes, error) = await chunks.events().decoded(as: Hero.self).collected()
            #expect(heroes == [Hero(id: 1), Hero(id: 2)] && error == nil)
        }
    }

    @Test func anyEventsAndLinesCanBeDecoded() async throws {
        let chunks = Chunks(chunks: [Data("event: a\ndata: 1\n\nevent: b\ndata: 2\n\n".utf8)])
        let numbers = chunks.events().filter { $0.name == "b" }.decoded(as: Int.self)
        #expect(await numbers.collected().elements == [2])
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        for text in ["1", "", "2"] { continuation.yield(text) }
        continuation.finish()
        #expect(await texts.decoded(as: Int.self).collected().elements == [1, 2])
    }

    @Test(
        .row("E11"),
        arguments: [
            ("[1]", "Decoding 'Hero (element 2)' failed: "),
            ("{\"id\": \"x\"}", "Decoding 'Hero (element 2)' failed at 'id': "),
            ("{}", "Decoding 'Hero (element 2)' failed at 'id': the value is missing."),
            ("{\"id\": 1", "Decoding 'Hero (element 2)' failed: "),
            (" ", "Decoding 'Hero (element 2)' failed: "),
        ])
    func aMalformedElementIsNamedAndEndsTheValues(line: String, text: String) async throws {
        let chunks = Chunks(chunks: [Data("{\"id\":1}\n\n\(line)\n{\"id\":3}\n".utf8)])
        var heroes = chunks.lines().decoded(as: Hero.self)
        #expect(try await heroes.next() == Hero(id: 1))
        let error = await #expect(throws: ServiceError.self) { _ = try await heroes.next() }
        #expect(error?.description.contains(text) == true, "\(error as Any)")
        #expect(error?.response?.data == Data(line.utf8))
        for _ in 0..<3 { #expect(try await heroes.next() == nil) }
    }

    @Test func theEndMarkEndsTheValues() async throws {
        let text = Data("data: 1\n\ndata: [DONE]\n\ndata: 2\n\n".utf8)
        for chunks in Chunks.splits(of: text) {
            let numbers = chunks.events().decoded(as: Int.self, until: "[DONE]")
            let (found, error) = await numbers.collected()
            #expect(found == [1] && error == nil)
        }
        let lines = Chunks(chunks: [Data("1\nend\n2\n".utf8)]).lines()
        #expect(await lines.decoded(as: Int.self, until: "end").collected().elements == [1])
        // Without it, the mark is data like any other.
        let error = await Chunks(chunks: [text]).events().decoded(as: Int.self).collected().error
        #expect("\(error as Any)".contains("'Int (element 2)'"))
    }

    @Test func theErrorOfTheChunksIsWrapped() async throws {
        let chunks = Chunks(chunks: [Data("1\n2".utf8)], error: URLError(.timedOut))
        let (numbers, error) = await chunks.lines().decoded(as: Int.self).collected()
        #expect(numbers == [1])
        #expect((error as? ServiceError)?.urlErrorCode == .timedOut)
        let other = Chunks(chunks: [], error: CancellationError()).lines().decoded(as: Int.self)
        #expect((await other.collected().error as? ServiceError)?.isCancelled == true)
    }

    @Test func theDecoderCanBeReplaced() async {
        let decoder = JSONDecoder()
        decoder.dateDecodingStrategy = .secondsSince1970
        let lines = Chunks(chunks: [Data("7\n".utf8)]).lines()
        let dates = await lines.decoded(as: Date.self, decoder: decoder).collected().elements
        #expect(dates == [Date(timeIntervalSince1970: 7)])
    }

    /// As in `load`, a string is the text, and data are the bytes.
    @Test func stringsAreTheText() async {
        let chunks = Chunks(chunks: [Data("data: \"a\"\n\ndata: {b\n\n".utf8)])
        let texts = await chunks.events().decoded(as: String.self).collected().elements
        #expect(texts == ["\"a\"", "{b"])
        let bytes = await chunks.events().decoded(as: Data.self).collected().elements
        #expect(bytes == texts.map { Data($0.utf8) })
    }

    @Test @MainActor func decodingRunsOffTheMainActor() async throws {
        let chunks = Chunks(chunks: [Data("{}\n{}\n".utf8)])
        var places = 0
        for try await place in chunks.lines().decoded(as: Place.self) {
            #expect(!place.isMain)
            places += 1
        }
        #expect(places == 2)
    }
}
