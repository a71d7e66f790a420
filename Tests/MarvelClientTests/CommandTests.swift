// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux) || os(macOS)

import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

@testable import MarvelClient

/// The commands of the example client, with its mock server.
@Suite(.serialized, .opensFiles, .timeLimit) struct CommandTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(arguments: [
        ([], 20, "2014-04-29  1009145  Avengers"),
        (["--all"], 24, "2014-04-29  1009167  X-Men"),
        (["search", "spider", "--verbose"], 6, "2014-04-29  1009159  Spider-Man"),
        (["search", "spider-man", "(noir)"], 1, "2014-04-29  1009161  Spider-Man (Noir)"),
        (["character", "daily", "bugle"], 1, "never       1009150  Daily Bugle"),
        (["character", "1009151"], 1, "2014-04-29  1009151  Daredevil"),
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

    @Test func aCancelledSaveLeavesNoFile() async throws {
        let folder = self.folder
        let (arrivals, continuation) = AsyncStream.makeStream(of: [String].self)
        let server = try LoopbackServer { request in
            guard request.path == "/thor.ppm" else {
                let picture = "http://\(request.header("Host") ?? "")/thor"
                return .json(
                    """
                    {"data": {"offset": 0, "total": 1, "results": [
                        {"id": 1, "name": "Thor", "modified": "2014-04-29T14:18:17-0400",
                         "thumbnail": {"path": "\(picture)", "extension": "ppm"}}]}}
                    """)
            }
            continuation.yield(folder.names)
            return .data(Data(count: 2000)).cut(.stall, afterBodyBytes: 1000)
        }
        let command = ["save", folder.file("thor.ppm").path, "Thor", "--base-url", server.baseURL]
        let task = Task { try await Main.run(command, key: "a-key") }
        let names = await arrivals.first { _ in true }
        #expect(names == [".thor.ppm.0.new"])
        task.cancel()
        let error = await #expect(throws: ServiceError.self) { try await task.value }
        guard case .cancelled? = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(folder.names.isEmpty)
    }

    @Test(arguments: [
        (["character", "1"], "We couldn't find that character"),
        (["character", "Nobody"], "There is no character 'Nobody'."),
        (["search", "zzz"], "No character's name starts with 'zzz'."),
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

    @Test(arguments: [["-h"], ["--help"], ["help"], ["search", "--help"]])
    func helpIsAResult(arguments: [String]) async throws {
        #expect(try await Main.run(arguments, key: "a-key") == Main.help)
    }

    @Test(arguments: [["comics"], ["search"], ["save", "a.ppm"], ["help", "search"]])
    func aWrongCommandHasItsOwnStatus(arguments: [String]) async throws {
        let text = "Unknown or incomplete command '\(arguments.joined(separator: " "))'."
        #expect(try await usageError(arguments) == "\(text) See 'MarvelClient --help'.")
    }

    @Test(arguments: ["-v", "--al"])
    func anUnknownOptionIsNamed(option: String) async throws {
        let text = try await usageError([option, "--all"])
        #expect(text == "Unknown option '\(option)'. See 'MarvelClient --help'.")
    }

    @Test(arguments: [
        [], ["localhost"], ["localhost:8080"], ["ftp://localhost"], ["http://localhost:99999"],
    ])
    func aWrongBaseURLHasOneRule(values: [String]) async throws {
        let text = "--base-url needs a URL such as http://localhost:8080."
        let error = try await usageError(["--base-url"] + values)
        #expect(error == "\(text) See 'MarvelClient --help'.")
    }

    private func usageError(_ arguments: [String]) async throws -> String? {
        let error = await #expect(throws: Failure.self) {
            try await Main.run(arguments, key: "a-key")
        }
        #expect(error?.status == 64)
        return error?.description
    }
}
#endif
