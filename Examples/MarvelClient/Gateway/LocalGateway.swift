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
    ///   - onRequest: Gets the method and the path of each request; not the query, which has keys.
    init(
        isSilent: Bool = false, onRequest: @escaping @Sendable (String) -> Void = { _ in }
    ) throws(LoopbackError) {
        let gateway = MarvelGateway(
            publicKey: Self.publicKey, privateKey: Self.privateKey)
        server = try LoopbackServer { request in
            onRequest("\(request.method) \(request.path)")
            if isSilent { return .never }
            let answer = gateway.answer(
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
        isSilent: Bool, write: (String) throws -> Void
    ) async throws {
        let (requests, continuation) = AsyncStream.makeStream(of: String.self)
        let gateway = try LocalGateway(isSilent: isSilent) { continuation.yield($0) }
        defer { gateway.stop() }
        try write(gateway.account.baseURL + "\n")
        for await request in requests { try write(request.printable + "\n") }
        throw CancellationError()
    }
}
