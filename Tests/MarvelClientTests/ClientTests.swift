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

/// Whole commands, with requests to a local server.
@Suite(.serialized, .opensFiles, .timeLimit) struct ClientTests {
    private func output(
        _ arguments: String..., width: Int = 80, environment: [String: String] = [:]
    ) async throws -> String {
        try await MarvelClientTests.output(
            of: arguments, environment: environment, width: width)
    }

    @Test func theFirstPageIsPrintedAsATable() async throws {
        let lines = try await output().split(separator: "\n", omittingEmptySubsequences: false)
            .map(String.init)
        // Titles, 20 rows, a blank line, "1 to 20", a blank line, two lines of attribution, and
        // the empty text after the last newline.
        #expect(lines.count == 27)
        #expect(lines.first?.hasPrefix("     ID  NAME ") == true)
        #expect(lines[1].hasPrefix("1011334  3-D Man "))
        #expect(lines[22] == "1 to 20 of \(GatewayCharacter.all.count) characters")
        #expect(
            lines.suffix(3) == [
                "Data provided by Marvel. © 2026 MARVEL", "Not affiliated with Marvel.", "",
            ])
    }

    @Test(arguments: [20, 30, 40, 80, 200])
    func noLineIsWiderThanTheTerminal(width: Int) async throws {
        let text = try await output("--limit", "100", width: width)
        let lines = text.split(separator: "\n").map(String.init)
        #expect(lines.count > 80)
        #expect(lines.allSatisfy { $0.columns <= width && !$0.hasSuffix(" ") })
        #expect(!text.contains("<p"))
    }

    @Test func filtersReachTheServer() async throws {
        let text = try await output("--starts-with=Spider-M", "--order-by", "-name", "--limit", "2")
        let names = text.split(separator: "\n").dropFirst().prefix(2)
        #expect(names.map { $0.contains("Spider-Man (") } == [true, true])
        #expect(text.contains("\n1 to 2 of 5 characters\n"))
    }

    @Test(arguments: [
        ("--name=nobody", "No characters.\n"),
        (
            "--offset=1000",
            "No characters at this offset. The total is \(GatewayCharacter.all.count).\n"
        ),
    ])
    func anEmptyPagePrintsNoCharacters(option: String, start: String) async throws {
        let text = try await output(option)
        #expect(text.hasPrefix(start))
        #expect(text.contains("Data provided by Marvel."))
    }

    @Test func aSingleCharacterIsPrintedInFull() async throws {
        let text = try await output("character", "1009610")
        #expect(text.hasPrefix("Spider-Man\nA student bitten by a spider"))
        #expect(text.contains("\nID 1009610, changed 2021-06-30\nIn 4499 comics, "))
    }

    /// Comparing a character takes quadratic time if it has many combining marks.
    @Test(
        .slow, arguments: [["character", "1"], ["characters"], ["search", "a"]])
    func manyCombiningMarksArePrintedInLinearTime(arguments: [String]) async throws {
        let long = "a" + String(repeating: "\u{301}\u{323}", count: sanitized(300_000))
        let list = #"{"available": 1, "items": [{"name": "\#(long)"}]}"#
        let server = try LoopbackServer { _ in
            .json(
                #"""
                {"attributionText": "\#(long)", "data": {"offset": 0, "limit": 1, "total": 1, "count": 1,
                 "results": [{"id": 7, "name": "\#(long)", "description": "\#(long)  ", "modified": "\#(long)",
                 "thumbnail": {"path": "\#(long)", "extension": "\#(long)"},
                 "urls": [{"type": "detail", "url": "http://h/\#(long)?\#(long)"}],
                 "comics": \#(list), "series": \#(list), "stories": \#(list), "events": \#(list)}]}}
                """#)
        }
        let text = try await MarvelClientTests.output(
            of: arguments + ["--base-url", server.baseURL], environment: gatewayKeys)
        #expect(text.contains("7"))
    }

    @Test func aPipeThatDoesNotBlockGetsAllOfTheOutput() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reader, writer) = (FileHandle(fileDescriptor: ends[0], closeOnDealloc: true), ends[1])
        #expect(fcntl(writer, F_SETFL, O_NONBLOCK) == 0)
        Thread.detachNewThread {
            try? Terminal.write(String(repeating: "a", count: 1_000_000), to: writer)
            close(writer)
        }
        let text = try await Task.detached { try reader.readToEnd() }.value
        #expect(text?.count == 1_000_000)
    }

    @Test(arguments: [("80", 80), ("1", 1), ("9223372036854775807", 1_000)])
    func theWidthIsLimited(columns: String, width: Int) {
        #expect(Terminal.width(environment: ["COLUMNS": columns], of: -1) == width)
    }

    @Test func aReplyWithoutTheCharacterIsAnError() async throws {
        let server = try LoopbackServer { _ in
            .json(
                #"""
                {"attributionText": "A",
                 "data": {"offset": 0, "limit": 1, "total": 0, "count": 0, "results": []}}
                """#)
        }
        let error = await #expect(throws: Failure.self) {
            try await output(
                "character", "7", "--base-url", server.baseURL, environment: gatewayKeys)
        }
        #expect(error?.description == "There is no character with ID 7.")
    }

    @Test func jsonOutputContainsNoKeys() async throws {
        let text = try await output("character", "1009610", "--json")
        let reply = try JSONDecoder().decode(MarvelReply.self, from: Data(text.utf8))
        #expect(reply.data.results.map(\.name) == ["Spider-Man"])
        #expect(!reply.data.results[0].urls.isEmpty)
        #expect(!text.contains("sample-public-key"))
    }

    @Test(arguments: [
        (["character", "1"], "404 for 'GET /v1/public/characters/1'. We couldn't find that"),
        (["--limit", "101"], "409 for 'GET /v1/public/characters'. You may not request more"),
        (["--name", ""], "409 for 'GET /v1/public/characters'. name cannot be blank if it is"),
    ])
    func errorsContainTheServersMessage(arguments: [String], words: String) async throws {
        let error = await #expect(throws: ServiceError.self) {
            try await MarvelClientTests.output(of: arguments)
        }
        let text = transcribed(error?.explanation ?? "", as: .error)
        #expect(text.contains(words))
    }

    @Test func wrongKeysAreSentAndRefused() async {
        let keys = [
            "MARVEL_PUBLIC_KEY": canary("wrong public key"),
            "MARVEL_PRIVATE_KEY": canary("wrong private key"),
        ]
        let error = await #expect(throws: ServiceError.self) {
            try await output(environment: keys)
        }
        #expect(error?.statusCode == 401)
        let text = transcribed(error?.explanation ?? "", as: .error)
        #expect(text.contains("The passed API key is invalid."))
        #expect(!text.contains("wrong-"))
    }

    private static let bothNames = "MARVEL_PUBLIC_KEY and MARVEL_PRIVATE_KEY"

    @Test func baseURLWithoutKeysIsAnError() async throws {
        let server = try LoopbackServer()
        let error = await #expect(throws: Failure.self) {
            try await output("--base-url", server.baseURL)
        }
        #expect(error?.description == "The server needs a key pair: set \(Self.bothNames).")
        #expect(server.requests.isEmpty)
    }

    @Test func baseURLGetsTheKeysFromTheEnvironment() async throws {
        let server = try gatewayServer()
        let text = try await output(
            "--name", "thor", "--base-url", server.baseURL, environment: gatewayKeys)
        #expect(text.contains("1009664  Thor"))
        #expect(server.requests.count == 1)
    }
}
