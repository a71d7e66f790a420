// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer

/// Runs the mock gateway on a server inside this program, so the client works without a network.
struct LocalGateway {
    private let server: LoopbackServer

    /// Starts the server immediately, on a port that the system chooses.
    ///
    /// - Parameters:
    ///   - isSilent: Whether to accept requests but never respond to them. Default: false.
    ///   - throttled: How many requests get a 429 at first. Default: 0.
    ///   - onRequest: Receives the method and the path of each request, without the query, which
    ///     contains keys.
    init(
        isSilent: Bool = false, throttled: Int = 0,
        onRequest: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(LoopbackError) {
        let gateway = MarvelGateway(
            publicKey: Self.publicKey, privateKey: Self.privateKey)
        let count = Counter()
        server = try LoopbackServer { request in
            onRequest("\(request.method) \(request.path)")
            if isSilent { return .never }
            let answer =
                count.next() <= throttled
                ? gateway.refusal
                : gateway.answer(
                    method: request.method, target: request.target,
                    host: request.header("Host") ?? MarvelGateway.pictureHost)
            return LoopbackResponse(
                status: answer.status, headers: answer.headers, body: .data(answer.body))
        }
    }

    private static let publicKey = "sample-public-key"
    private static let privateKey = "sample-private-key"

    /// The account that the server accepts.
    var account: MarvelAccount {
        MarvelAccount(
            baseURL: server.baseURL, publicKey: Self.publicKey, privateKey: Self.privateKey)
    }

    /// Stops the server. Returns when all of its connections and threads have ended.
    func stop() { server.stop() }
}

extension LocalGateway {
    /// The text of `gateway --help`. It declares the options, too.
    static let help = """
        Runs only the mock server, which prints its URL and a line for each request.

        Usage: MarvelClient gateway [options]

          --silent             accept requests, but never respond
          --throttled COUNT    respond with status 429 to this many requests first
          --help               print this text

        """

    /// Runs the hidden command `gateway`, which the checks of this program use. It serves until the
    /// task is cancelled.
    static func serve(_ arguments: [String], on console: Console) async throws {
        if Arguments.asksForHelp(arguments) { return try console.write(help) }
        var arguments = try Arguments(arguments, help: help)
        let isSilent = arguments.flag("--silent")
        let throttled = try arguments.number("--throttled")
        try arguments.finish()
        let (requests, continuation) = AsyncStream.makeStream(of: String.self)
        let gateway = try LocalGateway(isSilent: isSilent, throttled: throttled ?? 0) {
            continuation.yield($0)
        }
        defer { gateway.stop() }
        try console.print([gateway.account.baseURL])
        for await request in requests { try console.print([request.printable]) }
        throw CancellationError()
    }
}

/// A thread-safe counter that starts at 1.
private final class Counter: @unchecked Sendable {
    // Unchecked, because the compiler can't verify that `lock` guards every use of `count`.
    private let lock = NSLock()
    private var count = 0

    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}
