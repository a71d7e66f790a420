// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderTransfers
import TestSupport
import Testing

/// Whatever a server sends, a suggested file name is valid and stays in its folder.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct FilenameFuzz {
    private static let pieces = [
        "attachment", ";", "; ", "filename", "filename*", "=", "\"", "\\", "/", "..", ".", "'",
        "UTF-8''", "iso-8859-1'en'", "%2e%2f", "%00", "%", "%e2%82%ac", "CON", "nul.txt", "COM¹",
        " ",
        "\t", "\u{202E}", "\u{0}", "é", "e\u{301}", ":", "*", "?", "<", "|", "~",
        String(repeating: "x", count: 200),
    ]

    @Test func randomFilenamesAreSafe() async throws {
        let folder = URL(fileURLWithPath: "/folder", isDirectory: true)
        try await Fuzz.run("FilenameFuzz", count: 4_000) { _, random in
            let text = String(decoding: random.hostile(Self.pieces), as: UTF8.self)
            let response = FuzzStub(headers: ["Content-Disposition": text])
            let name = try response.response().suggestedFilename
            let file = folder.appendingPathComponent(name).standardizedFileURL
            let input = "\(text.debugDescription) gives \(name.debugDescription)"
            try require(file.path == "/folder/\(name)", "leaves its folder", input)
            try require((1...255).contains(name.utf8.count), "has \(name.utf8.count) bytes", input)
            let refused = name.unicodeScalars.contains { scalar in
                "/\\".unicodeScalars.contains(scalar)
                    || scalar.properties.generalCategory == .control
            }
            try require(!refused && name.first != ".", "has a refused character", input)
        }
    }
}
