// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Tests HTTP archives. An unchanged archive replays its recorded response. A corrupted archive is
/// refused or replayed, but never crashes.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct ArchiveFuzz {
    @Test func randomArchivesAreReplayed() async throws {
        try await Fuzz.run("ArchiveFuzz", count: 1_500) { _, random in
            let (body, query) = (random.text(), random.text())
            let service = TestService(
                baseURL: "https://example.com", path: "/a", parameters: ["q": query])
            let url = try ServiceProvider<TestService>().request(for: service).urlRequest.url
            var archive = try Self.archive(url?.absoluteString ?? "", body, &random)
            let isChanged = random.oneIn(2)
            if isChanged { Self.change(&archive, &random) }
            let text = String(decoding: archive, as: UTF8.self)
            do {
                let replay = try ServiceReplay(data: archive)
                let provider = ServiceProvider<TestService>(
                    transport: FuzzStub(status: 599), interceptors: [replay])
                let data = try await provider.load(service: service)
                let isSame = data == Data(body.utf8)
                try require(isChanged || isSame, "replays \(data.count) different bytes", text)
            } catch let failure as Fuzz.Failure {
                throw failure
            } catch {
                let isKnown = error is ServiceError || error is ServiceReplayError
                try require(isChanged && isKnown, "\(error)", text)
            }
        }
    }

    private static func archive(
        _ url: String, _ body: String, _ random: inout SeededGenerator
    ) throws -> Data {
        let isBinary = random.oneIn(2)
        var content: [String: Any] = ["size": body.utf8.count, "mimeType": "text/plain"]
        content["text"] = isBinary ? Data(body.utf8).base64EncodedString() : body
        if isBinary { content["encoding"] = "base64" }
        let entry: [String: Any] = [
            "request": ["method": "GET", "url": url, "headers": [[String: Any]]()],
            "response": [
                "status": 200, "headers": [["name": "X-A", "value": random.text()]],
                "content": content,
            ],
        ]
        return try JSONEncoder().encode(FuzzJSON(["log": ["entries": [entry]]]))
    }

    private static func change(_ archive: inout Data, _ random: inout SeededGenerator) {
        for _ in 0...random.number(3) {
            let start = random.number(archive.count + 1)
            let end = min(start + random.number(random.oneIn(4) ? 60 : 3), archive.count)
            let pieces = [
                "{", "}", "[", "]", "\"", ",", ":", "null", "-1", "0", "1e999",
                "99999999999999999999",
                "\"\"", "\"***\"", "true", "[[[[", "\\ud800", "\\u0000", "//", "http://", "?", "#",
            ]
            let new = random.oneIn(5) ? random.bytes(4) : Data(random.pick(pieces).utf8)
            archive.replaceSubrange(start..<end, with: random.oneIn(4) ? Data() : new)
            archive = Data(archive)
        }
    }
}
