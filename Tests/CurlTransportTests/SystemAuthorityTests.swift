// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import FoundationNetworking
import ServiceProvider
import TestSupport
import Testing

/// `.ci/check-tls` runs this with `ca` among the system's authorities.
@Suite(
    .enabled(if: ProcessInfo.processInfo.environment["SYSTEM_AUTHORITIES"] != nil), .serialized,
    .opensFiles, .timeLimit)
struct SystemAuthorityTests {
    @Test func theSystemsAuthoritiesAreNotTrusted() async throws {
        let folder = try #require(ProcessInfo.processInfo.environment["TLS_FOLDER"])
        let service = TestService(baseURL: try TLSTests.url("good"), path: "/hello")
        for library in TLSTests.Library.allCases {
            let provider = try TLSTests.provider(library) {
                $0.certificateAuthorities = URL(fileURLWithPath: folder + "/other.pem")
            }
            #expect(await provider.code(of: service) == .serverCertificateHasUnknownRoot)
        }
        // Otherwise, the test would pass without the script's authorities.
        let system = try TLSTests.provider { $0.certificateAuthorities = nil }
        #expect(try await system.text(of: service) == "hello")
    }
}
#endif
