// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import ServiceProvider
import TestSupport
import Testing

/// Tests servers that send more bytes than a response has. The next call must not get them.
@Suite(.serialized, .opensFiles, .timeLimit) struct ExcessTests {
    /// A connection with excess isn't used again (RFC 9112, section 6.3).
    @Test(.row("F16", "P1"), arguments: Excess.all)
    func theNextCallUsesAnotherConnection(_ excess: Excess) async throws {
        let hasResponded = DispatchSemaphore(value: 0)
        let isWritten = Milestones()
        let server = try RawServer { connection in
            var isFirst = true
            while case let head = connection.readHead(), head.hasSuffix("\r\n\r\n") {
                if head.contains(" /first ") {
                    let response = Data(excess.framing.response.utf8)
                    connection.write(response + excess.part(.withTheResponse))
                    hasResponded.waitForAMinute()
                    connection.write(excess.part(.betweenTheCalls))
                    connection.waitUntilReceived()
                    isWritten.pass()
                } else {
                    if !isFirst { connection.write(excess.part(.afterTheNextRequest)) }
                    connection.write(Excess.real)
                }
                isFirst = false
            }
        }
        defer { server.stop() }
        let (provider, url) = (try provider(), "http://127.0.0.1:\(server.port)")
        do {
            defer { hasResponded.signal() }
            _ = try await provider.response(service: excess.service(url))
        }
        await isWritten.reach(1)
        let next = TestService(baseURL: url, path: "/next", timeout: 3_000)
        #expect(try await provider.text(of: next) == "REAL")
        #expect(server.connectionCount == 2)
    }
}
#endif
