// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

/// What the program is asked to do.
struct Command: Equatable, Sendable {
    enum Action: Equatable, Sendable {
        case help
        case characters(CharacterFilter)
        case character(id: Int)
        /// Serves the sample characters until it is interrupted, or takes requests and never
        /// answers. Not in the help: it is for checks of this program.
        case gateway(isSilent: Bool)
    }

    var action: Action
    /// Nil for a gateway inside this program.
    var baseURL: String?
    var isJSON = false

    static let help = """
        Shows characters of the Marvel Comics API.

        Usage: MarvelClient [characters] [options]
               MarvelClient character ID [options]

        Options of 'characters':
          --name NAME          only the character of exactly this name
          --starts-with TEXT   only characters whose names start so
          --order-by ORDER     name, modified, -name or -modified
          --limit COUNT        how many, 1 to 100 (20 unless given)
          --offset COUNT       how many to leave out before them

        Options:
          --json               print JSON instead of text
          --base-url URL       ask this server, with the keys in MARVEL_PUBLIC_KEY and
                               MARVEL_PRIVATE_KEY
          --help               print this text

        Without --base-url, a gateway inside this program answers with sample data:
        Marvel retired its API in 2025. Keys in the environment are used there too,
        which shows how wrong ones are refused.

        Not affiliated with Marvel.

        """
}
