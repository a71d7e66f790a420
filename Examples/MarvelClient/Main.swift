// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras

// To learn the library, read MarvelService, Models, Client and Console, in this order. `main`
// shows how to cancel a call.

/// The program. Its exit status is 0, 1 for an error, 64 for a wrong command line, or 130 for Ctrl-C.
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
        let command = Task { try await run(Array(CommandLine.arguments.dropFirst()), key: key) }
        // Ctrl-C cancels the task, and with it the call that it waits for.
        signal(SIGINT, SIG_IGN)
        let interrupts = DispatchSource.makeSignalSource(signal: SIGINT)
        interrupts.setEventHandler { command.cancel() }
        interrupts.activate()
        defer { interrupts.cancel() }
        do {
            let output = try await command.value + "\n"
            try FileHandle.standardOutput.write(contentsOf: Data(output.utf8))
        } catch ServiceError.cancelled {
            printError("Cancelled.\n")
            exit(130)
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
            case "--base-url": baseURL = rest.popFirst() ?? ""
            case "--verbose": log = [ServiceLog(.headers)]
            case "-h", "--help": return help
            case _ where argument.hasPrefix("-"):
                throw Failure.usage("Unknown option '\(argument)'.")
            default: words.append(argument)
            }
        }
        let server = baseURL == nil ? try MockServer.start() : nil
        defer { server?.stop() }
        let account = Account(baseURL: baseURL ?? server?.baseURL ?? "", key: key)
        let client = Client(account, interceptors: log)
        // This only builds a request, and doesn't send it.
        guard (try? client.provider.request(service: .characters(account))) != nil else {
            throw Failure.usage("--base-url needs a URL such as http://localhost:8080.")
        }
        // A name may have several words.
        let lastWords = words.dropFirst(words.first == "save" ? 2 : 1)
        let name = lastWords.isEmpty ? nil : lastWords.joined(separator: " ")
        switch (words.first, name) {
        case ("help", nil): return help
        case (nil, nil), ("search", .some):
            return try await table(of: client.characters(startingWith: name, isAll: isAll))
        case ("character", let name?): return try await table(of: [client.character(name)])
        case ("save", let name?):
            try await client.savePicture(of: client.character(name), to: words[1])
            return "Saved '\(words[1])'."
        default:
            let command = words.joined(separator: " ")
            throw Failure.usage("Unknown or incomplete command '\(command)'.")
        }
    }
}
