// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

import Foundation
import ServiceProvider
import ServiceProviderBodies
import ServiceProviderExtras
import TestSupport
import Testing

#if canImport(FoundationNetworking)
import FoundationNetworking
#endif

/// Multipart forms with arbitrary names and contents must read back unchanged.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct FormFuzz {
    private struct Part: Equatable {
        var head: [UInt8]
        var content: [UInt8]
    }

    @Test func randomFormsAreWritten() async throws {
        let provider = ServiceProvider<TestService>()
        try await Fuzz.run("FormFuzz", count: 3_000) { _, random in
            var (parts, meant) = ([ServiceBody.Part](), [Part]())
            for _ in 0..<random.number(5) {
                let (name, fileName) = (random.text(), random.oneIn(2) ? random.text() : nil)
                let content = random.oneIn(2) ? random.bytes(60) : Data(random.text().utf8)
                let type = random.oneIn(3) ? "image/png" : nil
                parts.append(.data(content, name: name, fileName: fileName, contentType: type))
                var head = "Content-Disposition: form-data; name=\"\(Self.escaped(name))\""
                if let fileName { head += "; filename=\"\(Self.escaped(fileName))\"" }
                if let type { head += "\r\nContent-Type: \(type)" }
                meant.append(Part(head: Array(head.utf8), content: Array(content)))
            }
            let service = TestService(method: .post, body: .multipart(parts))
            let request = try provider.request(for: service).urlRequest
            let type = request.value(forHTTPHeaderField: "Content-Type") ?? ""
            let boundary = type.components(separatedBy: "boundary=").last ?? ""
            let body = Array(request.httpBody ?? Data())
            let read = Self.parts(in: body, boundary)
            let text = String(decoding: body, as: UTF8.self).debugDescription
            try require(read == meant, "\(read?.count ?? -1) parts, expected \(meant.count)", text)
        }
    }

    /// Escapes single scalars, because Swift treats CRLF as one character.
    private static func escaped(_ name: String) -> String {
        name.unicodeScalars.map { scalar in
            switch scalar {
            case "\"": "%22"
            case "\r": "%0D"
            case "\n": "%0A"
            default: String(scalar)
            }
        }.joined()
    }

    /// Parses a body by RFC 2046, section 5.1.1. Returns nil if it's malformed.
    private static func parts(in body: [UInt8], _ boundary: String) -> [Part]? {
        let (line, blank) = (Array("\r\n--\(boundary)".utf8), Array("\r\n\r\n".utf8))
        // The first boundary has no line before it.
        var (rest, parts) = ((Array("\r\n".utf8) + body)[...], [Part]())
        guard rest.starts(with: line) else { return nil }
        rest = rest.dropFirst(line.count)
        while !rest.elementsEqual("--\r\n".utf8) {
            guard rest.starts(with: "\r\n".utf8) else { return nil }
            rest = rest.dropFirst(2)
            guard let start = index(of: blank, in: rest),
                let end = index(of: line, in: rest[start...])
            else { return nil }
            guard start + 4 <= end else { return nil }
            parts.append(Part(head: Array(rest[..<start]), content: Array(rest[(start + 4)..<end])))
            rest = rest[(end + line.count)...]
        }
        return parts
    }

    private static func index(of part: [UInt8], in bytes: ArraySlice<UInt8>) -> Int? {
        bytes.indices.first { bytes[$0] == part[0] && bytes[$0...].starts(with: part) }
    }
}
