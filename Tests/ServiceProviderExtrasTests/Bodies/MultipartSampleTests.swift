// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import LoopbackServer
import ServiceProvider
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Writes forms as they arrive on the wire, so that `.ci/check-multipart` can check them with an
/// independent parser. The script sets their folder in `MULTIPART_SAMPLES`.
@Suite(.serialized, .opensFiles, .timeLimit) struct MultipartSampleTests {
    /// The expected part.
    private struct Sample: Encodable {
        var name: String
        var fileName: String?
        var type: String?
        var content: Data
        /// Whether the content comes from a file.
        var isFile = false
    }

    private static let samples: [String: [Sample]] = [
        "none": [],
        "texts": ["", "x", "a\nb", "\r\n", "a\r", "a\n", "\r\n\r\n", " x ", "\u{E9}\u{1F600}"].map {
            Sample(name: "text", content: Data($0.utf8))
        },
        "names": [
            "a b", "a\"b", "a\r\nb", "\r", "\n", "\u{E9}\u{1F600}", "a;b=\"c\"", "a%22b", "'", "*",
            "\"\r\n\r\nevil\r\n--", "name\"; filename=\"evil", "a\\b", "/etc/passwd", "..", ",",
        ].flatMap { name in
            [
                Sample(name: name, content: Data("x".utf8)),
                Sample(name: "f", fileName: name, type: "x/y", content: Data("y".utf8)),
            ]
        },
        "bytes": [
            Sample(name: "all", type: "x/y", content: Data((0...255).map { UInt8($0) })),
            Sample(name: "zero", type: "x/y", content: Data(count: 100_000)),
            Sample(name: "json", type: "application/json", content: Data(#"{"a":"\r\n--"}"#.utf8)),
        ],
        "boundaries": [
            "--", "----", "--x", "\r\n--", "--\r\n--x--\r\n",
            "--abc\r\nContent-Disposition: form-data; name=\"evil\"\r\n\r\nx\r\n--abc--\r\n",
        ].map { Sample(name: "b", content: Data($0.utf8)) },
        "files": [
            Sample(name: "before", content: Data("x".utf8)),
            Sample(
                name: "big", fileName: "a\"b.png", type: "image/png",
                content: noise(5 << 20), isFile: true),
            Sample(name: "none", fileName: "n.bin", type: "x/y", content: Data(), isFile: true),
            Sample(
                name: "line", fileName: "l.txt", type: "text/plain",
                content: Data("\r\n".utf8), isFile: true),
            Sample(name: "after", content: Data("\n".utf8)),
        ],
    ]

    @Test(arguments: samples.keys.sorted()) func sampleFormsAreWritten(_ title: String) async throws
    {
        let folder = try TemporaryFolder()
        let samples = try #require(Self.samples[title])
        let parts = try samples.map { sample in
            guard sample.isFile else {
                return ServiceBody.Part.data(
                    sample.content, name: sample.name, fileName: sample.fileName,
                    contentType: sample.type)
            }
            return .file(
                try folder.write(sample.content, to: UUID().uuidString), name: sample.name,
                fileName: sample.fileName, contentType: sample.type)
        }
        let server = try LoopbackServer.forUploads()
        let provider = ServiceProvider<TestService>(
            transport: TransportUnderTest.ownSession.make())
        _ = try await provider.load(service: server.upload(.multipart(parts)))
        let request = try #require(server.requests.first)
        #expect(request.isFramedRight)
        guard let path = ProcessInfo.processInfo.environment["MULTIPART_SAMPLES"] else { return }
        let place = URL(fileURLWithPath: path).appendingPathComponent(title)
        try (request.head + request.body).write(to: place.appendingPathExtension("request"))
        let meant = try JSONEncoder().encode(samples)
        try meant.write(to: place.appendingPathExtension("json"))
    }
}
