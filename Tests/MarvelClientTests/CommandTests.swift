// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux) || os(macOS)

import Foundation
import TestSupport
import Testing

@testable import MarvelClient

/// The commands of the example client, with its mock server.
@Suite(.serialized, .opensFiles, .timeLimit) struct CommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        ([], 20, "1009145  Avengers           1996-04-29"),
        (["--all"], 24, "1009167  X-Men              2018-04-29"),
        (["search", "spider", "--verbose"], 6, "1009159  Spider-Man         2010-04-29"),
        (["character", "daily bugle"], 1, "1009150  Daily Bugle  never"),
        (["character", "1009151"], 1, "1009151  Daredevil  2002-04-29"),
    ])
    func charactersAreListed(arguments: [String], count: Int, line: String) async throws {
        let lines = try await Main.run(arguments, key: "a-key").components(separatedBy: "\n")
        #expect(lines.count == 1 + count)
        #expect(lines.contains(line))
    }

    @Test func aPictureIsSavedAsANewFileWithoutSendingTheKey() async throws {
        let server = try MockServer.start()
        let file = folder.file("thor.ppm")
        let command = ["save", file.path, "Thor", "--base-url", server.baseURL]
        #expect(try await Main.run(command, key: "a-key") == "Saved '\(file.path)'.")
        #expect(try Data(contentsOf: file).count == 786_447)
        #expect(server.requests.map { $0.target.contains("a-key") } == [true, false])
        let error = await #expect(throws: (any Error).self) {
            try await Main.run(command, key: "a-key")
        }
        #expect("\(error as Any)".contains("exists already"))
    }

    @Test(arguments: [
        (["character", "1"], "We couldn't find that character"),
        (["character", "Nobody"], "There is no character 'Nobody'."),
        (["--base-url", "http://127.0.0.1:1"], "(URLError -1004, http://127.0.0.1:1)"),
    ])
    func errorsNameTheReason(arguments: [String], text: String) async throws {
        let error = try #require(
            await #expect(throws: (any Error).self) { try await Main.run(arguments, key: "a-key") })
        #expect(explanation(of: error, hiding: "a-key").contains(text))
    }

    @Test func aCallWithoutAKeyIsRefused() async throws {
        let error = try #require(
            await #expect(throws: (any Error).self) { try await Main.run([], key: "") })
        #expect(explanation(of: error, hiding: "") == "The passed API key is invalid.")
    }

    @Test(arguments: [["comics"], ["search"], ["save", "a.ppm"], ["--base-url"], ["-v", "--all"]])
    func aWrongCommandLineHasItsOwnStatus(arguments: [String]) async throws {
        let error = await #expect(throws: Failure.self) {
            try await Main.run(arguments, key: "a-key")
        }
        #expect(error?.status == 64)
        #expect(error?.description.hasPrefix("Unknown or incomplete command '") == true)
    }
}
#endif
