// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras

/// Carries out commands.
struct Program {
    /// May hold the keys.
    let environment: [String: String]
    /// The columns of the terminal.
    let width: Int
    /// Nil where nobody would see it.
    var progressBar: ProgressBar?
    /// Gets what is to be seen beside the answers: logs, cURL lines.
    let tell: @Sendable (String) -> Void
    /// What waits between attempts.
    var clock = ServiceClock()

    private var provider = ServiceProvider<MarvelService>()

    init(
        environment: [String: String], width: Int, progressBar: ProgressBar? = nil,
        tell: @escaping @Sendable (String) -> Void = { _ in }
    ) {
        (self.environment, self.width, self.progressBar) = (environment, width, progressBar)
        self.tell = tell
    }

    /// There is nobody of that name, or no picture.
    struct NothingFound: Error, CustomStringConvertible {
        let description: String
    }

    /// Carries out a command.
    ///
    /// - Parameter write: Gets what the command has to say on standard output, as it comes.
    /// - Throws: `ServiceError` for a call that failed, ``MissingKey``, `LoopbackError`,
    ///   ``NothingFound``, what is wrong with a file, a transport that is not there, and what `write`
    ///   throws.
    nonisolated(nonsending) func run(
        _ command: Command, write: (String) throws -> Void
    ) async throws {
        if command.action == .help { return try write(Command.help) }
        var program = self
        program.provider = ServiceProvider(
            transport: try command.transport.make(),
            interceptors: try command.interceptors(tell: tell, clock: clock))
        try await program.ask(command, write: write)
    }

    nonisolated(nonsending) private func ask(
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

    /// Every page: as a table as they come, or as JSON in one piece.
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
