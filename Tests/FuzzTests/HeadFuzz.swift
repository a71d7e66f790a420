// SPDX-License-Identifier: MIT
// Copyright (c) 2026 the ServiceProvider authors
// Part of ServiceProvider: a small networking library in Swift.

#if os(Linux)
import Foundation
import TestSupport
import Testing

@testable import CurlTransport

/// Parses the status line and headers that libcurl passes on. An accepted text must match a reader
/// that splits the same text by the grammar of RFC 9112.
@Suite(.slow, .serialized, .opensFiles, .timeLimit) struct HeadFuzz {
    private static let pieces = [
        "HTTP/1.1 200 OK", "HTTP/1.1 204", "HTTP/2 200", "HTTP/1.0 100 x", "HTTP/1.1 99", "\r\n",
        "\r\n",
        "\r\n", "\n", "\r", "\0", ":", ": ", " ", "\t", "Content-Length: 5", "content-length: 5, 5",
        "Content-Length: +5", "Transfer-Encoding: chunked", "Transfer-Encoding: gzip",
        "Content-Encoding: gzip", "Content-Type: a/b", "X-A: b", "x-a: c", "é", "\u{FF}",
    ]

    @Test func randomHeadersAreRead() async throws {
        try await Fuzz.run("HeadFuzz", count: 4_000) { _, random in
            let version = random.oneIn(2) ? CurlHTTPVersion.http2 : .http11
            let text = Array(random.hostile(Self.pieces))
            var head = CurlHead(version)
            let lines = Self.lines(text)
            do {
                for line in lines { _ = try line.withUnsafeBytes { try head.read($0) } }
            } catch {
                return
            }
            let input = String(decoding: text, as: UTF8.self).debugDescription
            try require((0...999).contains(head.status), "status \(head.status)", input)
            let fields = Self.fields(lines)
            let read = head.headers()
            try require(
                Set(read.keys.map { $0.lowercased() }) == Set(fields.keys),
                "reads \(read.keys.sorted())", input)
            for (name, value) in read {
                let meant = fields[name.lowercased()] ?? []
                let isSame = Array(value.utf8) == Array(meant.joined(separator: ", ").utf8)
                try require(isSame, "\(name) is \(value.debugDescription), not \(meant)", input)
            }
            if let lengths = fields["content-length"] {
                let numbers = Set(lengths.map { Int64($0) })
                try require(
                    numbers == [head.length] && head.length.map { $0 >= 0 } == true,
                    "length \(String(describing: head.length))", input)
            } else {
                try require(head.length == nil, "has a length", input)
            }
            try require(
                head.isChunked == (fields["transfer-encoding"] != nil), "chunked", input)
        }
    }

    /// Splits a text after each line feed, as libcurl does.
    private static func lines(_ text: [UInt8]) -> [[UInt8]] {
        var (lines, line) = ([[UInt8]](), [UInt8]())
        for byte in text {
            line.append(byte)
            if byte == 0x0A {
                lines.append(line)
                line = []
            }
        }
        return lines
    }

    /// The values of the last response's fields, by name in lower case.
    private static func fields(_ lines: [[UInt8]]) -> [String: [String]] {
        var fields: [String: [[UInt8]]] = [:]
        var isFinal = false
        // The field that a line with a blank at its start continues (RFC 9112, section 5.2).
        var last: String?
        for line in lines {
            var bytes = line[...]
            while let byte = bytes.last, byte == 0x0A || byte == 0x0D { bytes.removeLast() }
            if bytes.starts(with: "HTTP/".utf8) {
                let isShort = bytes.starts(with: "HTTP/2".utf8)
                isFinal = bytes.dropFirst(isShort ? 7 : 9).first != UInt8(ascii: "1")
                fields = [:]
                last = nil
            } else if bytes.isEmpty {
                if isFinal { break }
                last = nil
            } else if let name = last, bytes.first == 0x20 || bytes.first == 0x09 {
                let end = (fields[name]?.count ?? 1) - 1
                fields[name]?[end] += [0x20] + trimmed(bytes)
            } else if let colon = bytes.firstIndex(of: UInt8(ascii: ":")) {
                let name = String(decoding: bytes[..<colon], as: UTF8.self).lowercased()
                fields[name, default: []].append(Array(bytes[(colon + 1)...]))
                last = name
            }
        }
        return fields.mapValues { $0.map { text(trimmed($0[...])) } }
    }

    private static func trimmed(_ bytes: ArraySlice<UInt8>) -> [UInt8] {
        func isBlank(_ byte: UInt8) -> Bool { byte == 0x20 || byte == 0x09 }
        return Array(bytes.drop(while: isBlank).reversed().drop(while: isBlank).reversed())
    }

    /// UTF-8, or else ISO-8859-1.
    private static func text(_ bytes: [UInt8]) -> String {
        String(validating: bytes, as: UTF8.self)
            ?? String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    }
}
#endif
