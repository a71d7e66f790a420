// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderDiagnostics
import ServiceProviderExtras
import TestSupport
import Testing

@testable import MarvelClient

/// `--all`, which lists all pages, with requests to a local server.
@Suite(.serialized, .opensFiles, .timeLimit) struct ListingTests {
    private let server: LoopbackServer

    init() throws { server = try gatewayServer() }

    private func run(
        _ arguments: String..., bar: ProgressBar? = nil,
        write: @escaping @Sendable (String) throws -> Void
    ) async throws {
        let console = Console(environment: gatewayKeys, progressBar: bar, write: write)
        try await Client.run(Command(arguments + ["--base-url", server.baseURL]), on: console)
    }

    @Test func eachPageIsPrintedBeforeTheNextRequest() async throws {
        let printed = Locked<[(text: String, requests: Int)]>([])
        try await run("--all", "--limit", "30") { [server] text in
            printed { $0.append((text, server.requests.count)) }
        }
        let parts = printed { $0 }
        // Three pages, and the lines below the table.
        #expect(parts.map(\.requests) == [1, 2, 3, 3])
        #expect(parts.map { $0.text.split(separator: "\n").count } == [31, 30, 27, 3])
        let lines = parts.map(\.text).joined().split(separator: "\n").map(String.init)
        #expect(lines.count { $0.contains("  NAME ") } == 1)
        #expect(lines.contains("1 to 87 of 87 characters"))
        #expect(Set(lines.prefix(88)).count == 88)
        #expect(lines.allSatisfy { $0.columns <= 80 })
    }

    @Test func everyPageIsRequestedWithTheSameFilter() async throws {
        try await run("--all", "--limit=2", "--starts-with", "Spider-M", "--offset=1") { _ in }
        let offsets = try server.requests.map { request in
            let items = try #require(URLComponents(string: request.target)?.queryItems)
            #expect(items.contains { $0.name == "nameStartsWith" && $0.value == "Spider-M" })
            #expect(items.contains { $0.name == "limit" && $0.value == "2" })
            return items.first { $0.name == "offset" }?.value
        }
        #expect(offsets == ["1", "3"])
    }

    @Test func allPagesArePrintedAsOneJSONDocument() async throws {
        let printed = Locked<[String]>([])
        try await run("--all", "--limit=40", "--json", "--offset=7") { text in
            printed { $0.append(text) }
        }
        let parts = printed { $0 }
        #expect(parts.count == 1)
        let reply = try JSONDecoder().decode(MarvelReply.self, from: Data(parts.joined().utf8))
        #expect((reply.data.offset, reply.data.count, reply.data.total) == (7, 80, 87))
        #expect(Set(reply.data.results.map(\.id)).count == 80)
    }

    /// A page of a server that lies.
    struct Page: Sendable {
        var offset = 0
        var count = 20
        var total = 30
    }

    @Test(
        arguments: [
            // The offset is ignored.
            ([Page(), Page()], "page at offset 0, not 20."),
            ([Page(), Page(count: 30)], "page at offset 0, not 20."),
            ([Page(), Page(total: 20)], "page at offset 0, not 20."),
            ([Page(count: 1), Page(count: 2), Page(count: 3)], "page at offset 0, not 1."),
            // Pages are left out.
            ([Page(total: 100), Page(offset: 60, total: 100)], "page at offset 60, not 20."),
            ([Page(), Page(offset: 20, count: 0)], "20 of 30 characters."),
            ([Page(count: 0)], "0 of 30 characters."),
            ([Page(offset: -5, total: 100)], "0 of 100 characters."),
            ([Page(offset: .max, total: .max)], "0 of 9223372036854775807 characters."),
        ])
    func aListThatIsNotCompleteIsAnError(pages: [Page], text: String) async throws {
        let sample = Locked(pages)
        let server = try LoopbackServer { _ in
            let page = sample { $0.count > 1 ? $0.removeFirst() : $0[0] }
            let results = (0..<page.count).map { MarvelCharacter.plain(id: page.offset &+ $0) }
            let reply = MarvelReply(
                attributionText: "",
                data: CharacterPage(
                    offset: page.offset, limit: 20, total: page.total, count: page.count,
                    results: results))
            return .data((try? JSONEncoder().encode(reply)) ?? Data())
        }
        let printed = Locked("")
        let console = Console(environment: gatewayKeys) { text in printed { $0 += text } }
        let error = await #expect(throws: Failure.self) {
            try await Client.run(Command(["--all", "--base-url", server.baseURL]), on: console)
        }
        #expect(error?.description.hasSuffix(text) == true, "\(String(describing: error))")
        #expect(server.requests.count <= 2)
        let rows = printed { $0 }.split(separator: "\n").filter { $0.contains(" A ") }
        #expect(Set(rows).count == rows.count)
    }

    struct Stop: Error {}

    @Test func listingStopsIfTheOutputCannotBeWritten() async throws {
        await #expect(throws: Stop.self) {
            try await run("--all", "--limit=10") { _ in throw Stop() }
        }
        #expect(server.requests.count == 1)
    }

    @Test func progressBarIsErasedBeforeEachPageIsPrinted() async throws {
        let events = Locked<[String]>([])
        let bar = ProgressBar(width: 60) { text in
            events { $0.append("bar: " + text) }
        }
        try await run("--all", "--limit=40", bar: bar) { _ in
            events { $0.append("rows") }
        }
        let blank = "bar: \r" + String(repeating: " ", count: 59) + "\r"
        let bars = ["40 of 87 …", "80 of 87 …"].map { "] " + $0 }
        let all = events { $0 }
        try #require(all.count == 10)
        #expect(all[0...1] == [blank, "rows"])
        #expect(all[2].hasSuffix(bars[0]))
        #expect(all[3...4] == [blank, "rows"])
        #expect(all[5].hasSuffix(bars[1]))
        #expect(all[6...] == [blank, "rows", "rows", blank])
    }

    @Test(arguments: [
        (0, 20, 87, 20), (80, 7, 87, nil), (0, 0, 87, nil), (0, 20, 0, nil), (0, 1, 1, nil),
        (-5, 20, 87, nil), (Int.max, 1, Int.max, nil), (Int.max - 1, 1, Int.max, nil),
        (Int.min, 1, 5, nil), (0, 20, -1, nil), (87, 20, 87, nil),
    ])
    func anyPageNumbersOfAServerAreSafe(offset: Int, count: Int, total: Int, next: Int?) {
        let page = CharacterPage(
            offset: offset, limit: 0, total: total, count: 99,
            results: Array(repeating: .plain(), count: count))
        #expect(page.nextOffset == next)
        #expect(page.rows.count == count)
        #expect(!page.summary.isEmpty)
    }
}

/// The line below a list.
@Suite(.serialized, .opensFiles, .timeLimit) struct SummaryTests {
    @Test(
        arguments: [
            (0, 0, 0, ["No characters."]),
            (5, 0, 1, ["No characters at this offset. The total is 1."]),
            (0, 1, 1, ["", "1 character"]),
            (0, 1, 87, ["", "1 to 1 of 87 characters"]),
            (40, 20, 87, ["", "41 to 60 of 87 characters"]),
            // A server that lies.
            (Int.max, 1, Int.max, ["", "1 character"]),
            (Int.max - 1, 2, Int.max, ["", "2 characters"]),
            (Int.min, 2, 87, ["", "2 characters"]),
            (-1, 1, 87, ["", "1 character"]),
            (0, 2, 1, ["", "2 characters"]),
            (86, 2, 87, ["", "2 characters"]),
        ] as [(Int, Int, Int, [String])])
    func summariesSayWhichCharactersAreShown(
        offset: Int, count: Int, total: Int, lines: [String]
    ) {
        let page = CharacterPage(
            offset: offset, limit: 0, total: total, count: count,
            results: Array(repeating: .plain(), count: count))
        #expect(page.summary == lines)
    }
}

/// The text and the width of the progress bar.
@Suite(.serialized, .opensFiles, .timeLimit) struct ProgressBarTests {
    private func line(_ done: Int, of total: Int, width: Int) -> String {
        let events = Locked<[String]>([])
        let bar = ProgressBar(width: width) { text in events { $0.append(text) } }
        bar.draw(done, of: total)
        return events { $0.joined() }
    }

    @Test(arguments: [
        (0, 4, "\r[------------------------------] 0 of 4 …"),
        (1, 4, "\r[#######-----------------------] 1 of 4 …"),
        (4, 4, "\r[##############################] 4 of 4 …"),
        (9, 4, "\r[##############################] 9 of 4 …"),
        (-1, 4, "\r[------------------------------] -1 of 4 …"),
        (0, 0, "\r[##############################] 0 of 0 …"),
    ])
    func progressBarIsFilledInProportion(done: Int, total: Int, text: String) {
        #expect(line(done, of: total, width: 80) == text)
    }

    @Test(arguments: [-1, 0, 1, 2, 10, 14, 20, 45, 80])
    func progressBarFitsTheTerminalForAnyNumbers(width: Int) {
        for number in [0, 12, Int.max, Int.min] {
            for total in [0, 49, Int.max, Int.min] {
                // Even in the narrowest terminal, the bar takes one column.
                #expect(line(number, of: total, width: width).columns <= max(1, width - 1))
            }
        }
        let events = Locked<[String]>([])
        ProgressBar(width: width) { text in events { $0.append(text) } }.erase()
        #expect(events { $0.joined() }.columns == max(0, width - 1))
    }
}
