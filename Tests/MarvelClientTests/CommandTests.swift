// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Testing

@testable import MarvelClient

/// From arguments to commands, and the words for those that make none.
@Suite struct CommandTests {
    @Test(
        arguments: [
            ([], Command(action: .characters(CharacterFilter()))),
            (["characters"], Command(action: .characters(CharacterFilter()))),
            (["--limit", "5"], Command(action: .characters(CharacterFilter(limit: 5)))),
            (["characters", "--limit=5"], Command(action: .characters(CharacterFilter(limit: 5)))),
            (["--offset", "-1"], Command(action: .characters(CharacterFilter(offset: -1)))),
            (["--name", ""], Command(action: .characters(CharacterFilter(name: "")))),
            (["--name=a=b"], Command(action: .characters(CharacterFilter(name: "a=b")))),
            (["--name=--x"], Command(action: .characters(CharacterFilter(name: "--x")))),
            (
                ["--order-by", "-modified", "characters", "--starts-with", "Sp"],
                Command(
                    action: .characters(
                        CharacterFilter(nameStartsWith: "Sp", orderBy: "-modified")))
            ),
            (["character", "7", "--json"], Command(action: .character(id: 7), isJSON: true)),
            (
                ["--base-url", "http://h", "character", "7"],
                Command(action: .character(id: 7), baseURL: "http://h")
            ),
            (["--help"], Command(action: .help)),
            (["comics", "--limit", "-h"], Command(action: .help)),
            (["gateway"], Command(action: .gateway(isSilent: false))),
            (["gateway", "--silent"], Command(action: .gateway(isSilent: true))),
        ] as [([String], Command)])
    func argumentsMakeACommand(arguments: [String], command: Command) throws {
        #expect(try Command(arguments) == command)
    }

    @Test(arguments: [
        (["comics"], "There is no command 'comics'"),
        ([""], "There is no command ''"),
        (["characters", "Hulk"], "There is no use for 'Hulk'"),
        (["character", "1", "2"], "There is no use for '2'"),
        (["character"], "'character' needs an ID"),
        (["character", "Hulk"], "'character' needs a whole number, not 'Hulk'"),
        (["--limit", "abc"], "'--limit' needs a whole number, not 'abc'"),
        (["--limit="], "'--limit' needs a whole number, not ''"),
        (["--offset", "1.5"], "'--offset' needs a whole number, not '1.5'"),
        (
            ["--limit", "9223372036854775808"],
            "'--limit' needs a whole number, not '9223372036854775808'"
        ),
        (["--limit"], "'--limit' needs a value"),
        (["--name", "--json"], "'--name' needs a value"),
        (["--limit", "1", "--limit=2"], "'--limit' is given twice"),
        (["--json", "--json"], "'--json' is given twice"),
        (["--json=yes"], "'--json' takes no value"),
        (["--limits", "1"], "There is no option '--limits'"),
        (["-l"], "There is no option '-l'"),
        (["--"], "There is no option '--'"),
        (["--=x"], "There is no option '--'"),
        (["character", "1", "--limit", "1"], "'--limit' does not belong to this command"),
        (["--silent"], "'--silent' does not belong to this command"),
    ])
    func wrongArgumentsAreNamed(arguments: [String], reason: String) {
        let error = #expect(throws: UsageError.self) { try Command(arguments) }
        #expect(error?.description == "\(reason). See 'MarvelClient --help'.")
    }

    @Test func theHelpFitsAndNamesEveryOption() {
        let lines = Command.help.split(separator: "\n")
        #expect(lines.allSatisfy { $0.count <= 80 })
        for option in ["--name", "--starts-with", "--order-by", "--limit", "--offset", "--json"] {
            #expect(lines.contains { $0.hasPrefix("  \(option) ") }, "\(option)")
        }
    }
}
