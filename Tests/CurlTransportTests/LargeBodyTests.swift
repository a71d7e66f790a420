// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import CurlTransport
import Foundation
import LoopbackServer
import ServiceProvider
import TestSupport
import Testing

/// The memory of large bodies is used again.
@Suite(.serialized, .opensFiles, .timeLimit) struct LargeBodyTests {
    private static let edge = 1 << 16

    @Test(
        arguments: [edge - 1, edge, edge + 1, 3 * edge, 1 << 20, 1 << 22, (1 << 22) + 1],
        [false, true])
    func largeBodiesAreComplete(_ size: Int, isChunked: Bool) async throws {
        let content = noise(size)
        let server = try LoopbackServer { _ in
            isChunked ? .data(content).chunked() : .data(content)
        }
        let provider = try provider()
        for _ in 0..<4 { #expect(try await provider.load(service: server.endpoint()) == content) }
    }

    /// Later bodies don't overwrite one that is still used, not even after the transport has ended.
    @Test(.opensFiles(80)) func aBodyKeepsItsMemory() async throws {
        let server = try LoopbackServer { request in
            .data(Data(repeating: UInt8(request.query ?? "") ?? 0, count: 200_000))
        }
        func load(_ provider: ServiceProvider<TestService>, _ byte: Int) async throws -> Data {
            try await provider.load(
                service: TestService(baseURL: server.baseURL + "?\(byte % 256)"))
        }
        var kept: [(Int, Data)] = []
        do {
            let provider = try provider()
            try await withThrowingTaskGroup(of: (Int, Data).self) { group in
                func keep(_ result: (byte: Int, data: Data)) {
                    guard result.byte.isMultiple(of: 7) else { return }
                    kept.append((result.byte, result.data.dropFirst(100_000)))
                }
                for byte in 0..<300 {
                    if byte >= 32, let result = try await group.next() { keep(result) }
                    group.addTask { (byte, try await load(provider, byte)) }
                }
                for try await result in group { keep(result) }
            }
        }
        for (byte, data) in kept {
            #expect(data.elementsEqual(repeatElement(UInt8(byte % 256), count: 100_000)))
        }
    }

    @Test func memoryIsUsedAgain() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 200_000)) }
        let provider = try provider()
        var places: Set<UInt> = []
        for _ in 0..<50 {
            let data = try await provider.load(service: server.endpoint())
            data.withUnsafeBytes { _ = places.insert(UInt(bitPattern: $0.baseAddress)) }
        }
        #expect(places.count < 10, "\(places.count)")
    }

    /// A body can be changed without changing its copies.
    @Test func bodiesAreValues() async throws {
        let server = try LoopbackServer { _ in .data(Data(count: 200_000)) }
        let data = try await provider().load(service: server.endpoint())
        var changed = data
        changed[0] = 1
        changed.append(2)
        #expect(data == Data(count: 200_000))
        #expect(changed.count == 200_001 && changed[0] == 1)
        var own = try await provider().load(service: server.endpoint())
        for _ in 0..<100 { own.append(Data(count: 10_000)) }
        #expect(own == Data(count: 1_200_000))
    }
}
#endif
