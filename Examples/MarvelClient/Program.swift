// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// Runs commands.
struct Program {
    /// The environment variables. They may contain the keys.
    let environment: [String: String]
    /// The terminal's width in columns.
    let width: Int
    /// Nil if standard error isn't a terminal.
    var progressBar: ProgressBar?
    /// Prints output that isn't a result: log entries and cURL commands.
    let tell: @Sendable (String) -> Void
    /// The clock that waits between attempts.
    var clock = ServiceClock()

    private var provider = ServiceProvider<MarvelService>()

    init(
        environment: [String: String], width: Int, progressBar: ProgressBar? = nil,
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.environment, self.width, self.progressBar) = (environment, width, progressBar)
        self.tell = tell
    }

    /// No character has this name, or the character has no picture.
    struct NothingFound: Error, CustomStringConvertible {
        let description: String
    }

    /// Runs a command.
    ///
    /// - Parameter write: Prints the command's results. It's called once for each part, as soon as
    ///   the part is available.
    /// - Throws: `ServiceError` for a failed call, ``MissingKey``, `LoopbackError`,
    ///   ``NothingFound``, the error of an unreadable or invalid file, the error of an unavailable
    ///   transport, and any error from `write`.
    nonisolated(nonsending) func run(
        _ command: Command, write: (String) throws -> Void
    ) async throws {
        if command.action == .help { return try write(Command.help) }
        var program = self
        program.provider = ServiceProvider(
            transport: try command.transport.make(),
            interceptors: try command.interceptors(tell: tell, clock: clock))
        try await program.perform(command, write: write)
    }

    nonisolated(nonsending) private func perform(
        _ command: Command, write: (String) throws -> Void
    ) async throws {
        let recorded = try command.recordedAccount()
        let isLocal = command.baseURL == nil && recorded == nil
        let gateway = isLocal ? try LocalGateway() : nil
        defer { gateway?.stop() }
        let own = recorded ?? gateway?.account
        let baseURL = command.baseURL ?? own?.baseURL ?? ""
        guard let account = try MarvelAccount(baseURL: baseURL, environment: environment) ?? own
        else { throw MissingKey() }
        switch command.action {
        case .characters(let filter):
            try write(await reply(to: .characters(filter, account), of: command))
        case .character(let id):
            try write(await reply(to: .character(id: id, account), of: command))
        case .allCharacters(let filter):
            try await list(filter, as: account, isJSON: command.isJSON, write: write)
        case .save(let file, let character):
            try write(await save(character, to: file, as: account))
        case .help, .gateway: break
        }
    }

    nonisolated(nonsending) private func reply(
        to service: MarvelService, of command: Command
    ) async throws -> String {
        let reply = try await provider.load(service: service, decodeType: MarvelReply.self)
        return try command.isJSON ? reply.json() : reply.text(for: command.action, width: width)
    }

    /// Lists all pages: as a table that grows with each page, or as one JSON document.
    nonisolated(nonsending) private func list(
        _ filter: CharacterFilter, as account: MarvelAccount, isJSON: Bool,
        write: (String) throws -> Void
    ) async throws {
        let pages = provider.pages(
            from: .characters(filter, account), decodeType: MarvelReply.self
        ) { reply, _ in
            reply.data.nextOffset.map { .characters(filter.starting(at: $0), account) }
        }
        var (listing, replies) = (Listing(width: width), [MarvelReply]())
        defer { progressBar?.erase() }
        for try await reply in pages {
            progressBar?.erase()
            if isJSON {
                replies.append(reply)
            } else {
                try write(listing.lines(of: reply.data).text)
            }
            if let next = reply.data.nextOffset {
                progressBar?.draw(next, of: reply.data.total)
            } else {
                let end = listing.place(after: reply.data) + [""] + reply.attribution(width: width)
                try write(isJSON ? replies.joined(into: reply).json() : end.text)
            }
        }
    }

    nonisolated(nonsending) private func save(
        _ character: String, to path: String, as account: MarvelAccount
    ) async throws -> String {
        let service: MarvelService =
            if let id = Int(character) { .character(id: id, account) } else {
                .characters(CharacterFilter(name: character), account)
            }
        defer { progressBar?.erase() }
        let reply = try await provider.load(service: service, decodeType: MarvelReply.self)
        guard let found = reply.data.results.first else {
            throw NothingFound(description: "There is no character '\(character)'.")
        }
        guard let picture = found.thumbnail else {
            throw NothingFound(description: "There is no picture of '\(found.name.plain)'.")
        }
        try await provider
            .onProgress { [progressBar] state in
                guard let total = state.totalToReceive else { return }
                progressBar?.draw(Int(state.received), of: Int(total))
            }
            .download(service: .picture(picture.url), to: URL(fileURLWithPath: path))
        let text = "Saved the picture of \(found.name.plain) to '\(path.printable)'."
        return (text.wrapped(to: width) + [""] + reply.attribution(width: width)).text
    }
}
