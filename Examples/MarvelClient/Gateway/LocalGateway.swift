// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer

/// The gateway on a server inside this program, so that the client works without a network.
struct LocalGateway {
    private let server: LoopbackServer

    /// Listens at once, on a port that the system chooses.
    ///
    /// - Parameters:
    ///   - isSilent: Whether it takes requests and never answers. Default: false.
    ///   - throttled: How many requests it refuses as too many, before it answers. Default: 0.
    ///   - onRequest: Gets the method and the path of each request; not the query, which has keys.
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
            return LoopbackAnswer(
                status: answer.status, headers: answer.headers, body: .data(answer.body))
        }
    }

    private static let publicKey = "sample-public-key"
    private static let privateKey = "sample-private-key"

    /// Whom it answers.
    var account: MarvelAccount {
        MarvelAccount(
            baseURL: server.baseURL, publicKey: Self.publicKey, privateKey: Self.privateKey)
    }

    /// Returns when nothing of it is left.
    func stop() { server.stop() }
}

extension LocalGateway {
    /// Serves until the task is cancelled; writes the address, and a line for each request.
    nonisolated(nonsending) static func serve(
        isSilent: Bool, throttled: Int, write: (String) throws -> Void
    ) async throws {
        let (requests, continuation) = AsyncStream.makeStream(of: String.self)
        let gateway = try LocalGateway(isSilent: isSilent, throttled: throttled) {
            continuation.yield($0)
        }
        defer { gateway.stop() }
        try write(gateway.account.baseURL + "\n")
        for await request in requests { try write(request.printable + "\n") }
        throw CancellationError()
    }
}

/// Counts from 1 on, for several threads.
private final class Counter: @unchecked Sendable {
    // Unchecked, because the compiler cannot see that `count` is used under `lock` only.
    private let lock = NSLock()
    private var count = 0

    func next() -> Int {
        lock.withLock {
            count += 1
            return count
        }
    }
}
