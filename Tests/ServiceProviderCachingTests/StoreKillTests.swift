// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProviderCaching
import TestSupport
import TestTraits
import Testing

// Swift 6.2 has no exit tests with captured values.
#if (os(Linux) || os(macOS)) && compiler(>=6.3)
/// Processes that are killed while they write to a cache.
@Suite(.serialized, .opensFiles, .timeLimit) struct StoreKillTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    @Test(.row("D20")) func aFewKilledProcessesDamageNoResponse() async throws {
        try await kill(times: 4)
    }

    @Test(.slow, .row("D20")) func killedProcessesDamageNoResponse() async throws {
        try await kill(times: 200)
    }

    /// All bytes of a response are the same, and their number depends on them.
    private static func response(_ version: Int) -> ServiceStoredResponse {
        let data = Data(repeating: UInt8(0x30 + version), count: 1_000 + version * 2_000)
        return ServiceStoredResponse(headers: [:], data: data, varyHeaders: [:], created: Date())
    }

    private func kill(times: Int) async throws {
        let store = ServiceDirectoryStore(folder.url, maximumSize: 400_000)
        for round in 0..<times {
            await #expect(processExitsWith: .signal(SIGKILL)) {
                [path = folder.url.path as String, round = round as Int] in
                var random = SeededGenerator(state: UInt64(round))
                killOwnProcess(withinMicroseconds: 40_000, using: &random)
                let store = ServiceDirectoryStore(
                    URL(fileURLWithPath: path), maximumSize: 400_000)
                while true {
                    let version = Int.random(in: 0..<10, using: &random)
                    let url = "\(Int.random(in: 0..<20, using: &random))"
                    await store.store(Self.response(version), for: url)
                }
            }
            for url in 0..<20 {
                guard let found = await store.response(for: "\(url)") else { continue }
                let version = Int(found.data.first ?? 0) - 0x30
                #expect(found.data == Self.response(version).data)
            }
            await store.store(Self.response(round % 10), for: "own")
            #expect(await store.response(for: "own")?.data == Self.response(round % 10).data)
            let newer = folder.file("ServiceCache-new").path
            let names = try FileManager.default.contentsOfDirectory(atPath: newer)
            #expect(names.allSatisfy { !$0.hasPrefix(".") }, "\(names)")
        }
    }
}
#endif
