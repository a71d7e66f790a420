// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderDiagnostics
import ServiceProviderExtras
import ServiceProviderTesting
import ServiceProviderTransfers

/// The calls of this program. Each one prints its result.
struct Client {
    let provider: ServiceProvider<MarvelService>
    let account: MarvelAccount
    let console: Console
    let command: Command

    /// Prints a table of characters.
    func characters(_ filter: CharacterFilter) async throws {
        var table = Table(
            [.number("ID"), .text("NAME"), .number("COMICS"), .text("DESCRIPTION")], on: console)
        try await list(filter) { page in table.lines(of: page.rows) }
    }

    /// Prints the names that start with a text, each above the URL of the character's picture.
    func search(_ filter: CharacterFilter) async throws {
        try await list(filter) { page in
            page.results.flatMap { found in
                let name = console.bold(prefix: filter.nameStartsWith ?? "", of: found.name.plain)
                return ["\(found.id)  \(name)", "  \(found.thumbnail?.url.plain ?? "no picture")"]
            }
        }
    }

    /// Prints one page of characters, or all pages: each as soon as it arrives. JSON is printed at
    /// the end, as one document.
    private func list(_ filter: CharacterFilter, lines: (CharacterPage) -> [String]) async throws {
        var filter = filter
        let pages = provider.pages(
            from: .characters(filter, account), decodeType: MarvelReply.self
        ) { reply, _ in
            filter.offset = reply.data.nextOffset
            return command.isAll && filter.offset != nil ? .characters(filter, account) : nil
        }
        var whole: MarvelReply?
        var expected: Int?
        let bar = command.isAll ? console.progressBar : nil
        defer { bar?.erase() }
        for try await reply in pages {
            bar?.erase()
            if let expected, reply.data.offset != expected {
                throw Failure(
                    "The server returned the page at offset \(reply.data.offset), not \(expected).")
            }
            expected = reply.data.nextOffset
            if !command.isJSON { try console.print(lines(reply.data)) }
            if let next = reply.data.nextOffset { bar?.draw(next, of: reply.data.total) }
            if whole == nil { whole = reply } else { whole?.data.append(reply.data) }
        }
        guard let whole else { return }
        try print(whole, as: whole.data.summary)
        let end = whole.data.end ?? 0
        if command.isAll, end < whole.data.total {
            throw Failure("The server's list ends at \(end) of \(whole.data.total) characters.")
        }
    }

    /// Prints one character in full.
    func character(_ id: Int) async throws {
        let reply = try await provider.load(
            service: .character(id: id, account), decodeType: MarvelReply.self)
        if reply.data.results.isEmpty { throw Failure("There is no character with ID \(id).") }
        try print(reply, as: reply.data.results.flatMap(\.lines))
    }

    /// Saves the picture of a character, given by ID or name, to a new file.
    func save(_ character: String, to path: String) async throws {
        let byID = Int(character).map { MarvelService.character(id: $0, account) }
        let byName = MarvelService.characters(CharacterFilter(name: character), account)
        let reply = try await provider.load(service: byID ?? byName, decodeType: MarvelReply.self)
        guard let found = reply.data.results.first, let picture = found.thumbnail else {
            throw Failure("There is no character '\(character)' with a picture.")
        }
        let bar = console.progressBar
        defer { bar?.erase() }
        try await provider
            .onProgress { state in
                guard let total = state.totalToReceive else { return }
                bar?.draw(Int(state.received), of: Int(total))
            }
            .download(
                service: .picture(picture.url), to: URL(fileURLWithPath: path), check: Self.hasBytes
            )
        try print(reply, as: ["Saved the picture of \(found.name.plain) to '\(path.printable)'."])
    }

    private static let hasBytes = ServiceDownloadCheck { file in
        let size = try file.resourceValues(forKeys: [.fileSizeKey]).fileSize
        if size == 0 { throw Failure("The picture is empty.") }
    }

    /// Prints a reply: as JSON, or as text above the attribution, which Marvel's terms require.
    private func print(_ reply: MarvelReply, as text: [String]) throws {
        if command.isJSON { return try console.print(json: reply) }
        let attribution = [reply.attributionText.plain, "Not affiliated with Marvel."]
        try console.print(wrapping: text + [""] + attribution)
    }
}

extension Client {
    /// Runs a command with a new provider and, if no server or recording is given, a mock server.
    ///
    /// - Throws: `ServiceError` for a failed call, ``Failure``, ``UsageError``, and the errors of
    ///   files, the mock server and the console.
    static func run(_ command: Command, on console: Console) async throws {
        let isLocal = command.baseURL == nil && command.replay == nil
        let gateway = isLocal ? try LocalGateway() : nil
        defer { gateway?.stop() }
        var account =
            gateway?.account
            ?? MarvelAccount(baseURL: command.baseURL ?? "", publicKey: "", privateKey: "")
        if command.replay == nil {
            // Before the provider is created, because its recorder replaces a file.
            account = try account.with(keysIn: console.environment)
            _ = try ServiceProvider().request(for: MarvelService.character(id: 0, account))
        }
        let recording = try command.replay.map(Recording.init)
        let provider = try ServiceProvider(command, recording, log: console.log)
        if let recording { account = try recording.account }
        account.baseURL = command.baseURL ?? account.baseURL
        let client = Client(
            provider: provider, account: account, console: console, command: command)
        switch command.action {
        case .characters(let filter): try await client.characters(filter)
        case .search(let filter): try await client.search(filter)
        case .character(let id): try await client.character(id)
        case .save(let file, let character): try await client.save(character, to: file)
        }
        for case let recorder as ServiceRecorder in provider.pipeline.interceptors {
            guard let error = recorder.failure else { continue }
            throw Failure("The recording isn't complete: \(error)")
        }
    }
}
