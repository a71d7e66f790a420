// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import ServiceProvider

/// Carries out commands.
struct Program {
    /// May hold the keys.
    let environment: [String: String]
    /// The columns of the terminal.
    let width: Int

    /// What the command has to say on standard output.
    ///
    /// - Throws: `ServiceError` for a call that failed, ``MissingKey``, `LoopbackError`.
    nonisolated(nonsending) func output(of command: Command) async throws -> String {
        if command.action == .help { return Command.help }
        let gateway = command.baseURL == nil ? try LocalGateway() : nil
        defer { gateway?.stop() }
        let baseURL = command.baseURL ?? gateway?.account.baseURL ?? ""
        guard
            let account = try MarvelAccount(baseURL: baseURL, environment: environment)
                ?? gateway?.account
        else { throw MissingKey() }
        return try await output(of: command, as: account)
    }

    nonisolated(nonsending) private func output(
        of command: Command, as account: MarvelAccount
    ) async throws -> String {
        let service: MarvelService
        switch command.action {
        case .characters(let filter): service = .characters(filter, account)
        case .character(let id): service = .character(id: id, account)
        case .help, .gateway: return ""
        }
        let provider = ServiceProvider<MarvelService>()
        let reply = try await provider.load(service: service, decodeType: MarvelReply.self)
        return try command.isJSON ? reply.json() : reply.text(for: command.action, width: width)
    }
}
