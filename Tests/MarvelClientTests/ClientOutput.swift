// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import LoopbackServer
import TestSupport

@testable import MarvelClient

/// Everything that a command prints to standard output.
func output(
    of arguments: [String], environment: [String: String] = [:], width: Int = 80,
    hasStyles: Bool = false, log: @escaping @Sendable (String) -> Void = { _ in }
) async throws -> String {
    let text = Locked("")
    let write: @Sendable (String) -> Void = { part in text { $0 += part } }
    let console = Console(
        environment: environment, width: width, hasStyles: hasStyles, write: write, log: log)
    try await Client.run(Command(arguments), on: console)
    return text { $0 }
}

/// The environment with the keys of `gatewayServer`.
let gatewayKeys = ["MARVEL_PUBLIC_KEY": "one", "MARVEL_PRIVATE_KEY": "two"]

/// A server that responds like Marvel's API to requests with these keys.
///
/// - Parameters:
///   - host: The host of the pictures.
///   - prefix: The part of each path that isn't Marvel's.
func gatewayServer(
    publicKey: String = "one", privateKey: String = "two",
    host: String = MarvelGateway.pictureHost, below prefix: String = ""
) throws -> LoopbackServer {
    let gateway = MarvelGateway(publicKey: publicKey, privateKey: privateKey)
    return try LoopbackServer { request in
        let target = String(request.target.dropFirst(prefix.count))
        let response = gateway.answer(method: request.method, target: target, host: host)
        return .data(
            response.body, contentType: "application/json", status: response.status)
    }
}

extension MarvelCharacter {
    /// A character without a picture and without appearances.
    static func plain(id: Int = 1) -> MarvelCharacter {
        let none = Appearances(available: 0, items: [])
        return MarvelCharacter(
            id: id, name: "A", description: nil, modified: "", comics: none, series: none,
            stories: none, events: none, urls: [], thumbnail: nil)
    }
}
