// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation

// To learn the library, read MarvelService, MarvelReply, Client and ServiceProvider+Command, in this
// order. You can skip the folders: Gateway is the mock server, and Console is the terminal.

@main struct Main {
    static func main() {
        Console.run { arguments, console in
            if arguments.first == "gateway" {
                return try await LocalGateway.serve(Array(arguments.dropFirst()), on: console)
            }
            if Arguments.asksForHelp(arguments) { return try console.write(Command.help) }
            let command = try Command(arguments)
            // Otherwise curl would use a configured proxy even for the mock server.
            if command.baseURL == nil { setenv("no_proxy", "127.0.0.1", 1) }
            try await Client.run(command, on: console)
        }
    }
}
