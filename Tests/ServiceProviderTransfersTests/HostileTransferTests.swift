// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTesting
import ServiceProviderTransfers
import TestSupport
import Testing

/// Elements of streams and names of files, in extreme sizes, counts and depths.
///
/// Serialized, because these tests occupy a thread that other tests need.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct HostileTransferTests {
    /// Combining marks that Unicode sorts before it compares them.
    private static let marks = "\u{315}\u{301}\u{327}"

    #if os(Linux) || os(macOS)
    @Test(.row("E3", "Q11")) func linesAndEventsTakeLinearTime() async {
        await #expect(processExitsWith: .success) {
            for unit in [
                "x", "\r\n", "data: x\n\n", "id:\n", "retry: 9", "e\u{301}", Self.marks,
                "data:" + Self.marks + "\n", Self.marks + ":\n",
            ] {
                let growth = await growthOfProcess(to: megabyte) { size in
                    let text = "a" + String(repeating: unit, count: size / unit.utf8.count)
                    let chunks = Chunks.pieces(of: Data(text.utf8), size: 1_000)
                    _ = await chunks.events(maximumSize: 1 << 22).collected()
                    _ = await chunks.lines(maximumLength: 1 << 22).collected()
                }
                #expect(growth < linearGrowth, "\(unit.debugDescription)")
            }
            let count = sanitized(300_000)
            let lines = String(repeating: "data:\n", count: count)
            let chunks = Chunks.pieces(of: Data("\(lines)\n".utf8), size: 1 << 16)
            #expect(
                await chunks.events().collected().elements.map(\.data.utf8.count) == [count - 1])
        }
    }
    #endif

    @Test(.row("E11")) func manyElementsAreRead() async {
        let text = Data(String(repeating: "{\"id\":1}\n\n", count: 300_000).utf8)
        let (heroes, error) = await Chunks.pieces(of: text, size: 65_536).lines()
            .decoded(as: Hero.self).collected()
        #expect(heroes.count == 300_000 && error == nil)
    }

    @Test(.row("E11")) func aLargeElementIsRead() async throws {
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
        .row("E11"),
        arguments: [("[", "]"), ("{\"a\":", "}"), ("[", ""), ("{\"a\":", "")])
    func deepElementsAreRefused(start: String, end: String) async throws {
        let depth = 10_000
        let open = String(repeating: start, count: depth)
        let close = String(repeating: end, count: depth)
        let text = Data("\(open)1\(close)\n".utf8)
        let error =
            await Chunks(chunks: [text]).lines()
            .decoded(as: Hero.self).collected().error as? ServiceError
        #expect(error?.description.contains("'Hero (element 1)'") == true)
    }

    private static let hostileUnits = [
        "/", "\\\\", ".", "\\\"", ";", "; filename", "; filename=a", "; filename*=UTF-8''%41",
        "\u{202E}", "é", "%41", "'", "=", " ", "\u{301}", "\"", "; x=\"", marks, "; \(marks)=a",
    ]

    @Test(.row("Z13"), arguments: ["/", "; filename=a", "%41", "\"", "é"])
    func largeHeadersAreRead(unit: String) throws {
        for start in ["attachment; filename=\"", "attachment; filename*=UTF-8''"] {
            let count = max(megabyte / unit.utf8.count, sanitized(300_000))
            let name = try SuggestedFilenameTests.name(
                start + String(repeating: unit, count: count))
            #expect((1...255).contains(name.utf8.count))
        }
    }

    @Test(.row("Z13", "Q5"), arguments: hostileUnits)
    func largeHeadersTakeLinearTime(unit: String) throws {
        for start in ["attachment; filename=\"", "attachment; filename*=UTF-8''", ""] {
            let ratio = try growth(to: megabyte / 8) { size in
                _ = try SuggestedFilenameTests.name(
                    start + String(repeating: unit, count: size / unit.utf8.count))
            }
            #expect(ratio < linearGrowth, "\(start)\(unit)")
        }
    }

    // Swift 6.2 has no exit tests with captured values.
    #if (os(Linux) || os(macOS)) && compiler(>=6.3)
    /// The range of a rest, and the notes of an earlier download, which another program may have written.
    @Test(arguments: ["x", "\n", "-", "/", "\u{315}\u{301}\u{327}"])
    func partsTakeLinearTime(unit: String) async {
        await #expect(processExitsWith: .success) { [unit = unit as String] in
            let folder = try TemporaryFolder()
            let growth = try await growthOfProcess(to: megabyte) { size in
                let text = String(repeating: unit, count: size / unit.utf8.count)
                let range = text.contains("\n") ? "" : "bytes \(text)"
                let headers = ["Content-Range": range, "ETag": "\"v1\""]
                let notes = ["\"\(text)\"\n1\n2", "\"v1\"\n\(text)\n2", "\"v1\"\n1\n\(text)"]
                for note in notes {
                    try folder.write("bytes", to: ".a.part")
                    try folder.write(note + "\n\n", to: ".a.part.etag")
                    let stubs = ServiceStubs { _ in
                        .data(Data(text.utf8), statusCode: 206, headers: headers)
                    }
                    _ = try? await ServiceProvider<TestService>(stubs: stubs).download(
                        service: TestService(), to: folder.file("a"),
                        options: [.resume, .overwrite])
                }
            }
            #expect(growth < linearGrowth, "\(unit.debugDescription)")
        }
    }
    #endif
}
