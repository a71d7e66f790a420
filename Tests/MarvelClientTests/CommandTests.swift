// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import TestSupport
import Testing

@testable import MarvelClient

/// Parsing arguments into commands, and the errors for wrong arguments.
@Suite(.serialized, .opensFiles, .timeLimit) struct CommandTests {
    @Test(
        arguments: [
            ([], Command(action: .characters(CharacterFilter()))),
            (["characters", "--limit=5"], Command(action: .characters(CharacterFilter(limit: 5)))),
            (["--offset", "-1"], Command(action: .characters(CharacterFilter(offset: -1)))),
            (["--name=a=b"], Command(action: .characters(CharacterFilter(name: "a=b")))),
            (["--name=--x"], Command(action: .characters(CharacterFilter(name: "--x")))),
            (
                ["--order-by", "-modified", "characters", "--starts-with", "Sp"],
                Command(
                    action: .characters(
                        CharacterFilter(nameStartsWith: "Sp", orderBy: "-modified")))
            ),
            (
                [
                    "search", "--limit=2", " ", "--all", "--offset", "1", "--order-by=name",
                    "--json",
                ],
                Command(
                    action: .search(
                        CharacterFilter(
                            nameStartsWith: " ", orderBy: "name", limit: 2, offset: 1)),
                    isAll: true, isJSON: true)
            ),
            (
                ["--base-url", "http://h", "character", "7"],
                Command(action: .character(id: 7), baseURL: "http://h")
            ),
            (
                ["save", "--base-url=http://h", "a b.png", "Iron Man"],
                Command(
                    action: .save(file: "a b.png", character: "Iron Man"), baseURL: "http://h")
            ),
            (
                ["--verbose", "--curl", "--record", "a.har"],
                Command(
                    action: .characters(CharacterFilter()), isVerbose: true, showsCURL: true,
                    record: "a.har")
            ),
            (["--"], Command(action: .characters(CharacterFilter()))),
            (
                ["search", "--json", "--", "--help"],
                Command(action: .search(CharacterFilter(nameStartsWith: "--help")), isJSON: true)
            ),
            (
                ["save", "--", "-a.png", "-1"],
                Command(action: .save(file: "-a.png", character: "-1"))
            ),
            (
                ["--transport", "curl"],
                Command(action: .characters(CharacterFilter()), transport: "curl")
            ),
            (
                ["save", "a.png", "Thor", "--replay=a.har"],
                Command(
                    action: .save(file: "a.png", character: "Thor"),
                    replay: "a.har")
            ),
        ] as [([String], Command)])
    func argumentsAreParsedIntoACommand(arguments: [String], command: Command) throws {
        #expect(try Command(arguments) == command)
    }

    @Test(arguments: [
        (["comics"], "Unknown command 'comics'"),
        (["characters", "Hulk"], "Unexpected argument 'Hulk'"),
        (["character"], "'character' needs an ID"),
        (["character", "Hulk"], "'character' needs a whole number, not 'Hulk'"),
        (["--limit", "abc"], "'--limit' needs a whole number, not 'abc'"),
        (
            ["--limit", "9223372036854775808"],
            "'--limit' needs a whole number, not '9223372036854775808'"
        ),
        (["--limit"], "'--limit' needs a value"),
        (["--name", "--json"], "'--name' needs a value"),
        (["--limit", "1", "--limit=2"], "'--limit' is given twice"),
        (["--json=yes"], "'--json' doesn't take a value"),
        (["--limits", "1"], "Unknown option '--limits'"),
        (["-l"], "Unknown option '-l'"),
        (["--", "--json"], "Unknown command '--json'"),
        (["search", "--"], "'search' needs the start of a name"),
        (["search", "--", "A", "--json"], "Unexpected argument '--json'"),
        (["--=x"], "Unknown option '--'"),
        (["character", "1", "--limit", "1"], "'--limit' doesn't apply to this command"),
        (["search", ""], "'search' needs the start of a name"),
        (["search", "Iron", "Man"], "Unexpected argument 'Man'"),
        (["search", "A", "--name", "B"], "'--name' doesn't apply to this command"),
        (["save", "a.png"], "'save' needs a file and the ID or name of a character"),
        (["save", "", "Thor"], "'save' needs a file and the ID or name of a character"),
        (["save", "a.png", "Thor", "--json"], "'--json' doesn't apply to this command"),
        (["--record", "a", "--replay", "b"], "'--record' and '--replay' can't be combined"),
        (["--record"], "'--record' needs a value"),
        (["--base-url="], "'--base-url' needs a value"),
        (["gateway"], "Unknown command 'gateway'"),
    ])
    func errorsNameTheWrongArgument(arguments: [String], reason: String) {
        let error = #expect(throws: UsageError.self) { try Command(arguments) }
        #expect(error?.description == "\(reason). See 'MarvelClient --help'.")
    }

    @Test func helpFitsIn80ColumnsAndListsEveryOption() {
        let lines = Command.help.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        let options = [
            "--name", "--starts-with", "--order-by", "--limit", "--offset", "--all", "--json",
            "--verbose", "--curl", "--record", "--replay", "--base-url", "--transport",
        ]
        for option in options {
            #expect(lines.contains { $0.hasPrefix("  \(option) ") }, "\(option)")
        }
    }

    @Test(arguments: [
        (["--help"], true), (["search", "A", "-h"], true), (["--limit", "--help"], true),
        (["--", "--help"], false), (["help"], false), ([], false),
    ])
    func helpIsAskedForInFrontOfWords(arguments: [String], isHelp: Bool) {
        #expect(Arguments.asksForHelp(arguments) == isHelp)
    }

    @Test func theGatewayHasItsOwnHelp() async throws {
        let text = Locked("")
        let console = Console { part in text { $0 += part } }
        try await LocalGateway.serve(["--silent", "--help"], on: console)
        let lines = text { $0 }.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        for option in ["--silent", "--throttled COUNT", "--help"] {
            #expect(lines.contains { $0.hasPrefix("  \(option) ") }, "\(option)")
        }
    }

    @Test(arguments: [
        (["--json"], "Unknown option '--json'"),
        (["--silent=1"], "'--silent' doesn't take a value"),
        (["--throttled", "many"], "'--throttled' needs a whole number, not 'many'"),
        (["8080"], "Unexpected argument '8080'"),
    ])
    func gatewayErrorsNameTheWrongArgument(arguments: [String], reason: String) async {
        let console = Console(write: { text in Issue.record("It printed '\(text)'.") })
        let error = await #expect(throws: UsageError.self) {
            try await LocalGateway.serve(arguments, on: console)
        }
        #expect(error?.reason == reason)
    }
}
