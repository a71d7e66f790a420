// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// A parsed command line: an action and its options.
struct Command: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case help
        case characters(CharacterFilter)
        /// Lists all pages from the filter's offset on. The filter's limit is the page size.
        case allCharacters(CharacterFilter)
        case character(id: Int)
        /// Saves the picture of a character, given by ID or name.
        case save(file: String, character: String)
        /// Serves the sample characters until interrupted.
        ///
        /// If `isSilent`, accepts requests but never responds to them. The first `throttled` requests
        /// get a 429. It's used by the checks of this program, so the help doesn't mention it.
        case gateway(isSilent: Bool, throttled: Int)

        /// Whether the action prints a reply of the server, and so can print it as JSON.
        var hasReply: Bool {
            switch self {
            case .characters, .allCharacters, .character: true
            case .help, .save, .gateway: false
            }
        }

        /// Whether the action sends requests to a server.
        var sendsRequests: Bool {
            switch self {
            case .characters, .allCharacters, .character, .save: true
            case .help, .gateway: false
            }
        }
    }

    /// Whether requests and responses are recorded, or replayed from a recording.
    enum Traffic: Equatable, Sendable {
        case record(file: String)
        case replay(file: String)
    }

    /// The transport that sends the requests.
    enum Transport: String, Equatable, Sendable {
        case urlSession = "urlsession"
        case curl
    }

    var action: Action
    /// The server's URL. Nil uses the mock server inside this program.
    var baseURL: String?
    var isJSON = false
    /// Whether each call is logged to standard error.
    var isVerbose = false
    /// Whether a cURL command for each request is printed to standard error.
    var showsCURL = false
    var traffic: Traffic?
    var transport = Transport.urlSession

    static let help = """
        Shows characters of the Marvel Comics API.

        Usage: MarvelClient [characters] [options]
               MarvelClient character ID [options]
               MarvelClient save FILE CHARACTER [options]

        'save' writes the picture of a character to a new file. CHARACTER is an ID
        or an exact name.

        Options of 'characters':
          --name NAME          show only the character with exactly this name
          --starts-with TEXT   show only characters whose names start with this text
          --order-by ORDER     sort by name, modified, -name or -modified
          --limit COUNT        show at most this many, 1 to 100 (default: 20)
          --offset COUNT       skip this many characters
          --all                request page after page until the end; --limit is then
                               the page size

        Options:
          --json               print JSON instead of text
          --base-url URL       send requests to this server, with the keys in
                               MARVEL_PUBLIC_KEY and MARVEL_PRIVATE_KEY
          --verbose            log requests and responses to standard error
          --curl               print each request as a cURL command to standard
                               error, without keys
          --record FILE        record the traffic, without keys, in a HAR file;
                               replaces an existing file
          --replay FILE        use the responses in a HAR file instead of a server;
                               files exported by a browser work too
          --transport NAME     urlsession (default), or curl (Linux only)
          --help               print this text

        Marvel retired its API in 2025. Without --base-url, a mock server inside this
        program returns sample data. It checks the keys in the environment too, if
        they are set, so you can see how wrong keys are refused.

        Not affiliated with Marvel.

        """
}
