// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Parses server-sent events from arbitrary bytes in random pieces. The result must match a reader
/// that has the whole text and follows WHATWG HTML, section 9.2.6, step by step.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct EventFuzz {
    private static let words = [
        "data", "data:", "data: ", "data:  a", "event:", "event: b", "id:", "id: 1", "id: \0",
        "retry:",
        "retry: 15", "retry: 1e3", "retry: 99999999999999999999", "retry: -1", ":", ": c",
        " data: d",
        "\n", "\n", "\r", "\r\n", "\n\n", "\r\r", "\r\n\r\n", "\u{FEFF}", "\u{301}", "é", "x", "",
    ]

    @Test func randomEventStreamsAreParsed() async throws {
        try await Fuzz.run("EventFuzz", count: 3_000) { _, random in
            let sizes = (0...random.number(8)).map { _ in
                1 + random.number(random.oneIn(2) ? 3 : 20)
            }
            let text = random.hostile(Self.words)
            let pieces = Self.split(text, into: sizes)
            var (events, lines) = ([ServiceEvent](), [String]())
            for try await event in pieces.events() { events.append(event) }
            for try await line in pieces.lines() { lines.append(line) }
            let input =
                "\(String(decoding: text, as: UTF8.self).debugDescription) in \(pieces.chunks)"
            let meant = EventReader(text)
            let isSame =
                events.count == meant.events.count
                && zip(events, meant.events).allSatisfy(Self.isSame)
            try require(isSame, "\(events), expected \(meant.events)", input)
            let areLines = lines.map { Array($0.utf8) } == meant.lines.map { Array($0.utf8) }
            try require(areLines, "\(lines), expected \(meant.lines)", input)
        }
    }

    /// Splits a text into pieces of these sizes, again and again.
    private static func split(_ text: Data, into sizes: [Int]) -> Chunks {
        var (pieces, rest) = ([Data](), text)
        while !rest.isEmpty {
            let size = sizes[pieces.count % sizes.count]
            pieces.append(rest.prefix(size))
            rest = Data(rest.dropFirst(size))
        }
        return Chunks(chunks: pieces)
    }

    /// Compares bytes, because Swift treats canonically equivalent strings as equal.
    private static func isSame(_ event: ServiceEvent, _ meant: ServiceEvent) -> Bool {
        event.data.utf8.elementsEqual(meant.data.utf8) && event.id.utf8.elementsEqual(meant.id.utf8)
            && event.name.utf8.elementsEqual(meant.name.utf8) && event.retry == meant.retry
    }
}
