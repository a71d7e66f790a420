// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import ServiceProvider
import TestSupport
import Testing

private let folder = ProcessInfo.processInfo.environment["TLS_FOLDER"]

/// Tests the same as ExcessTests over TLS, with a server that `.ci/check-tls` starts.
@Suite(
    .enabled(if: folder != nil, "needs .ci/check-tls"), .serialized, .opensFiles, .timeLimit)
struct ExcessTLSTests {
    @Test(.row("F16", "P1"), arguments: Excess.all, TLSTests.Library.allCases)
    func theNextCallUsesAnotherConnection(
        _ excess: Excess, _ library: TLSTests.Library
    ) async throws {
        // The excess that is written with the response is a part of its record of TLS, or a record of its own.
        for isSplit in [false, true] {
            let provider = try TLSTests.provider(library)
            let url = try TLSTests.url("excess")
            let id = UUID().uuidString
            var first = excess.service(url)
            first.headers = [
                "X-ID": id,
                "X-Response": Data(excess.framing.response.utf8).base64EncodedString(),
                "X-With-It": excess.part(.withTheResponse).base64EncodedString(),
                "X-Between": excess.part(.betweenTheCalls).base64EncodedString(),
                "X-After": excess.part(.afterTheNextRequest).base64EncodedString(),
            ]
            if isSplit { first.headers["X-Split"] = "yes" }
            _ = try await provider.response(service: first)
            // A provider of its own, so that this call uses another connection.
            let between = TestService(baseURL: url, path: "/between/\(id)", timeout: 3_000)
            _ = try await TLSTests.provider(library).response(service: between)
            let next = TestService(baseURL: url, path: "/next", timeout: 3_000)
            let outcome = await provider.outcome(of: next)
            let response = try? outcome.get()
            #expect(response?.text == "REAL", "split: \(isSplit), \(outcome)")
            #expect(response?.metrics.last?.isReusedConnection == false, "split: \(isSplit)")
        }
    }
}
#endif
