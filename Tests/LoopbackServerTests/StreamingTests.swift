// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import TestSupport
import Testing

@Suite(.serialized, .opensFiles, .timeLimit) struct StreamingTests {
    private static let size = 256 << 20

    #if os(Linux) || os(macOS)
    /// In its own process, because other tests need memory too.
    @Test(.slow, .disabled(if: isUnderAddressSanitizer, "AddressSanitizer keeps freed memory"))
    func noBodyIsHeldInMemory() async {
        await #expect(processExitsWith: .success) {
            let before = ProcessUsage.residentBytes ?? 0
            let tests = StreamingTests()
            for chunked in [false, true] { try tests.aLargeUploadIsReceived(chunked: chunked) }
            let framings: [LoopbackResponse.Framing] = [
                .contentLength, .chunked(size: 1 << 16), .untilClose,
            ]
            for framing in framings { try tests.aLargeDownloadIsSent(framing: framing) }
            try tests.aLargeFileIsSent()
            let growth = (ProcessUsage.residentBytes ?? 0) - before
            if growth > 64 << 20 { exit(1) }
        }
    }
    #endif

    @Test(.slow, arguments: [false, true]) func aLargeUploadIsReceived(chunked: Bool) throws {
        let server = try LoopbackServer { .text("\($0.bodySize) \($0.body.count)") }
        let client = try Client(server.port)
        let piece = Data(count: 1 << 20)
        let framing = chunked ? "Transfer-Encoding: chunked" : "Content-Length: \(Self.size)"
        try client.send("PUT / HTTP/1.1\r\n\(framing)\r\n\r\n")
        for _ in 0..<256 {
            if chunked { try client.send("100000\r\n") }
            try client.send(piece)
            if chunked { try client.send("\r\n") }
        }
        if chunked { try client.send("0\r\n\r\n") }
        #expect(try client.response().text == "\(Self.size) \(1 << 20)")
    }

    @Test(
        .slow,
        arguments: [
            LoopbackResponse.Framing.contentLength, .chunked(size: 1 << 16), .untilClose,
        ])
    func aLargeDownloadIsSent(framing: LoopbackResponse.Framing) throws {
        let pattern = Data("0123456789".utf8)
        let response = LoopbackResponse(
            body: .repeating(pattern, count: Self.size), framing: framing)
        let server = try LoopbackServer(responses: [response.closing()])
        let client = try Client(server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        let head = try client.response(toHead: true)
        #expect(head.status == 200)
        let count = try client.countToEnd()
        // 4096 chunks of 64 KB, each with its size ("10000") and line breaks, and the last chunk.
        let overhead = head.header("Transfer-Encoding") == nil ? 0 : 4096 * 9 + 5
        #expect(count == Self.size + overhead)
    }

    @Test(.slow) func aLargeFileIsSent() throws {
        let url = FileManager.default.temporaryDirectory
            .appendingPathComponent("loopback-\(UUID().uuidString)")
        #expect(FileManager.default.createFile(atPath: url.path, contents: nil))
        defer { try? FileManager.default.removeItem(at: url) }
        let file = try FileHandle(forWritingTo: url)
        try file.truncate(atOffset: UInt64(Self.size))
        try file.close()
        let server = try LoopbackServer(responses: [LoopbackResponse(body: .file(url)).closing()])
        let client = try Client(server.port)
        try client.send("GET / HTTP/1.1\r\n\r\n")
        #expect(try client.response(toHead: true).header("Content-Length") == "\(Self.size)")
        #expect(try client.countToEnd() == Self.size)
    }

    @Test func aLinkIsFollowedAndOnlyFilesAreSent() throws {
        let folder = try TemporaryFolder()
        try folder.write(Data(repeating: 65, count: 5_000), to: "file")
        let manager = FileManager.default
        try manager.createSymbolicLink(
            at: folder.file("link"), withDestinationURL: folder.file("file"))
        #expect(mkfifo(folder.file("pipe").path, 0o600) == 0)
        let files = [folder.file("link"), folder.url, folder.file("pipe"), folder.file("none")]
        let server = try LoopbackServer(
            responses: files.map { LoopbackResponse(body: .file($0)) })
        #expect(try Client(server.port).get("/").body.count == 5_000)
        for _ in files.dropFirst() {
            let client = try Client(server.port)
            try client.send("GET / HTTP/1.1\r\n\r\n")
            client.endOutput()
            #expect(client.rest().text.hasPrefix("HTTP/1.1 500 "))
        }
    }
}
