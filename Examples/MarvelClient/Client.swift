// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers

/// The calls of this program.
struct Client {
    let account: Account
    let provider: ServiceProvider<MarvelService>

    /// Creates a client that repeats failed calls.
    ///
    /// - Parameter interceptors: These see each attempt, such as a log or, in tests, stubs.
    init(_ account: Account, interceptors: [any ServiceInterceptor]) {
        self.account = account
        // On Linux, a real program also passes `transport: try CurlTransport()`.
        provider = ServiceProvider(interceptors: [ServiceRetry()] + interceptors)
    }

    /// Loads one character, by its ID or its whole name: one call.
    func character(_ idOrName: String) async throws -> MarvelCharacter {
        let byID = Int(idOrName).map { MarvelService.character(account, id: $0) }
        let service = byID ?? .characters(account, name: idOrName)
        let reply = try await provider.load(service: service, decodeType: MarvelReply.self)
        guard let character = reply.data.results.first else {
            throw Failure(description: "There is no character '\(idOrName)'.")
        }
        return character
    }

    /// Loads the first page of a list, or all pages. Each page is a call.
    func characters(startingWith start: String?, isAll: Bool) async throws -> [MarvelCharacter] {
        let first = MarvelService.characters(account, nameStartsWith: start)
        let pages = provider.pages(service: first, decodeType: MarvelReply.self) { reply, _ in
            guard let next = reply.data.nextOffset else { return nil }
            guard isAll else {
                printError("The whole list has \(reply.data.total) characters: add --all.\n")
                return nil
            }
            return .characters(account, nameStartsWith: start, offset: next)
        }
        var characters: [MarvelCharacter] = []
        for try await reply in pages {
            characters += reply.data.results
        }
        guard !characters.isEmpty else {
            throw Failure(description: "No character's name starts with '\(start ?? "")'.")
        }
        return characters
    }

    /// Saves the picture of a character as a new file, and draws a progress bar. If the task is
    /// cancelled, or the call fails, no file is left.
    func savePicture(of character: MarvelCharacter, to path: String) async throws {
        let url = "\(character.thumbnail.path).\(character.thumbnail.extension)"
        defer { draw("") }
        try await provider
            .onProgress { progress in draw(progress.fractionReceived.map(bar) ?? "") }
            .download(service: .picture(url), to: URL(fileURLWithPath: path))
    }
}
