// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras

// To learn the library, read MarvelService, Models, Client and Console, in this order.

/// The program. Its exit status is 0, 1 for an error, or 64 for a wrong command line.
@main struct Main {
    static let help = """
        Shows characters of the Marvel Comics API. Not affiliated with Marvel.

        MarvelClient                 list characters
        MarvelClient search TEXT     list the characters whose names start with TEXT
        MarvelClient character NAME  show one character, by its ID or name
        MarvelClient save FILE NAME  save the picture of a character as a new file

        --all           list all pages instead of the first one
        --base-url URL  call this server, with the key in MARVEL_PUBLIC_KEY, not a mock server
        --verbose       log requests and responses
        """

    static func main() async {
        let key = ProcessInfo.processInfo.environment["MARVEL_PUBLIC_KEY"] ?? "sample-key"
        do {
            try await print(run(Array(CommandLine.arguments.dropFirst()), key: key))
        } catch {
            printError("Error: \(explanation(of: error, hiding: key))\n")
            exit((error as? Failure)?.status ?? 1)
        }
    }

    /// Runs a command.
    ///
    /// - Returns: The text to print.
    static func run(_ arguments: [String], key: String) async throws -> String {
        var words: [String] = []
        var baseURL: String?
        var isAll = false
        var log: [any ServiceInterceptor] = []
        var rest = arguments[...]
        while let argument = rest.popFirst() {
            switch argument {
            case "--all": isAll = true
            case "--base-url" where !rest.isEmpty: baseURL = rest.removeFirst()
            case "--verbose": log = [ServiceLog(.headers)]
            default: words.append(argument)
            }
        }
        let server = baseURL == nil ? try MockServer.start() : nil
        defer { server?.stop() }
        let account = Account(baseURL: baseURL ?? server?.baseURL ?? "", key: key)
        let client = Client(account, interceptors: log)
        switch (words.first, words.count) {
        case (nil, 0), ("search", 2):
            return try await table(of: client.characters(startingWith: words.last, isAll: isAll))
        case ("character", 2): return try await table(of: [client.character(words[1])])
        case ("save", 3):
            try await client.savePicture(of: client.character(words[2]), to: words[1])
            return "Saved '\(words[1])'."
        case ("--help", 1): return help
        default:
            let start = "Unknown or incomplete command '\(words.joined(separator: " "))'."
            throw Failure(description: "\(start) See 'MarvelClient --help'.", status: 64)
        }
    }
}
