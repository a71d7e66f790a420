// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A parsed command line: an action and its options.
struct Command: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case characters(CharacterFilter)
        /// Finds the names that start with a text, `nameStartsWith`.
        case search(CharacterFilter)
        case character(id: Int)
        /// Saves the picture of a character, given by ID or name.
        case save(file: String, character: String)
    }

    var action: Action
    var isAll = false
    var isJSON = false
    var isVerbose = false
    var showsCURL = false
    var baseURL, record, replay: String?
    var transport = "urlsession"
    /// How many seconds a call may take, however slowly the server responds. No argument changes it.
    var deadline = 300.0
}

extension Command {
    /// Parses the program's arguments.
    init(_ list: [String]) throws(UsageError) {
        var arguments = try Arguments(list, help: Self.help)
        let command = arguments.word() ?? "characters"
        switch command {
        case "characters", "search":
            let isSearch = command == "search"
            let filter = CharacterFilter(
                name: isSearch ? nil : arguments.option("--name"),
                nameStartsWith: isSearch
                    ? try arguments.word(orFail: "'search' needs the start of a name")
                    : arguments.option("--starts-with"),
                orderBy: arguments.option("--order-by"),
                limit: try arguments.number("--limit"),
                offset: try arguments.number("--offset"))
            action = isSearch ? .search(filter) : .characters(filter)
            isAll = arguments.flag("--all")
            isJSON = arguments.flag("--json")
        case "character":
            let id = try arguments.word(orFail: "'character' needs an ID")
            action = .character(id: try Arguments.number(id, for: "character"))
            isJSON = arguments.flag("--json")
        case "save":
            let reason = "'save' needs a file and the ID or name of a character"
            action = .save(
                file: try arguments.word(orFail: reason),
                character: try arguments.word(orFail: reason))
        default:
            throw UsageError(reason: "Unknown command '\(command)'")
        }
        isVerbose = arguments.flag("--verbose")
        showsCURL = arguments.flag("--curl")
        baseURL = try arguments.text("--base-url")
        record = try arguments.text("--record")
        replay = try arguments.text("--replay")
        if record != nil && replay != nil {
            throw UsageError(reason: "'--record' and '--replay' can't be combined")
        }
        transport = arguments.option("--transport") ?? transport
        try arguments.finish()
    }

    /// The text of `--help`. It declares the options, too.
    static let help = """
        Shows characters of the Marvel Comics API.

        Usage: MarvelClient [characters] [options]          list characters
               MarvelClient search TEXT [options]           find names by their start
               MarvelClient character ID [options]          show one character
               MarvelClient save FILE CHARACTER [options]   save a character's picture

        CHARACTER is an ID or an exact name. 'save' never replaces a file.
        Write '--' in front of a TEXT, FILE or CHARACTER that starts with '-'.

        Options of 'characters':
          --name NAME          only the character with exactly this name
          --starts-with TEXT   only characters whose names start with this text

        Options of 'characters' and 'search':
          --order-by ORDER     sort by name, modified, -name or -modified
          --limit COUNT        show at most this many, 1 to 100 (default: 20)
          --offset COUNT       skip this many characters
          --all                show all pages; --limit is then the size of a page

        Options of all commands:
          --json               print JSON instead of text (not with 'save')
          --base-url URL       use this server, with the keys in the environment
                               variables MARVEL_PUBLIC_KEY and MARVEL_PRIVATE_KEY
          --verbose            log requests and responses to standard error
          --curl               log each request as a cURL command, without keys
          --record FILE        record the traffic, without keys; replaces the HAR file
          --replay FILE        use the responses in a HAR file instead of a server
          --transport NAME     urlsession (default), or curl (only on Linux)
          --help               print this text

        Marvel retired its API in 2025. Without --base-url, a mock server inside this
        program returns sample data. If keys are set, it checks them.

        Not affiliated with Marvel.

        """
}
