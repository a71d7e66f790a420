// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import ServiceProviderTransfers
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Elements of streams and names of files, in extreme sizes, counts and depths.
///
/// Serialized, because these tests occupy a thread that other tests need.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct HostileTransferTests {
    @Test func linesAndEventsTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            for unit in [
                "x", "\r\n", "data: x\n\n", "id:\n", "retry: 9", "e\u{301}", "\u{5C1}\u{5B0}",
            ] {
                let growth = await growthOfProcess(to: megabyte) { size in
                    let text = "a" + String(repeating: unit, count: size / unit.utf8.count)
                    let chunks = Chunks.Pieces(text: Data(text.utf8), size: 1_000)
                    _ = await chunks.events(limit: 1 << 22).collected()
                    _ = await chunks.lines(limit: 1 << 22).collected()
                }
                #expect(growth < linearGrowth, "\(unit.debugDescription)")
            }
            let count = sanitized(300_000)
            let lines = String(repeating: "data:\n", count: count)
            let chunks = Chunks.Pieces(text: Data("\(lines)\n".utf8), size: 1 << 16)
            #expect(
                await chunks.events().collected().elements.map(\.data.utf8.count) == [count - 1])
        }
    }

    @Test func manyElementsAreRead() async {
        let text = Data(String(repeating: "{\"id\":1}\n{}\n\n", count: 150_000).utf8)
        let skipped = Locked(0)
        let (heroes, error) = await Chunks.pieces(of: text, size: 65_536).lines()
            .decoded(as: Hero.self, skipping: { _ in skipped { $0 += 1 } }).collected()
        #expect(heroes.count == 150_000 && skipped { $0 } == 150_000 && error == nil)
    }

    @Test func aLargeElementIsRead() async throws {
        let name = String(repeating: "x", count: (1 << 20) - 40)
        let chunks = Chunks.pieces(of: Data(#"{"id":1,"name":"\#(name)"}"#.utf8), size: 16_384)
        #expect(
            await chunks.lines().decoded(as: Hero.self).collected().elements
                == [Hero(id: 1, name: name)])
        let error = await Chunks.pieces(of: Data("?\(name)".utf8), size: 16_384).lines()
            .decoded(as: Hero.self).collected().error
        #expect("\(try #require(error))".utf8.count < 500)
    }

    @Test(
        arguments: [("[", "]"), ("{\"a\":", "}"), ("[", ""), ("{\"a\":", "")])
    func deepElementsAreRefused(start: String, end: String) async throws {
        let depth = 10_000
        let open = String(repeating: start, count: depth)
        let close = String(repeating: end, count: depth)
        let text = Data("\(open)1\(close)\n{\"id\":2}\n".utf8)
        let errors = Locked<[ServiceError]>([])
        let (heroes, _) = await Chunks(chunks: [text]).lines()
            .decoded(as: Hero.self, skipping: { error in errors { $0.append(error) } }).collected()
        #expect(heroes == [Hero(id: 2)])
        #expect(errors { $0.first?.description.contains("'Hero (element 1)'") } == true)
    }

    private func name(_ disposition: String?, url: String = "https://h/a/page") throws -> String {
        let request = ServiceRequest(URLRequest(url: try #require(URL(string: url))))
        let headers = disposition.map { ["content-disposition": $0] } ?? [:]
        return ServiceResponse(request: request, statusCode: 200, headers: headers)
            .suggestedFilename
    }

    private static let hostileUnits = [
        "/", "\\\\", ".", "\\\"", ";", "; filename", "; filename=a", "; filename*=UTF-8''%41",
        "\u{202E}", "é", "%41", "'", "=", " ", "\u{301}", "\"", "; x=\"",
        "\u{5C1}\u{5B0}",
    ]

    @Test(arguments: ["/", "; filename=a", "%41", "\"", "é"])
    func largeHeadersAreRead(unit: String) throws {
        for start in ["attachment; filename=\"", "attachment; filename*=UTF-8''"] {
            let count = max(megabyte / unit.utf8.count, sanitized(300_000))
            let name = try name(start + String(repeating: unit, count: count))
            #expect((1...255).contains(name.utf8.count))
        }
    }

    @Test(arguments: hostileUnits)
    func largeHeadersTakeLinearTime(unit: String) throws {
        for start in ["attachment; filename=\"", "attachment; filename*=UTF-8''", ""] {
            let ratio = try growth(to: megabyte / 8) { size in
                _ = try name(start + String(repeating: unit, count: size / unit.utf8.count))
            }
            #expect(ratio < linearGrowth, "\(start)\(unit)")
        }
    }
}
