// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// What the program is asked to do.
struct Command: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case help
        case characters(CharacterFilter)
        /// Every page of them, from the filter's offset on; its limit is the size of a page.
        case allCharacters(CharacterFilter)
        case character(id: Int)
        /// Saves the picture of a character, which an ID or a name says.
        case save(file: String, character: String)
        /// Serves the sample characters until it is interrupted, or takes requests and never
        /// answers, or refuses so many requests as too many. Not in the help: it is for checks of
        /// this program.
        case gateway(isSilent: Bool, throttled: Int)

        /// Whether it shows a reply of the server, which may be wanted as JSON.
        var hasReply: Bool {
            switch self {
            case .characters, .allCharacters, .character: true
            case .help, .save, .gateway: false
            }
        }

        /// Whether it asks a server.
        var asks: Bool {
            switch self {
            case .characters, .allCharacters, .character, .save: true
            case .help, .gateway: false
            }
        }
    }

    /// What becomes of the traffic with the server, or is taken for it.
    enum Traffic: Equatable, Sendable {
        case record(file: String)
        case replay(file: String)
    }

    /// What runs the requests.
    enum Transport: String, Equatable, Sendable {
        case urlSession = "urlsession"
        case curl
    }

    var action: Action
    /// Nil for a gateway inside this program.
    var baseURL: String?
    var isJSON = false
    /// Whether each request is told on standard error.
    var isVerbose = false
    /// Whether a cURL line for each request is told there.
    var showsCURL = false
    var traffic: Traffic?
    var transport = Transport.urlSession

    static let help = """
        Shows characters of the Marvel Comics API.

        Usage: MarvelClient [characters] [options]
               MarvelClient character ID [options]
               MarvelClient save FILE CHARACTER [options]

        'save' writes the picture of a character, by ID or exact name, to a new file.

        Options of 'characters':
          --name NAME          only the character of exactly this name
          --starts-with TEXT   only characters whose names start so
          --order-by ORDER     name, modified, -name or -modified
          --limit COUNT        how many, 1 to 100 (20 unless given)
          --offset COUNT       how many to leave out before them
          --all                all after those, asked for page by page; --limit is then
                               the size of a page

        Options:
          --json               print JSON instead of text
          --base-url URL       ask this server, with the keys in MARVEL_PUBLIC_KEY and
                               MARVEL_PRIVATE_KEY
          --verbose            tell on standard error what is sent and answered
          --curl               print a cURL line for each request there, without keys
          --record FILE        write the traffic, without keys, to a HAR file, in place
                               of an earlier one
          --replay FILE        ask no server: take the answers from such a file, or
                               from one that a browser's developer tools exported
          --transport NAME     urlsession (unless given), or on Linux curl
          --help               print this text

        Without --base-url, a gateway inside this program answers with sample data:
        Marvel retired its API in 2025. Keys in the environment are used there too,
        which shows how wrong ones are refused.

        Not affiliated with Marvel.

        """
}
